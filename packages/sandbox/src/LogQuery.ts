/**
 * Searching the logs of a chain.
 *
 * @since 0.1.0
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"

/**
 * Selects logs, in the order they were emitted.
 *
 * @since 0.1.0
 * @category models
 */
export interface LogQuery {
  /** First and last block, both included. */
  readonly fromBlock: number
  readonly toBlock: number
  /** Emitted by any of these contracts. Default, also if empty: by any contract. */
  readonly addresses?: ReadonlyArray<Hex>
  /** By position: a list matches any of its words, undefined matches anything. */
  readonly topics?: ReadonlyArray<ReadonlyArray<Hex> | undefined>
  /** To learn whether there are more, ask for one more than you want. */
  readonly limit: number
}
