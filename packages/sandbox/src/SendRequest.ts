/**
 * Transactions that the sandbox signs itself, for accounts whose keys it has.
 */
export * from "@effect-klaytn/local-chain/SendRequest"
