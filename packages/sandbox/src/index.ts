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
export * as Control from "./Control.js"
export * as ControlApi from "./ControlApi.js"
export * as ControlClient from "./ControlClient.js"
export * as ControlError from "./ControlError.js"
export * as ControlInput from "./ControlInput.js"
export * as ControlView from "./ControlView.js"
export * as DevAccount from "./DevAccount.js"
export * as Engine from "./Engine.js"
export * as Fault from "./Fault.js"
export * as Generator from "./Generator.js"
export * as RequestRecord from "./RequestRecord.js"
export * as Sandbox from "./Sandbox.js"
export * as SandboxError from "./SandboxError.js"
export * as Scenario from "./Scenario.js"
export * as SendRequest from "./SendRequest.js"
export * as Token from "./Token.js"
export * as TokenRecord from "./TokenRecord.js"
export * as TransactionRecord from "./TransactionRecord.js"
export * as TransferRecord from "./TransferRecord.js"
