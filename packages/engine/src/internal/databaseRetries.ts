/** Waits for a database: what is repeated, what is logged, and when waiting ends. */
import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
import * as DatabaseLog from "@effect-klaytn/store/DatabaseLog"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"

import { EngineError } from "../EngineError.js"
import { toEngineError } from "./failure.js"

export interface Options {
  /** The database by name. */
  readonly database: string
  /** How long it may be unreachable. */
  readonly limit: Duration.Duration
  /** Whether to go on waiting after the fault was reported: a runner that gave up would end its workflows with a defect. */
  readonly endures: boolean
}

export type DatabaseRetries = Effect.Effect.Success<ReturnType<typeof make>>

/** Waits between two attempts: 100 ms doubling to 5 s. */
const pauses = Schedule.exponential("100 millis").pipe(
  Schedule.modifyDelay((_, delay) => Duration.min(delay, "5 seconds"))
)

/** The fault if a database does not answer or can't be used. Undefined for other failures, such as a wrong statement. */
const faultOf = (error: unknown): DatabaseFault.DatabaseFault | undefined => {
  if (!Predicate.isTagged(error, "SqlError") && !Predicate.isTagged(error, "PersistenceError")) return undefined
  const fault = DatabaseFault.of(error)
  return fault.kind === "Statement" ? undefined : fault
}

export const make = ({ database, endures, limit }: Options) =>
  Effect.gen(function*() {
    const failed = yield* Deferred.make<never, EngineError>()
    /** Since when no statement has succeeded, if the last one failed. */
    let awaySince: number | undefined
    const report = (error: unknown): Effect.Effect<void> =>
      Effect.gen(function*() {
        const fault = faultOf(error)
        if (fault === undefined) return
        const now = yield* Clock.currentTimeMillis
        awaySince ??= now
        if (fault.kind === "Unusable") {
          const failure = toEngineError("Unreachable", database)(error)
          yield* DatabaseLog.failure(failure.message, error)
          yield* Deferred.fail(failed, failure)
          return
        }
        const away = Duration.millis(now - awaySince)
        const detail = DatabaseFault.describe(fault)
        yield* DatabaseLog.waiting(
          `A statement on ${database} failed (${detail}); trying again. None has succeeded for ${Duration.format(away)}`
        )
        if (Duration.lessThan(away, limit)) return
        const message = `${database} has not answered for ${Duration.format(away)} (${detail}). ${fault.advice}`
        yield* Deferred.fail(failed, new EngineError({ reason: "Unreachable", database, message }))
      })

    const waits = (error: unknown): boolean => {
      const fault = faultOf(error)
      return fault !== undefined && (endures || fault.kind !== "Unusable")
    }
    const schedule = endures ? pauses : Schedule.intersect(pauses, Schedule.recurUpTo(limit))
    return {
      untilDatabaseAnswers: <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        effect.pipe(
          Effect.tapBoth({
            onSuccess: () => Effect.sync(() => void (awaySince = undefined)),
            onFailure: report
          }),
          Effect.retry({ while: waits, schedule })
        ),
      /** Fails once an operator has to act. */
      failure: Deferred.await(failed)
    }
  })
