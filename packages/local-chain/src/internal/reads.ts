import { fromBytes, type Hex, lowerCase } from "@effect-klaytn/transaction/Hex"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { isContract, keyOf } from "../AccountRecord.js"
import type { AccountState } from "../AccountState.js"
import { BlockNotFound, type ReadFailure, StoreFailure } from "../ChainError.js"
import type { ChainState } from "./ChainState.js"
import { wordOf } from "./hexForms.js"

/** Checks that the chain has a block of this height; the newest one by default. */
export const heightOf = (chain: ChainState, block: number | undefined): Either.Either<number, BlockNotFound> => {
  const height = block ?? chain.head.number
  return Number.isInteger(height) && height >= 0 && height <= chain.head.number
    ? Either.right(height)
    : Either.left(new BlockNotFound({ block: height }))
}

/** The value of an account or a slot at the end of a block: the one that a later block replaced, or the present one. */
const valueAt = (operation: string, chain: ChainState, block: number | undefined, address: Hex, slot = "") =>
  Either.flatMap(heightOf(chain, block), (height) =>
    Either.try({
      try: () => {
        if (height === chain.head.number) return chain.state.value(address, slot)
        const past = chain.storage.before(height, address, slot)
        return past === undefined ? chain.state.valueBeforeEdits(address, slot) : past.value
      },
      catch: (cause) => new StoreFailure({ operation, cause })
    }))

const accountAt = (operation: string, chain: ChainState, block: number | undefined, address: Hex) =>
  Either.map(
    valueAt(operation, chain, block, address),
    (found) => found instanceof Uint8Array ? undefined : found
  )

/** An account; none if the address is unused. */
export const account = (
  chain: ChainState,
  address: Hex,
  block: number | undefined
): Either.Either<Option.Option<AccountState>, ReadFailure> =>
  Either.map(
    accountAt("account", chain, block, address),
    (found) =>
      Option.map(Option.fromNullable(found), (record) => ({
        address,
        nonce: record.nonce,
        balance: record.balance,
        key: keyOf(record),
        codeHash: fromBytes(record.codeHash),
        isContract: isContract(record)
      }))
  )

/** The balances of all accounts together, at the end of a block. */
export const coin = (chain: ChainState, block: number | undefined): Either.Either<bigint, ReadFailure> =>
  Either.gen(function*() {
    const height = yield* heightOf(chain, block)
    if (height === chain.head.number) return chain.state.coin()
    const later = yield* Either.try({
      try: () => chain.storage.changedSince(height),
      catch: (cause) => new StoreFailure({ operation: "coin", cause })
    })
    const changed = [...chain.state.beforeEdits(), ...later].flatMap(({ address, slot }) =>
      slot === "" ? [address] : []
    )
    let sum = chain.state.coin()
    for (const address of new Set(changed)) {
      const past = yield* accountAt("coin", chain, height, lowerCase(address))
      sum += (past?.balance ?? 0n) - chain.state.accountOrEmpty(address).balance
    }
    return sum
  })

/** The code of an account. */
export const code = (chain: ChainState, address: Hex, block: number | undefined): Either.Either<Hex, ReadFailure> =>
  Either.map(
    accountAt("code", chain, block, address),
    (found) => found === undefined ? "0x" : fromBytes(chain.state.code(found.codeHash))
  )

/** A slot of storage as 32 bytes. */
export const storageAt = (
  chain: ChainState,
  address: Hex,
  slot: bigint,
  block: number | undefined
): Either.Either<Hex, ReadFailure> =>
  Either.map(valueAt("storageAt", chain, block, address, wordOf(BigInt.asUintN(256, slot))), (value): Hex => {
    const digits = value instanceof Uint8Array ? fromBytes(value).slice(2) : ""
    return `0x${digits.padStart(64, "0")}`
  })

/** The whole storage of an account: the slots that are not zero, with their values, each of 32 bytes. */
export const storage = (
  chain: ChainState,
  address: Hex,
  block: number | undefined
): Either.Either<ReadonlyMap<Hex, Hex>, ReadFailure> =>
  Either.gen(function*() {
    const height = yield* heightOf(chain, block)
    const later = height === chain.head.number
      ? []
      : yield* Either.try({
        try: () => chain.storage.changedSince(height),
        catch: (cause) => new StoreFailure({ operation: "storage", cause })
      })
    const slots = new Set([
      ...chain.state.slotsOf(address),
      ...later.flatMap((entry) => entry.address === address && entry.slot !== "" ? [entry.slot] : [])
    ])
    const values = new Map<Hex, Hex>()
    for (const slot of slots) {
      const value = yield* valueAt("storage", chain, height, address, slot)
      if (value instanceof Uint8Array) values.set(`0x${slot}`, `0x${fromBytes(value).slice(2).padStart(64, "0")}`)
    }
    return values
  })
