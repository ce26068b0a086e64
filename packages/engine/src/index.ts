/**
 * All of the engine, one namespace per module.
 *
 * @since 0.1.0
 */
export * as Committed from "./Committed.js"
export * as Database from "./Database.js"
export * as DatabaseFault from "./DatabaseFault.js"
export * as Engine from "./Engine.js"
export * as EngineError from "./EngineError.js"
