/**
 * Signatures as the chain writes them: V, R and S.
 *
 * V is `recovery + 35 + 2 * chainId` for the legacy and all Klaytn types, and `recovery` (0 or 1) for Ethereum types.
 * S is always in the lower half of the curve order.
 *
 * @since 0.1.0
 */
import type { Hex } from "./Hex.js"
import { fail, type Result, succeed } from "./Result.js"
import { TransactionError } from "./TransactionError.js"

/**
 * One signature. In JSON the chain writes the same three as `V`, `R` and `S`, each a hexadecimal quantity without
 * leading zeros: see `toQuantities`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Signature {
  readonly v: bigint
  readonly r: bigint
  readonly s: bigint
}

/**
 * Who signed: the compressed public key, and the address that belongs to it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Signer {
  readonly publicKey: Hex
  readonly address: Hex
}

/**
 * The order of the curve secp256k1; R and S are below it.
 *
 * @since 0.1.0
 * @category constants
 */
export const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const halfOrder = order / 2n

/**
 * Whether S is in the upper half, so that the signature has a second valid form. Such signatures are refused.
 *
 * @since 0.1.0
 * @category guards
 */
export const isHighS = (signature: Signature): boolean => signature.s > halfOrder

/**
 * V for a chain and a recovery bit, legacy and Klaytn types. Fails with `OutOfRange` unless the bit is 0 or 1, because any
 * other number makes the V of another chain, and unless the chain ID is a positive integer.
 *
 * @since 0.1.0
 * @category constructors
 */
export const toV = (chainId: number, recovery: number): Result<bigint> =>
  !Number.isSafeInteger(chainId) || chainId < 1
    ? fail(new TransactionError("OutOfRange", "chainId", `is not an integer from 1 to ${Number.MAX_SAFE_INTEGER}`))
    : recovery === 0 || recovery === 1
    ? succeed(BigInt(chainId) * 2n + 35n + BigInt(recovery))
    : fail(new TransactionError("OutOfRange", "recovery", "is not 0 or 1"))

/**
 * The chain that V names, `undefined` if V is below 35. For legacy and Klaytn types; Ethereum types carry the chain
 * as a field instead.
 *
 * @since 0.1.0
 * @category getters
 */
export const chainIdOf = (signature: Signature): number | undefined =>
  signature.v < 35n ? undefined : Number((signature.v - 35n) / 2n)

/**
 * The recovery bit that V holds, for either form of V.
 *
 * @since 0.1.0
 * @category getters
 */
export const recoveryOf = (signature: Signature): number =>
  Number(signature.v < 35n ? signature.v : (signature.v - 35n) % 2n)

/**
 * The form of a signature in the JSON of nodes and of the service: capital names, quantities without leading zeros.
 *
 * @since 0.1.0
 * @category conversions
 */
export const toQuantities = (signature: Signature): { readonly V: Hex; readonly R: Hex; readonly S: Hex } => ({
  V: `0x${signature.v.toString(16)}`,
  R: `0x${signature.r.toString(16)}`,
  S: `0x${signature.s.toString(16)}`
})
