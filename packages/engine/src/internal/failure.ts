/** Errors of the engine. */
import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
import { EngineError } from "../EngineError.js"

const faultTexts = { Unreachable: "does not answer", Setup: "could not create its tables", Unusable: "can't be used" }

/** `reason` is for a fault that passes, or is in a statement. A fault that an operator has to repair is `Unusable`. */
export const toEngineError = (reason: "Unreachable" | "Setup", database: string) => (error: unknown): EngineError => {
  const fault = DatabaseFault.of(error)
  const actual = fault.kind === "Unusable" || fault.kind === "Session" ? "Unusable" : reason
  const message = `${database} ${faultTexts[actual]} (${DatabaseFault.describe(fault)}). ${fault.advice}`
  return new EngineError({ reason: actual, database, message })
}

/** An address or an option that can't be right. */
export const misconfigured = (database: string, message: string): EngineError =>
  new EngineError({ reason: "Configuration", database, message })
