/**
 * Executed transactions and their logs as the sandbox stores them, and queries for logs.
 */
import type { Row } from "@effect-klaytn/store/Table"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { transactions } from "./IndexTables.js"

/**
 * One log of an executed transaction.
 *
 * @category models
 */
export interface LogRecord {
  /** The contract that emitted it. */
  readonly address: Hex
  /** Up to four words of 32 bytes. */
  readonly topics: ReadonlyArray<Hex>
  readonly data: Hex
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly transactionHash: Hex
  readonly transactionIndex: number
  /** Position among all logs of the block. */
  readonly logIndex: number
}

/**
 * An executed transaction with its receipt. Fields that only some types have can be decoded from `raw`, the signed bytes.
 *
 * @category models
 */
export interface TransactionRecord
  extends Omit<Row<typeof transactions.fields>, "id" | "senderTxHash" | "firstLog" | "firstTransfer" | "transferCount">
{
  /** Equals `hash` unless the transaction is fee-delegated. */
  readonly senderTxHash: Hex
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly transactionIndex: number
  /** Unix seconds of the block. */
  readonly timestamp: number
}

/**
 * Selects transactions, newest first.
 *
 * @category models
 */
export interface TransactionQuery {
  /** Only those of this block. Default: all. */
  readonly block?: number
  /** Only transactions older than this place in the chain: the place of the last one seen. */
  readonly before?: { readonly block: number; readonly index: number }
  readonly limit: number
}

/**
 * Selects logs, in the order they were emitted.
 *
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

/**
 * Selects transactions that a fee payer paid for, newest first.
 *
 * @category models
 */
export interface PaidQuery {
  readonly feePayer: Hex
  /** Only those of this sender. */
  readonly from?: Hex | undefined
  /** Only those before this key. */
  readonly before?: number | undefined
  readonly limit: number
}
