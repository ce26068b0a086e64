/** Failures of the database. */
import type { Engine } from "@effect-klaytn/engine/Engine"
import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { DatabaseFailed } from "../PayoutError.js"

const isSqlError = (error: unknown): error is SqlError => Predicate.isTagged(error, "SqlError")

/** Turns a failed commit, which `@effect/sql` makes a defect, back into a failure. */
const sqlDefects = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
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

/** Waits for the database as the engine does, since the state must be written before anything else happens. */
export const untilStored =
  (untilDatabaseAnswers: Engine["Type"]["untilDatabaseAnswers"]) =>
  <A, E, R>(effect: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, Exclude<E, SqlError>, R> =>
    // The only SqlError that is left is a wrong statement: a mistake of this program.
    Effect.catchIf(untilDatabaseAnswers(sqlDefects(effect)), isSqlError, Effect.die)
