/**
 * Why an engine could not start, or does not answer.
 */
import * as Data from "effect/Data"

/**
 * The database of an engine, or an option, is wrong. The message says what to do.
 *
 * **Details**
 *
 * - `Configuration`: the address of the database or an option can't be right; nothing was opened.
 * - `Unreachable`: the database does not answer. It may answer later.
 * - `Unusable`: the database is full or read-only, refuses the user, or has no such database or schema. That doesn't pass by
 *   itself; the message says what to do.
 * - `Setup`: the tables could not be created.
 * - `Newer`: a newer program has upgraded the tables; nothing was written. The message names both versions and what to install.
 * - `Locked`: another process runs workflows on this SQLite file.
 *
 * Neither the message nor another field holds the password: `database` is the host, port and name, or the file.
 *
 * @category errors
 */
export class EngineError extends Data.TaggedError("EngineError")<{
  readonly reason: "Configuration" | "Unreachable" | "Unusable" | "Setup" | "Newer" | "Locked"
  readonly database: string
  readonly message: string
}> {}
