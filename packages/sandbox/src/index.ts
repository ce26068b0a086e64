/**
 * Everything of the sandbox, one namespace for each module.
 *
 * @since 0.1.0
 */
export * as AccountState from "./AccountState.js"
export * as BlockRecord from "./BlockRecord.js"
export * as Call from "./Call.js"
export * as Chain from "./Chain.js"
export * as ChainError from "./ChainError.js"
export * as DevAccount from "./DevAccount.js"
export * as Engine from "./Engine.js"
export * as Generator from "./Generator.js"
export * as LogQuery from "./LogQuery.js"
export * as PresetRecord from "./PresetRecord.js"
export * as Scenario from "./Scenario.js"
export * as SendRequest from "./SendRequest.js"
export * as Token from "./Token.js"
export * as TokenQuery from "./TokenQuery.js"
export * as TokenRecord from "./TokenRecord.js"
export * as TransactionRecord from "./TransactionRecord.js"
export * as TransferRecord from "./TransferRecord.js"
