/** What a failure of a store means: whether waiting helps, and what to do if not. */
import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
import * as Effect from "effect/Effect"
import { SinkError } from "../Sink.js"

const advice: ReadonlyArray<readonly [codes: RegExp, text: string]> = [
  [/^(?:53100|53400|SQLITE_FULL|ENOSPC|EDQUOT)$/, "there is no room left; make room there and run the export again"],
  [/^(?:SQLITE_READONLY\w*|EROFS)$/, "only reading is possible there; name a store that can be written to"],
  [/^28/, "the database refuses this user; check the user and the password, in its address or in PGPASSWORD"],
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
  const fault = DatabaseFault.of(error)
  const words = DatabaseFault.describe(fault)
  if (DatabaseFault.isPassing(error)) {
    return new SinkError({ reason: "unavailable", problem: `the store does not answer (${words})` })
  }
  const [, text] = advice.find(([codes]) => fault.code !== undefined && codes.test(fault.code)) ?? []
  return new SinkError({
    reason: "io",
    problem: text === undefined
      ? `the store failed (${words})${fault.code === undefined && fault.kind === "Unusable" ? `. ${fault.advice}` : ""}`
      : `${text} (${words})`
  })
}

/** Turns a failure of the store into the error of its sink. */
export const io = <A, E extends { readonly _tag: string }, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, SinkError, R> =>
  Effect.mapError(effect, (error) => error instanceof SinkError ? error : sinkError(error))
