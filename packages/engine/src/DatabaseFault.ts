/**
 * Classifies an error of a database: whether to wait for the database, and what to do.
 *
 * **When to use**
 *
 * To decide whether to repeat a failed statement, and what to report to an operator. The engine and the packages on top
 * of it all use this module.
 */

/**
 * A classified error.
 *
 * **Details**
 *
 * - `Passing`: the connection was lost or refused, the server restarts, or another transaction was in the way. The same
 *   statement may succeed later.
 * - `Unusable`: the database is full or read-only, refuses the user, or has no such database or schema. Repeating the
 *   statement doesn't help until the advice was followed.
 * - `Statement`: the statement itself is wrong, such as a violated constraint or an unknown table. The program has to change.
 *
 * @category models
 */
export interface DatabaseFault {
  readonly kind: "Passing" | "Unusable" | "Statement"
  /** The code of Postgres (`53100`), of SQLite (`SQLITE_FULL`) or of the network (`ECONNREFUSED`), if there is one. */
  readonly code: string | undefined
  /** The message of the database or its driver. It may name tables and columns; drivers put no password in it. */
  readonly message: string
  /** What to do, in one sentence. */
  readonly advice: string
}

const writableFolder = "Check that the folder exists and that this process may write there."

const causesOf = (error: unknown): ReadonlyArray<object> => {
  const found: Array<object> = []
  for (let at = error; typeof at === "object" && at !== null && found.length < 8;) {
    found.push(at)
    at = "cause" in at ? at.cause : undefined
  }
  return found
}

const codeOf = (error: unknown): string | undefined =>
  causesOf(error)
    .map((cause) => "code" in cause ? cause.code : undefined)
    .find((code): code is string => typeof code === "string" && code !== "")

const messageOf = (error: unknown): string => {
  const last = causesOf(error).at(-1)
  return last !== undefined && "message" in last && typeof last.message === "string" ? last.message : String(error)
}

/** The faults that an operator has to repair, with what to do. Checked before the passing ones. */
const unusable: ReadonlyArray<readonly [RegExp, string]> = [
  [/^28/, "Check the user and the password in its address."],
  [/^(3D000|57P04)$/, "Create the database, or correct its name in the address."],
  [/^3F000$/, "Create the schema, or correct the search_path of the user."],
  [/^42501$/, "Give the user the rights that are missing; creating the tables needs the right to create tables."],
  [/^(53100|53400|ENOSPC|EDQUOT|SQLITE_FULL)$/, "Free space on its disk, or raise the limit."],
  [/^25006$/, "It is read-only: connect to the primary server, or end the read-only mode."],
  [/^(SQLITE_READONLY|EROFS$)/, "Make the file, and the folder that it is in, writable for this process."],
  [/^(SQLITE_(CANTOPEN|PERM|AUTH)|EACCES$|EPERM$)/, writableFolder],
  [/^SQLITE_NOTADB$/, "It is not a SQLite database: name another file."],
  [/^(SQLITE_CORRUPT|XX00[12]$)/, "The database is damaged: restore it from a backup."],
  [/^(SQLITE_IOERR|58030$|EIO$)/, "The disk reports an error: see the log of the system."],
  [/CERT|SELF_SIGNED|^ERR_(TLS|SSL)|^EPROTO$/, "Check its certificate, and sslmode in its address."]
]

/** Faults for which drivers give no code. */
const unusableMessages: ReadonlyArray<readonly [RegExp, string]> = [
  [/does not support SSL connections/i, "Check sslmode in its address: the server has no TLS."],
  [/unable to open (connection to local )?database/i, writableFolder],
  [/^SASL:|client password must be/i, "Check the user and the password in its address."]
]

/** Connection lost or refused (08, E...), no room (53), statement cancelled (57014), server going down (57P), conflict (40). */
const passing = /^(08|53|57014$|57P|40(?!002)|55P03$)|^SQLITE_(BUSY|LOCKED)|^E[A-Z_]+$/
const passingMessage = /connection|timeout|timed out|not queryable/i

const reachable = "Check that it is running and can be reached from this machine."

/**
 * Classifies an error: a `SqlError`, one that has a `SqlError` as its cause, or what a driver threw.
 *
 * @example
 * ```ts
 * import * as DatabaseFault from "@effect-klaytn/engine/DatabaseFault"
 * import { SqlError } from "@effect/sql/SqlError"
 *
 * const full = new SqlError({ cause: { code: "SQLITE_FULL", message: "database or disk is full" } })
 * const { advice, kind } = DatabaseFault.of(full)
 * console.log(kind, advice) // Unusable Free space on its disk, or raise the limit.
 * ```
 *
 * @category constructors
 */
export const of = (error: unknown): DatabaseFault => {
  const code = codeOf(error)
  const message = messageOf(error)
  const [known, text] = code === undefined ? [unusableMessages, message] : [unusable, code]
  const found = known.find(([pattern]) => pattern.test(text))
  if (found !== undefined) return { kind: "Unusable", code, message, advice: found[1] }
  const passes = code === undefined ? passingMessage.test(message) : passing.test(code)
  if (passes) return { kind: "Passing", code, message, advice: reachable }
  return { kind: "Statement", code, message, advice: "See the log of the database." }
}

/**
 * Whether the same statement may succeed later by itself: {@link of} returns `Passing`.
 *
 * @category guards
 */
export const isPassing = (error: unknown): boolean => of(error).kind === "Passing"
