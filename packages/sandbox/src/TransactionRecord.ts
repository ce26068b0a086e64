/**
 * Executed transactions and their logs as the sandbox stores them, and queries for logs.
 *
 * @since 0.1.0
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"

/**
 * One log of an executed transaction.
 *
 * @since 0.1.0
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
 * @since 0.1.0
 * @category models
 */
export interface TransactionRecord {
  readonly hash: Hex
  /** Equals `hash` unless the transaction is fee-delegated. */
  readonly senderTxHash: Hex
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly transactionIndex: number
  /** Unix seconds of the block. */
  readonly timestamp: number
  /** 0 legacy, 8 value transfer, ..., 30722 dynamic fee: the numbers of the service's transaction table. */
  readonly typeInt: number
  readonly from: Hex
  /** Undefined if the transaction creates a contract, updates an account, cancels or anchors. */
  readonly to: Hex | undefined
  readonly value: bigint
  readonly nonce: bigint
  /** Gas limit. */
  readonly gas: bigint
  /** peb for one unit of gas, as charged. */
  readonly gasPrice: bigint
  readonly gasUsed: bigint
  /** Gas used by the block up to and including this transaction. */
  readonly cumulativeGasUsed: bigint
  /** Gas used times gas price, whoever pays it. */
  readonly fee: bigint
  /** Undefined if the sender pays. */
  readonly feePayer: Hex | undefined
  /** Percentage that the fee payer pays, 1 to 99; undefined if it pays everything or nothing. */
  readonly feeRatio: number | undefined
  /** 1 success, 0 failure: a failed transaction is part of its block and has paid its fee. */
  readonly status: 0 | 1
  /** Why it failed: the node's code, 0x2 to 0x1e. */
  readonly txError: number | undefined
  /** The contract that the transaction created. */
  readonly contractAddress: Hex | undefined
  /** The signed bytes; Ethereum types without the envelope byte 0x78. */
  readonly raw: Hex
  readonly logCount: number
}

/**
 * A transaction in the pool.
 *
 * @since 0.1.0
 * @category models
 */
export interface PendingTransaction extends Pick<TransactionRecord, "hash" | "senderTxHash" | "typeInt" | "from"> {
  /** The signed bytes; Ethereum types without the envelope byte 0x78. */
  readonly raw: Hex
}

/**
 * A transaction that left the pool without a block: it was never executed and paid nothing.
 *
 * @since 0.1.0
 * @category models
 */
export interface DroppedTransaction extends Pick<TransactionRecord, "hash" | "from" | "nonce"> {
  /** Why, as text to read. */
  readonly reason: string
}

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
