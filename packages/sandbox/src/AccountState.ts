/**
 * The state of accounts on the chain.
 */
export * from "@effect-klaytn/local-chain/AccountState"
