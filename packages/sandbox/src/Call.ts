/**
 * Runs code without a transaction.
 */
export * from "@effect-klaytn/local-chain/Call"
