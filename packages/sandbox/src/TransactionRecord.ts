/**
 * Executed transactions and their logs as the sandbox stores them.
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
  /** None to four words of 32 bytes. */
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
 * A transaction of a block together with what its execution gave: transaction and receipt in one. `raw` holds the
 * signed bytes, so everything that is special to a type is decoded from there.
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
  /** Absent when the transaction creates a contract, updates an account, cancels or anchors. */
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
  /** Gas used times gas price, whoever paid it. */
  readonly fee: bigint
  /** Absent when the sender pays. */
  readonly feePayer: Hex | undefined
  /** Percent paid by the fee payer, 1 to 99; absent when it pays everything or nothing. */
  readonly feeRatio: number | undefined
  /** 1 success, 0 failure: a failed transaction is in its block and has paid its fee. */
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
 * A transaction that was taken in and waits for a block.
 *
 * @since 0.1.0
 * @category models
 */
export interface PendingTransaction extends Pick<TransactionRecord, "hash" | "senderTxHash" | "typeInt" | "from"> {
  /** The signed bytes; Ethereum types without the envelope byte 0x78. */
  readonly raw: Hex
}

/**
 * A transaction that was taken in, and left the pool without a block: it never ran, and paid nothing.
 *
 * @since 0.1.0
 * @category models
 */
export interface DroppedTransaction extends Pick<TransactionRecord, "hash" | "from" | "nonce"> {
  /** Why, in words for people. */
  readonly reason: string
}
