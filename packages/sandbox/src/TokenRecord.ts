/**
 * Token contracts, tokens and holdings, kept up to date by every block, and queries for them.
 */
export * from "@effect-klaytn/indexer/TokenRecord"
