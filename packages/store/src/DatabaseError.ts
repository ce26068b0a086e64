/**
 * Why a database could not be opened.
 */
import * as Data from "effect/Data"
import * as DatabaseFault from "./DatabaseFault.js"

/**
 * A database could not be opened. The message says what to do.
 *
 * **Details**
 *
 * - `Configuration`: the address or an option can't be right, or something between this process and Postgres changes the sessions;
 *   nothing was read or written.
 * - `Unreachable`: the database does not answer. It may answer later.
 * - `Unusable`: the database is full or read-only, refuses the user, or there is no such database or schema. That doesn't pass by
 *   itself.
 *
 * Neither the message nor another field holds the password: `database` is the host, port and name, or the file.
 *
 * @category errors
 */
export class DatabaseError extends Data.TaggedError("DatabaseError")<{
  readonly reason: "Configuration" | "Unreachable" | "Unusable"
  readonly database: string
  readonly message: string
}> {}

const texts = { Unreachable: "does not answer", Unusable: "can't be used" }

/**
 * The error of a database that failed while it was opened. `error` is what the driver or `@effect/sql` reported.
 *
 * @category constructors
 */
export const of = (database: string) => (error: unknown): DatabaseError => {
  const fault = DatabaseFault.of(error)
  const reason = fault.kind === "Unusable" || fault.kind === "Session" ? "Unusable" : "Unreachable"
  return new DatabaseError({
    reason,
    database,
    message: `${database} ${texts[reason]} (${DatabaseFault.describe(fault)}). ${fault.advice}`
  })
}
