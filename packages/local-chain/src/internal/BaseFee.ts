import type { BlockHeader } from "@effect-klaytn/transaction/ExecutedTransaction"
import * as BigInteger from "effect/BigInt"

/** Between which prices the base fee moves. */
export interface Bounds {
  readonly lowest: bigint
  readonly highest: bigint
}

/** Gas of a block at which the base fee stays, the most that counts, and by which part of itself the fee moves for the target. */
const rule = { target: 30_000_000n, most: 60_000_000n, denominator: 20n }

/** How many times the lowest price the highest is: 750 gpeb for 25. */
const span = 30n

/** Fees of this rule are even, so that half of them can be burnt. */
const even = (fee: bigint): bigint => fee - fee % 2n

/** The bounds of a chain whose lowest price this is, and its highest where that is not the usual one. */
export const boundsOf = (unitPrice: bigint, highest = unitPrice * span): Bounds => {
  const lowest = unitPrice + unitPrice % 2n
  return { lowest, highest: BigInteger.max(lowest, even(highest)) }
}

/** The base fee of the block that follows, as KIP-71 has it. */
export const baseFeeAfter = (
  { baseFeePerGas, gasUsed, number }: Pick<BlockHeader, "baseFeePerGas" | "gasUsed" | "number">,
  { highest, lowest }: Bounds
): bigint => {
  if (number === 0 || baseFeePerGas === undefined) return lowest
  const fee = BigInteger.clamp(baseFeePerGas, { minimum: lowest, maximum: highest })
  const used = BigInteger.min(gasUsed, rule.most)
  const change = fee * BigInteger.abs(used - rule.target) / rule.target / rule.denominator
  if (used === rule.target) return even(fee)
  const next = used > rule.target ? fee + BigInteger.max(change, 1n) : fee - change
  return even(BigInteger.clamp(next, { minimum: lowest, maximum: highest }))
}
