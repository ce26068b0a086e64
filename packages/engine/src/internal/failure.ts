/** Errors of a database as errors of the engine. */
import * as DatabaseFault from "../DatabaseFault.js"
import { EngineError } from "../EngineError.js"

const doings = { Unreachable: "does not answer", Setup: "could not create its tables", Unusable: "can't be used" }

/** `reason` is that of a fault which passes or is in a statement: one that an operator has to repair is `Unusable`. */
export const toEngineError = (reason: "Unreachable" | "Setup", database: string) => (error: unknown): EngineError => {
  const { advice, code, kind, message } = DatabaseFault.of(error)
  const actual = kind === "Unusable" ? kind : reason
  const detail = [code, message].filter((part) => part !== undefined && part !== "").join(", ")
  return new EngineError({ reason: actual, database, message: `${database} ${doings[actual]} (${detail}). ${advice}` })
}
