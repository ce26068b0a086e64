/**
 * All modules of the package by name. Prefer to import the module you need, such as
 * `@effect-klaytn/local-chain/LocalChain`.
 */
export * as AccountRecord from "./AccountRecord.js"
export * as AccountState from "./AccountState.js"
export * as Call from "./Call.js"
export * as ChainError from "./ChainError.js"
export * as ChainStorage from "./ChainStorage.js"
export * as DevAccount from "./DevAccount.js"
export * as Deviation from "./Deviation.js"
export * as Execution from "./Execution.js"
export * as LocalChain from "./LocalChain.js"
export * as SendRequest from "./SendRequest.js"
export * as Trace from "./Trace.js"
