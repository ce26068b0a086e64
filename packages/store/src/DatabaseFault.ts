/**
 * Classifies an error of a database: whether it passes by itself, and what to do.
 *
 * **When to use**
 *
 * To decide whether to repeat a failed statement, and what to report to an operator. All packages that store rows use this table.
 */
import * as Predicate from "effect/Predicate"

/**
 * A classified error.
 *
 * **Details**
 *
 * - `Passing`: the connection was lost or refused, the server restarts, or another transaction was in the way. The same
 *   statement may succeed later.
 * - `Session`: the sessions lead to a server that is not the primary any more. The same statement may succeed on a new session;
 *   `Database` throws the old ones away.
 * - `Unusable`: the database is full, refuses the user, or there is no such database or schema. Repeating the
 *   statement doesn't help until the advice was followed.
 * - `Statement`: the statement itself is wrong, such as a violated constraint or an unknown table. The program has to change.
 *
 * @category models
 */
export interface DatabaseFault {
  readonly kind: "Passing" | "Session" | "Unusable" | "Statement"
  /** The code of Postgres (`53100`), of SQLite (`SQLITE_FULL`) or of the network (`ECONNREFUSED`), if there is one. */
  readonly code: string | undefined
  /** The message of the database or its driver. It may name tables and columns; drivers put no password in it. */
  readonly message: string
  /** What to do, in one sentence. */
  readonly advice: string
}

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

type Entry = readonly [pattern: RegExp, kind: DatabaseFault["kind"], advice: string]

const writableFolder = "Check that the folder exists and that this process may write there."
const reachable = "Check that it is running and can be reached from this machine."
const password = "Check the user and the password, in its address or in PGPASSWORD."
const noPassword =
  "The server asks for a password, and none was given: set PGPASSWORD, or put the user's password into the address, in the environment."
const ownSession = "Connect to Postgres itself: a pooler between does not keep the settings of sessions."

/** By code, the first that fits. */
const codes: ReadonlyArray<Entry> = [
  [/^28/, "Unusable", password],
  [/^(3D000|57P04)$/, "Unusable", "Create the database, or correct its name in the address."],
  [/^3F000$/, "Unusable", "Create the schema, or correct the search_path of the user."],
  [
    /^42501$/,
    "Unusable",
    "Give the user the rights that are missing; creating the tables needs the right to create tables."
  ],
  [/^(53100|53400|ENOSPC|EDQUOT|SQLITE_FULL)$/, "Unusable", "Free space on its disk, or raise the limit."],
  [/^(EMFILE|ENFILE)$/, "Unusable", "Raise the limit of open files of this process."],
  [/^25006$/, "Session", "It is read-only: connect to the primary server, or end the read-only mode."],
  [/^(SQLITE_READONLY|EROFS$)/, "Unusable", "Make the file, and the folder that it is in, writable for this process."],
  [/^(SQLITE_(CANTOPEN|PERM|AUTH)|EACCES$|EPERM$)/, "Unusable", writableFolder],
  [/^(ENOENT|ENOTDIR|EISDIR)$/, "Unusable", writableFolder],
  [/^SQLITE_NOTADB$/, "Unusable", "It is not a SQLite database: name another file."],
  [
    /^SQLITE_CORRUPT/,
    "Unusable",
    "The file is damaged, or does not belong to the FILE-wal beside it: restore a backup, or put both back as they were copied together."
  ],
  [
    /^WAL_MISSING$/,
    "Unusable",
    "Put the FILE-wal back that was beside it, or restore a backup. To go on without what is in it: sqlite3 FILE 'PRAGMA journal_mode = DELETE'."
  ],
  [
    /^WAL_FOREIGN$/,
    "Unusable",
    "FILE was closed in order and needs none: move FILE-wal and FILE-shm away if FILE was put back from a copy, or put the FILE of that FILE-wal back."
  ],
  [/^WAL_ALONE$/, "Unusable", "Put FILE back, to which it belongs, or move FILE-wal and FILE-shm away."],
  [/^XX00[12]$/, "Unusable", "The database is damaged: restore it from a backup."],
  [/^(SQLITE_IOERR|58030$|EIO$)/, "Unusable", "The disk reports an error: see the log of the system."],
  [/CERT|SELF_SIGNED|^ERR_(TLS|SSL)|^EPROTO$/, "Unusable", "Check its certificate, and sslmode in its address."],
  [/^55P03$/, "Passing", "Another session keeps the table: pg_locks says which; end it by pg_terminate_backend."],
  // Connections, also ended for being idle; no room (53); a cancelled statement; a server that ends; conflicts (40); locks.
  [
    /^(08|53|57014$|57P|25P0[34]$|40(?!002))|^SQLITE_(BUSY|LOCKED)|^E(CONN|PIPE|TIMEDOUT|HOST|NET|AI_AGAIN|NOTFOUND|ADDR)/,
    "Passing",
    reachable
  ]
]

/** By message, where the driver gives no code, or one that says too little. */
const messages: ReadonlyArray<Entry> = [
  [/unsupported startup parameter/i, "Unusable", ownSession],
  [/does not support SSL connections/i, "Unusable", "Check sslmode in its address: the server has no TLS."],
  [/unable to open (connection to local )?database/i, "Unusable", writableFolder],
  [/client password must be/i, "Unusable", noPassword],
  [/^SASL:/i, "Unusable", password],
  [/connection|timeout|timed out|not queryable/i, "Passing", reachable]
]

/**
 * Classifies an error: a `SqlError`, one that has a `SqlError` as its cause, or what a driver threw.
 *
 * @example
 * ```ts
 * import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
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
  const given = messageOf(error)
  // libsql puts the number 14 of SQLite behind the path, and gives no code.
  const cantOpen = /unable to open (?:connection to local )?database\b.*\b14\b/is.test(given)
  const code = codeOf(error) ?? (cantOpen ? "SQLITE_CANTOPEN" : undefined)
  const message = cantOpen ? "unable to open the file" : given
  const found = code === undefined || code === "08P01"
    ? messages.find(([pattern]) => pattern.test(message))
    : codes.find(([pattern]) => pattern.test(code))
  const [, kind, advice] = found ?? [undefined, "Statement", "See the log of the database."] as const
  return { kind, code, message, advice }
}

/**
 * Whether the same statement may succeed later by itself: {@link of} returns `Passing` or `Session`.
 *
 * @category guards
 */
export const isPassing = (error: unknown): boolean => {
  const { kind } = of(error)
  return kind === "Passing" || kind === "Session"
}

/**
 * Whether a statement gave up its wait for the lock of another transaction or process.
 *
 * @category guards
 */
export const isLocked = (error: unknown): boolean => /^(55P03|40P01|SQLITE_BUSY)/.test(codeOf(error) ?? "")

/**
 * The code and the message of a fault.
 *
 * @category formatting
 */
export const describe = ({ code, message }: DatabaseFault): string =>
  [code, message].filter((part) => Predicate.isNotUndefined(part) && part !== "").join(", ")
