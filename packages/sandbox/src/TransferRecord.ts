/**
 * Transfers as in the transfer history, queries for them, and presets of queries.
 */
export * from "@effect-klaytn/indexer/TransferRecord"
