/** What a failure of a database means: whether to try again, and what to say. */
import * as Duration from "effect/Duration"
import * as Schedule from "effect/Schedule"
import { EngineError } from "../EngineError.js"

const causesOf = (error: unknown): ReadonlyArray<object> => {
  const found: Array<object> = []
  for (let at = error; typeof at === "object" && at !== null && found.length < 8;) {
    found.push(at)
    at = "cause" in at ? at.cause : undefined
  }
  return found
}

/** The code of the database (`23505`, `SQLITE_BUSY`) or of the network (`ECONNREFUSED`) behind an error. */
export const codeOf = (error: unknown): string | undefined => {
  for (const cause of causesOf(error)) if ("code" in cause && typeof cause.code === "string") return cause.code
  return undefined
}

const messageOf = (error: unknown): string => {
  const last = causesOf(error).at(-1)
  return last !== undefined && "message" in last && typeof last.message === "string" ? last.message : String(error)
}

// Connection lost or refused (08, E...), no room (53), server going down (57P), conflict with another transaction (40).
const passing = /^(08|53|57P|40)|^SQLITE_(BUSY|LOCKED|FULL|IOERR)|^E[A-Z]+$/
const lost = /connection|timeout|timed out|not queryable/i

/** Whether the same statement may work a little later: the fault is that of the connection, not of the statement. */
export const isPassing = (error: unknown): boolean => {
  const code = codeOf(error)
  return code === undefined ? lost.test(messageOf(error)) : passing.test(code)
}

/** Waits between two attempts of a statement: 100 ms doubling to 5 s. */
export const pauses = Schedule.exponential("100 millis").pipe(
  Schedule.modifyDelay((_, delay) => Duration.min(delay, "5 seconds"))
)

const advice = (code: string | undefined): string => {
  switch (code) {
    case "28P01":
    case "28000":
      return "Check the user and the password in its address."
    case "3D000":
      return "Create the database first."
    case "42501":
      return "Give the user the right to create tables there, or start once as a user that has it."
    case "SQLITE_CANTOPEN":
      return "Check that the folder exists and that this process may write there."
    case "SQLITE_NOTADB":
      return "It is not a SQLite database: name another file."
    default:
      if (code !== undefined && /^\d/.test(code)) return "See the log of the database."
      return "Check that it is running and can be reached from this machine."
  }
}

export const toEngineError = (reason: "Unreachable" | "Setup", database: string) => (error: unknown): EngineError => {
  const code = codeOf(error)
  const doing = reason === "Setup" ? "could not create its tables" : "does not answer"
  const detail = [code, messageOf(error)].filter((part) => part !== undefined && part !== "").join(", ")
  return new EngineError({ reason, database, message: `${database} ${doing} (${detail}). ${advice(code)}` })
}
