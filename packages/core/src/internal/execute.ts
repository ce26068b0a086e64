/** The loop around the attempts of one call: rate limit, retries, deadline, and the final error. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import * as Deadlines from "../Deadline.js"
import type { Safety } from "../Operation.js"
import * as RateLimit from "../RateLimit.js"
import { CurrentRetryPolicy, type RetryPolicy } from "../RetryPolicy.js"
import * as ServiceError from "../ServiceError.js"
import * as Telemetry from "../Telemetry.js"
import type { Common, Failure } from "./answer.js"
import type { Call } from "./attempt.js"
import * as attempt from "./attempt.js"
import * as ledgers from "./ledger.js"
import * as measure from "./measure.js"
import * as paces from "./pace.js"
import { traced } from "./tracing.js"
import { within } from "./within.js"

const mayRepeat = (failure: Failure, safety: Safety, policy: RetryPolicy): boolean => {
  if (failure.repeatable === "never") return false
  if (failure.repeatable === "by-status" && !policy.statuses.has(failure.facts.status ?? 0)) return false
  return safety !== "once" || failure.certainty === "not-sent"
}

/** The retry policy of a call, with the state of its schedule. */
interface Retries {
  readonly policy: RetryPolicy
  readonly pace: paces.Pace
}

/** The wait before the next attempt, or `None` if there should be no further one. */
const nextWait = (
  failure: Failure,
  safety: Safety,
  { pace, policy }: Retries,
  made: number
): Effect.Effect<Option.Option<number>> => {
  const { facts, reason, retryAfterMillis } = failure
  const asked = retryAfterMillis ?? 0
  if (!(made < policy.attempts) || !mayRepeat(failure, safety, policy)) return Effect.succeedNone
  if (asked > Duration.toMillis(policy.maxRetryAfter)) return Effect.succeedNone
  return Effect.map(
    pace({ reason, status: facts.status, code: facts.code, retryAfterMillis, made }),
    Option.map((wanted) => Math.max(asked, wanted))
  )
}

const common = <A>(call: Call<A>, retrySafe: boolean): Common => ({
  operation: call.operation.name,
  retrySafe,
  attempts: [...call.ledger.attempts]
})

const outcomeUnknown = <A>(call: Call<A>, reason: string, facts: Failure["facts"]): ServiceError.ServiceError =>
  new ServiceError.OutcomeUnknown({ ...common(call, call.operation.safety === "keyed"), ...facts, reason })

/** The error of a call whose last attempt failed. A change that may have happened is always `OutcomeUnknown`. */
const conclude = <A>(call: Call<A>, failure: Failure): ServiceError.ServiceError => {
  const safe = call.operation.safety === "safe"
  return !safe && (call.ledger.uncertain || failure.certainty === "uncertain")
    ? outcomeUnknown(call, failure.reason, failure.facts)
    : failure.toError(common(call, true))
}

/** The error of a call whose deadline passed, whatever it was doing. */
const expired = <A>(call: Call<A>, deadline: Deadlines.Deadline, now: number): ServiceError.ServiceError => {
  const spent = ledgers.spent(call.ledger, now)
  const underWay = call.ledger.phase?.kind === "attemptsMillis"
  const mayHaveLeft = underWay && call.ledger.attempt.mayHaveLeft
  if (underWay) ledgers.addAttempt(call.ledger, { reason: "deadline", waitMillis: 0 })
  return call.operation.safety !== "safe" && (mayHaveLeft || call.ledger.uncertain)
    ? outcomeUnknown(call, "the deadline passed", {})
    : new ServiceError.TimedOut({ ...common(call, true), limit: "deadline", limitMillis: deadline.limitMillis, spent })
}

const wait = <A>(
  call: Call<A>,
  kind: "retry" | "rate-limit",
  millis: number
): Effect.Effect<void> =>
  millis <= 0 ? Effect.void : Effect.clockWith((clock) => {
    const phase = kind === "retry" ? "retryWaitsMillis" : "rateLimitMillis"
    ledgers.begin(call.ledger, phase, Deadlines.now(clock))
    return Effect.flatMap(clock.sleep(Duration.millis(millis)), () =>
      Effect.withFiberRuntime((fiber) => {
        ledgers.end(call.ledger, Deadlines.now(clock))
        measure.of(call.endpoint).wait(fiber, call.operation.name, kind, millis)
        return Effect.void
      }))
  })

const reserved = <A>(call: Call<A>, left: number): Effect.Effect<void, ServiceError.ServiceError> =>
  Effect.flatMap(call.settings.rateLimit.reserve(left), (place) => {
    if (place._tag === "Granted") return wait(call, "rate-limit", place.waitMillis)
    return Effect.fail(
      call.ledger.uncertain && call.operation.safety !== "safe"
        ? outcomeUnknown(call, "the rate limit left no time to repeat it", {})
        : new ServiceError.RateLimited({
          ...common(call, true),
          origin: "client",
          retryAfterMillis: place.waitMillis
        })
    )
  })

