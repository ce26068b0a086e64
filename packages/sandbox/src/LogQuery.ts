/**
 * Searching the logs of a chain.
 *
 * @since 0.1.0
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"

/**
 * Which logs to list, in the order they were emitted.
 *
 * @since 0.1.0
 * @category models
 */
export interface LogQuery {
  /** First and last block, both included. */
  readonly fromBlock: number
  readonly toBlock: number
  /** Any of these emitters; all when absent or empty. */
  readonly addresses?: ReadonlyArray<Hex>
  /** By position: nothing matches anything, a list matches any of its words. */
  readonly topics?: ReadonlyArray<ReadonlyArray<Hex> | undefined>
  /** Ask for one more than you accept to learn whether there are more. */
  readonly limit: number
}
