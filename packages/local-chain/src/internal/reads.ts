import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type AccountRecord, hasCode, isContract, keyOf } from "../AccountRecord.js"
import type { AccountState } from "../AccountState.js"
import { attempt, BlockNotFound, type ReadFailure } from "../ChainError.js"
import type { ChainState } from "./ChainState.js"

/** Checks that the chain has a block of this height; the newest one by default. */
export const heightOf = (chain: ChainState, block: number | undefined): Effect.Effect<number, BlockNotFound> =>
  Effect.suspend(() => {
    const height = block ?? chain.head.number
    return Number.isInteger(height) && height >= 0 && height <= chain.head.number
      ? Effect.succeed(height)
      : Effect.fail(new BlockNotFound({ block: height }))
  })

/** A value at the end of a block: what a later block found there, or the present one. */
const stateAt = (
  chain: ChainState,
  height: number,
  address: Hex,
  slot: string
): AccountRecord | Uint8Array | undefined => {
  if (height === chain.head.number) return slot === "" ? chain.state.account(address) : chain.state.slot(address, slot)
  const past = chain.storage.before(height, address, slot)
  return past === undefined ? chain.state.valueBeforeEdits(address, slot) : past.value
}

const accountAt = (chain: ChainState, height: number, address: Hex): AccountRecord | undefined => {
  const account = stateAt(chain, height, address, "")
  return account instanceof Uint8Array ? undefined : account
}

const publicAccount = (address: Hex, account: AccountRecord): AccountState => ({
  address,
  nonce: account.nonce,
  balance: account.balance,
  key: keyOf(account),
  codeHash: fromBytes(account.codeHash),
  isContract: isContract(account)
})

/** Reads at the end of a block. */
const readAt = <A>(
  operation: string,
  chain: ChainState,
  block: number | undefined,
  read: (height: number) => A
): Effect.Effect<A, ReadFailure> =>
  Effect.flatMap(heightOf(chain, block), (height) => attempt(operation, () => read(height)))

/** An account; none if the address is unused. */
export const account = (
  chain: ChainState,
  address: Hex,
  block: number | undefined
): Effect.Effect<Option.Option<AccountState>, ReadFailure> =>
  readAt(
    "account",
    chain,
    block,
    (height) =>
      Option.map(Option.fromNullable(accountAt(chain, height, address)), (found) => publicAccount(address, found))
  )

/** The code of an account. */
export const code = (chain: ChainState, address: Hex, block: number | undefined): Effect.Effect<Hex, ReadFailure> =>
  readAt("code", chain, block, (height) => {
    const found = accountAt(chain, height, address)
    return found === undefined || !hasCode(found) ? "0x" : fromBytes(chain.state.code(found.codeHash))
  })

/** A slot of storage as 32 bytes. */
export const storageAt = (
  chain: ChainState,
  address: Hex,
  slot: bigint,
  block: number | undefined
): Effect.Effect<Hex, ReadFailure> =>
  readAt("storageAt", chain, block, (height): Hex => {
    const value = stateAt(chain, height, address, BigInt.asUintN(256, slot).toString(16).padStart(64, "0"))
    const digits = value instanceof Uint8Array ? fromBytes(value).slice(2) : ""
    return `0x${digits.padStart(64, "0")}`
  })
