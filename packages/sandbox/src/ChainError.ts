/**
 * The errors of the sandbox's chains.
 */
export * from "@effect-klaytn/local-chain/ChainError"
