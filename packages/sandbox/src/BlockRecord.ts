/**
 * Blocks as the sandbox stores them.
 */
export * from "@effect-klaytn/indexer/BlockRecord"
