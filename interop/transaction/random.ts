import type * as AccountKey from "../../packages/transaction/src/AccountKey.js"
import type { Hex } from "../../packages/transaction/src/Hex.js"
import * as PrivateKey from "../../packages/transaction/src/PrivateKey.js"
import type { Result } from "../../packages/transaction/src/Result.js"
import * as Transaction from "../../packages/transaction/src/Transaction.js"
import * as TransactionType from "../../packages/transaction/src/TransactionType.js"

/** The value, or a failing test that says why there is none. */
export const get = <A>(result: Result<A>): A => {
  if (!result.ok) {
    throw result.error
  }
  return result.value
}

export interface Random {
  readonly int: (below: number) => number
  readonly bytes: (length: number) => Hex
  readonly bigint: (bits: number) => bigint
  readonly pick: <A>(values: readonly [A, ...ReadonlyArray<A>]) => A
}

/** Mulberry32: the same numbers for the same seed, everywhere. */
export const random = (seed: number): Random => {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const int = (below: number): number => Math.floor(next() * below)
  const bytes = (length: number): Hex =>
    `0x${Array.from({ length }, () => int(256).toString(16).padStart(2, "0")).join("")}`
  const pick = <A>(values: readonly [A, ...ReadonlyArray<A>]): A => values[int(values.length)] ?? values[0]
  return {
    int,
    bytes,
    // Every length is as likely as any other, so short and zero values come up.
    bigint: (bits) => {
      const length = int(bits / 8 + 1)
      return length === 0 ? 0n : BigInt(bytes(length))
    },
    pick
  }
}

export interface Owner {
  readonly privateKey: Hex
  readonly publicKey: Hex
  readonly address: Hex
}

export const owner = (r: Random): Owner => {
  const privateKey = r.bytes(32)
  return {
    privateKey,
    publicKey: get(PrivateKey.toPublicKey(privateKey)),
    address: get(PrivateKey.toAddress(privateKey))
  }
}

const roleKey = (r: Random, kind: number): AccountKey.RoleKey => {
  switch (kind) {
    case 0:
      return { type: "AccountKeyLegacy" }
    case 1:
      return { type: "AccountKeyFail" }
    case 2:
      return { type: "AccountKeyPublic", publicKey: owner(r).publicKey }
    case 3: {
      const keys = Array.from(
        { length: 1 + r.int(10) },
        () => ({ weight: 1 + r.int(1000), publicKey: owner(r).publicKey })
      )
      const reachable = keys.reduce((sum, key) => sum + key.weight, 0)
      return { type: "AccountKeyWeightedMultiSig", threshold: 1 + r.int(reachable), keys }
    }
    default:
      return { type: "AccountKeyNil" }
  }
}

/** Not everybody knows that a role may be left as it is. */
export type Nil = "with nil" | "without nil"

export const accountKey = (r: Random, nil: Nil = "with nil"): AccountKey.AccountKey => {
  const kind = r.int(5)
  if (kind < 4) {
    return roleKey(r, kind)
  }
  const role = (): AccountKey.RoleKey => roleKey(r, r.int(nil === "with nil" ? 5 : 4))
  const [transaction, accountUpdate, feePayer] = [role(), role(), role()]
  return {
    type: "AccountKeyRoleBased",
    keys: r.pick<AccountKey.AccountKeyRoleBased["keys"]>([
      [transaction],
      [transaction, accountUpdate],
      [transaction, accountUpdate, feePayer]
    ])
  }
}

export const chainIds = [1, 1001, 8217] as const

/** An unsigned transaction of a type from `sender`; deploys are without `to`, as the chain wants them. */
export const transaction = (
  r: Random,
  type: TransactionType.TransactionType,
  sender: Owner,
  chainId: number,
  nil: Nil = "with nil"
): Transaction.Transaction => {
  const to = type.includes("Deploy") || (TransactionType.isEthereum(type) && r.int(4) === 0)
    ? {}
    : { to: r.bytes(20) }
  // Offers every field; `make` keeps those of the type.
  return get(Transaction.make({
    type,
    chainId,
    from: sender.address,
    ...to,
    nonce: BigInt(r.int(2 ** 40)),
    gas: BigInt(r.int(2 ** 40)) + 1n,
    gasPrice: r.bigint(80) + 1n,
    maxPriorityFeePerGas: r.bigint(80) + 1n,
    maxFeePerGas: r.bigint(80) + 1n,
    value: r.bigint(128),
    input: r.bytes(1 + r.int(120)),
    key: accountKey(r, nil),
    humanReadable: false,
    codeFormat: 0,
    feeRatio: 1 + r.int(99),
    accessList: Array.from({ length: r.int(3) }, () => ({
      address: r.bytes(20),
      storageKeys: Array.from({ length: r.int(3) }, () => r.bytes(32))
    }))
  }))
}

/** Signed once by each. */
export const sign = (
  unsigned: Transaction.Transaction,
  sender: Owner,
  payer: Owner,
  chainId: number
): Transaction.Transaction => {
  const signed = get(Transaction.signAsSender(unsigned, { chainId, privateKey: sender.privateKey }))
  return Transaction.isFeeDelegatedTransaction(signed)
    ? get(Transaction.signAsFeePayer(signed, { chainId, privateKey: payer.privateKey }))
    : signed
}

/** The first and only one. */
export const only = <A>(values: ReadonlyArray<A>): A => {
  const [value] = values
  if (value === undefined || values.length > 1) {
    throw new Error(`${values.length} values instead of one`)
  }
  return value
}

export const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`
