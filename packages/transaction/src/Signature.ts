/**
 * Signatures as the chain writes them: V, R and S.
 *
 * V is `recovery + 35 + 2 * chainId` for the legacy type and all Klaytn types, and `recovery` (0 or 1) for Ethereum
 * types. A legacy transaction may also name no chain; then V is `recovery + 27`. S is always in the lower half of the
 * curve order.
 */
import type { Hex } from "./Hex.js"
import { fail, type Result, succeed } from "./Result.js"
import { TransactionError } from "./TransactionError.js"

/**
 * One signature. In JSON the chain writes these as `V`, `R` and `S`, each a hexadecimal quantity without leading zeros:
 * see `toQuantities`.
 *
 * @category models
 */
export interface Signature {
  readonly v: bigint
  readonly r: bigint
  readonly s: bigint
}

/**
 * A signer: the compressed public key, and the address that belongs to it.
 *
 * @category models
 */
export interface Signer {
  readonly publicKey: Hex
  readonly address: Hex
}

/**
 * The order of the curve secp256k1; R and S are below it.
 *
 * @category constants
 */
export const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const halfOrder = order / 2n

/**
 * Checks whether S is in the upper half of the curve order. Such signatures are refused, since each has a second valid
 * form.
 *
 * @category guards
 */
export const isHighS = (signature: Signature): boolean => signature.s > halfOrder

/**
 * Checks whether V names no chain, which is the case if it is 27 or 28. Only a legacy transaction can have such a
 * signature. It is valid on every chain that accepts it, so anyone who sees the transaction on one chain can send it on
 * another.
 *
 * @category guards
 */
export const namesNoChain = ({ v }: Pick<Signature, "v">): boolean => v === 27n || v === 28n

/**
 * Computes V from a chain and a recovery bit, for the legacy type and Klaytn types. Fails with `OutOfRange` unless the
 * bit is 0 or 1, because any other number would give the V of another chain, and unless the chain ID is a positive
 * integer.
 *
 * @category constructors
 */
export const toV = (chainId: number, recovery: number): Result<bigint> =>
  !Number.isSafeInteger(chainId) || chainId < 1
    ? fail(new TransactionError("OutOfRange", "chainId", `is not an integer from 1 to ${Number.MAX_SAFE_INTEGER}`))
    : recovery === 0 || recovery === 1
    ? succeed(BigInt(chainId) * 2n + 35n + BigInt(recovery))
    : fail(new TransactionError("OutOfRange", "recovery", "is not 0 or 1"))

/**
 * The chain that V names, or `undefined` if V is below 35. For the legacy type and Klaytn types; Ethereum types have
 * the chain in a field instead.
 *
 * @category getters
 */
export const chainIdOf = (signature: Signature): number | undefined =>
  signature.v < 35n ? undefined : Number((signature.v - 35n) / 2n)

/**
 * The recovery bit in V, for any form of V.
 *
 * @category getters
 */
export const recoveryOf = ({ v }: Signature): number =>
  Number(v >= 35n ? (v - 35n) % 2n : namesNoChain({ v }) ? v - 27n : v)

/**
 * Formats a signature as in the JSON of nodes and of the service: capital names, quantities without leading zeros.
 *
 * @category conversions
 */
export const toQuantities = (signature: Signature): { readonly V: Hex; readonly R: Hex; readonly S: Hex } => ({
  V: `0x${signature.v.toString(16)}`,
  R: `0x${signature.r.toString(16)}`,
  S: `0x${signature.s.toString(16)}`
})
