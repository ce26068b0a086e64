/**
 * Accounts whose private keys the sandbox holds.
 */
export * from "@effect-klaytn/local-chain/DevAccount"
