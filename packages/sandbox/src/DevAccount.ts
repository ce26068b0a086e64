/**
 * Accounts with private keys that the sandbox holds.
 */
export * from "@effect-klaytn/local-chain/DevAccount"
