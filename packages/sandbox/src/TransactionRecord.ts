/**
 * Executed transactions and their logs as the sandbox stores them, and queries for logs.
 */
export * from "@effect-klaytn/indexer/TransactionRecord"
export type { DroppedTransaction, PendingTransaction } from "@effect-klaytn/local-chain/LocalChain"
