/** What a failure of a store means: whether waiting helps, and what to do if not. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { SinkError } from "../Sink.js"

const causesOf = (error: unknown): ReadonlyArray<{ readonly [key: string]: unknown }> => {
  const found: Array<{ readonly [key: string]: unknown }> = []
  for (let at = error; Predicate.isReadonlyRecord(at) && found.length < 8; at = at["cause"]) found.push(at)
  return found
}

/** The code of the database (`53100`, `SQLITE_FULL`) or of the system (`ENOSPC`, `ECONNREFUSED`) behind an error. */
const codeOf = (error: unknown): string | undefined =>
  causesOf(error).map((cause) => cause["code"]).find(Predicate.isString)

const messageOf = (error: unknown): string => {
  const message = causesOf(error).at(-1)?.["message"]
  return typeof message === "string" ? message : String(error)
}

/**
 * Codes that waiting helps with: a connection that was lost or refused, a server that starts, stops or has no connection
 * left, a conflict with another transaction, a lock, a statement that was cancelled. The driver cancels the statement of
 * an interrupted fiber by its connection, and the request may reach the connection's next statement.
 */
const passing =
  /^(?:08|57P0|57014$|40|53300$|53400$|55P03$)|^SQLITE_(?:BUSY|LOCKED)|^E(?:CONN|PIPE|TIMEDOUT|HOST|NET|AI_AGAIN|NOTFOUND)/
const lost = /connection|timeout|timed out|not queryable/i

const isPassing = (error: unknown): boolean => {
  const code = codeOf(error)
  return code === undefined ? lost.test(messageOf(error)) : passing.test(code)
}

/** Whether a statement gave up its wait for the lock of another process. */
export const isLocked = (error: unknown): boolean => /^(?:55P03|SQLITE_BUSY)/.test(codeOf(error) ?? "")

const advice: ReadonlyArray<readonly [codes: RegExp, text: string]> = [
  [/^(?:53100|SQLITE_FULL|ENOSPC|EDQUOT)$/, "there is no room left; make room there and run the export again"],
  [/^(?:25006|SQLITE_READONLY\w*|EROFS)$/, "only reading is possible there; name a store that can be written to"],
  [/^28/, "the database refuses this user; check the user and the password in its address"],
  [/^3D000$/, "the database does not exist; create it first"],
  [/^(?:3F000|42P01|42703|SQLITE_CORRUPT|SQLITE_NOTADB)$/, "its tables are not those of an export; use another store"],
  [/^(?:42501|EACCES|EPERM|SQLITE_CANTOPEN|SQLITE_PERM)$/, "this process may not write there; give it the right to"],
  [/^(?:EMFILE|ENFILE)$/, "this process has too many open files; raise the limit or lower concurrency"]
]

/**
 * The error of a sink for a failure of its store, `unavailable` if waiting helps. It holds the driver's own words, which name
 * parts of the schema and no values.
 */
export const sinkError = (error: unknown): SinkError => {
  const code = codeOf(error)
  const words = [code, messageOf(error)].filter((part) => part !== undefined && part !== "").join(", ")
  if (isPassing(error)) return new SinkError({ reason: "unavailable", problem: `the store does not answer (${words})` })
  const [, text] = advice.find(([codes]) => code !== undefined && codes.test(code)) ?? []
  return new SinkError({
    reason: "io",
    problem: text === undefined ? `the store failed (${words})` : `${text} (${words})`
  })
}

/** Turns a failure of the store into the error of its sink. */
export const io = <A, E extends { readonly _tag: string }, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, SinkError, R> =>
  Effect.mapError(effect, (error) => error instanceof SinkError ? error : sinkError(error))
