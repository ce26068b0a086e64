/**
 * All of the engine, one namespace per module.
 */
export * as Database from "./Database.js"
export * as Engine from "./Engine.js"
export * as EngineError from "./EngineError.js"
export * as TransactionalActivity from "./TransactionalActivity.js"
