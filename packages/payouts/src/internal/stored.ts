/** What this package stores as JSON, read in a way that fails in words: a newer program may have written it. */
import * as StoredJson from "@effect-klaytn/store/StoredJson"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import type * as Schema from "effect/Schema"

/** A form of version 1. */
export const json = <A, I>(name: string, fields: Schema.Schema<A, I>): Schema.Schema<A, string> =>
  StoredJson.schema({ name, version: 1, fields })

/** Why a value can't be read, in words. */
const problemOf = (cause: unknown): string => {
  if (!ParseResult.isParseError(cause)) return cause instanceof Error ? cause.message : "unknown cause"
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(cause)
  return issue === undefined ? cause.message : issue.message
}

/** The failure of a row, or of another place, that this program can't read. */
const unreadable = (place: string, cause: unknown): SqlError => {
  const message = `${place} can't be read: ${problemOf(cause)}`
  return new SqlError({ cause: new Error(message), message })
}

/** Reads what is stored in a place. */
export const read = <A>(place: string, decode: () => A): Effect.Effect<A, SqlError> =>
  Effect.try({ try: decode, catch: (cause) => unreadable(place, cause) })