/** Asks a rate limit or a schedule within the deadline: they may be the caller's code and answer late or never. */
const inTime = <A, E>(
  deadline: Deadlines.Deadline,
  ask: (left: number) => Effect.Effect<A, E>,
  late: (now: number) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.clockWith((clock) => {
    const left = Math.max(0, deadline.expiresAt - Deadlines.now(clock))
    return within(ask(left), left, () => late(Deadlines.now(clock)))
  })

/** Continues after a failed attempt: with another one, or with the error of the call. */
const afterFailure = <A>(
  call: Call<A>,
  retries: Retries,
  deadline: Deadlines.Deadline,
  made: number,
  failure: Failure
): Effect.Effect<A, ServiceError.ServiceError> =>
  Effect.clockWith((clock) => {
    const wanted = inTime(
      deadline,
      () => nextWait(failure, call.operation.safety, retries, made),
      () => Effect.succeedNone
    )
    return Effect.flatMap(wanted, (wanted) => {
      const now = Deadlines.now(clock)
      const next = Option.filter(wanted, (millis) => now + millis < deadline.expiresAt)
      ledgers.addAttempt(call.ledger, {
        reason: failure.reason,
        status: failure.facts.status,
        waitMillis: Option.getOrElse(next, () => 0)
      })
      if (Option.isNone(next)) return Effect.fail(conclude(call, failure))
      call.ledger.uncertain ||= failure.certainty === "uncertain"
      return Effect.zipRight(wait(call, "retry", next.value), attemptsFrom(call, retries, deadline, made + 1))
    })
  })

const attemptsFrom = <A>(
  call: Call<A>,
  retries: Retries,
  deadline: Deadlines.Deadline,
  number: number
): Effect.Effect<A, ServiceError.ServiceError> => {
  const one = Effect.catchAll(
    attempt.run(call, number - 1, deadline, (now) => expired(call, deadline, now)),
    (failed) =>
      failed instanceof attempt.Expired
        ? Effect.fail(failed.error)
        : afterFailure(call, retries, deadline, number, failed)
  )
  if (call.settings.rateLimit === RateLimit.unlimited) return one
  const place = inTime(
    deadline,
    (left) => reserved(call, left),
    (now) => Effect.fail(expired(call, deadline, now))
  )
  return Effect.zipRight(place, one)
}

const measured = <A>(
  call: Call<A>,
  span: Tracer.Span | undefined,
  fiber: Fiber.RuntimeFiber<unknown, unknown>,
  clock: Clock.Clock,
  effect: Effect.Effect<A, ServiceError.ServiceError>
): Effect.Effect<A, ServiceError.ServiceError> => {
  const start = Deadlines.now(clock)
  const end = (failure: string | undefined): void => {
    span?.attribute(Telemetry.attributes.attempts, call.ledger.attempts.length + (failure === undefined ? 1 : 0))
    if (failure !== undefined) span?.attribute(Telemetry.attributes.errorType, failure)
    measure.of(call.endpoint).operation(fiber, call.operation.name, failure ?? "success", Deadlines.now(clock) - start)
  }
  return Effect.matchEffect(effect, {
    onFailure: (error) => {
      end(error._tag)
      return Effect.fail(error)
    },
    onSuccess: (value) => {
      end(undefined)
      return Effect.succeed(value)
    }
  })
}

/**
 * Runs one call. It is on the hot path of every call, so it reads the fiber's state directly rather than by effects.
 */
export const run = <A>(make: () => Call<A>): Effect.Effect<A, ServiceError.ServiceError> =>
  Effect.withFiberRuntime((fiber) => {
    const clock = Context.get(fiber.currentDefaultServices, Clock.Clock)
    const call = make()
    const policy = Option.getOrElse(Context.get(fiber.currentContext, CurrentRetryPolicy), () => call.settings.retry)
    const deadline = Option.getOrElse(Context.get(fiber.currentContext, Deadlines.CurrentDeadline), () => {
      const limitMillis = Duration.toMillis(call.settings.deadline)
      return { expiresAt: Deadlines.now(clock) + limitMillis, limitMillis }
    })
    return traced(
      fiber,
      call.operation.name,
      () => ({
        attributes: {
          [Telemetry.attributes.operation]: call.operation.name,
          [Telemetry.attributes.chainId]: call.settings.chain
        }
      }),
      (span) =>
        measured(call, span, fiber, clock, attemptsFrom(call, { policy, pace: paces.make(policy) }, deadline, 1))
    )
  })
