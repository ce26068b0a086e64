/** Failures of the database. */
import * as DatabaseFault from "@effect-klaytn/engine/DatabaseFault"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { DatabaseFailed } from "../PayoutError.js"

export const isSqlError = (error: unknown): error is SqlError => Predicate.isTagged(error, "SqlError")

/** Turns a failed commit, which `@effect/sql` makes a defect, back into a failure. */
export const sqlDefects = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
  Effect.catchSomeDefect(
    effect,
    (defect) => isSqlError(defect) ? Option.some(Effect.fail(defect)) : Option.none()
  )

/** The failure that callers see: what the database said, and what to do if waiting does not help. */
export const orFailed = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError, R>
): Effect.Effect<A, Exclude<E, SqlError> | DatabaseFailed, R> =>
  Effect.catchIf(sqlDefects(effect), isSqlError, (error) => {
    const { advice, kind, message } = DatabaseFault.of(error)
    return new DatabaseFailed({ kind, problem: `${message}. ${advice}` })
  })
