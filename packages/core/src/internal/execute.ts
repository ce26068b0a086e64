/** The loop around the attempts of one call: rate limit, retries, deadline, and what a failure finally means. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import { CurrentDeadline, type Deadline, start as startDeadline } from "../Deadline.js"
import type { Safety } from "../Operation.js"
import { CurrentRetryPolicy, type RetryPolicy } from "../RetryPolicy.js"
import * as ServiceError from "../ServiceError.js"
import * as Telemetry from "../Telemetry.js"
import type { Common, Failure } from "./answer.js"
import type { Call } from "./attempt.js"
import * as attempt from "./attempt.js"
import * as ledgers from "./ledger.js"

const mayRepeat = (failure: Failure, safety: Safety, policy: RetryPolicy): boolean => {
  if (failure.repeatable === "never") return false
  if (failure.repeatable === "by-status" && !policy.statuses.has(failure.facts.status ?? 0)) return false
  return safety !== "once" || failure.certainty === "not-sent"
}

/** The wait before the next attempt, or none if there is to be no other. */
const nextWait = (
  failure: Failure,
  safety: Safety,
  policy: RetryPolicy,
  made: number
): Effect.Effect<Option.Option<number>> => {
  const asked = failure.retryAfterMillis ?? 0
  if (!(made < policy.attempts) || !mayRepeat(failure, safety, policy)) return Effect.succeedNone
  if (asked > Duration.toMillis(policy.maxRetryAfter)) return Effect.succeedNone
  const cap = Math.min(Duration.toMillis(policy.maxDelay), Duration.toMillis(policy.baseDelay) * 2 ** (made - 1))
  return Effect.map(Random.next, (jitter) => Option.some(Math.max(asked, Math.round(jitter * cap))))
}

const common = <A>(call: Call<A>, retrySafe: boolean): Common => ({
  operation: call.operation.name,
  retrySafe,
  attempts: [...call.ledger.attempts]
})

const outcomeUnknown = <A>(call: Call<A>, reason: string, facts: Failure["facts"]): ServiceError.ServiceError =>
  new ServiceError.OutcomeUnknown({ ...common(call, call.operation.safety === "keyed"), ...facts, reason })

/** What a failure means for the call: a change that may have happened is never reported as anything else. */
const conclude = <A>(call: Call<A>, failure: Failure): ServiceError.ServiceError => {
  const safe = call.operation.safety === "safe"
  return !safe && (call.ledger.uncertain || failure.certainty === "uncertain")
    ? outcomeUnknown(call, failure.reason, failure.facts)
    : failure.toError(common(call, true))
}

const wait = <A>(
  call: Call<A>,
  kind: "retry" | "rate-limit",
  millis: number
): Effect.Effect<void> =>
  millis <= 0 ? Effect.void : Effect.sleep(millis).pipe(
    (sleep) => ledgers.booked(call.ledger, kind === "retry" ? "retryWaitsMillis" : "rateLimitMillis", sleep),
    Effect.zipRight(
      Telemetry.waitDuration.pipe(
        Metric.tagged("operation", call.operation.name),
        Metric.tagged("kind", kind),
        Metric.update(millis / 1000)
      )
    )
  )

const place = <A>(call: Call<A>, deadline: Deadline): Effect.Effect<void, ServiceError.ServiceError> =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const place = yield* call.settings.rateLimit.reserve(Math.max(0, deadline.expiresAt - now))
    if (place._tag === "Granted") return yield* wait(call, "rate-limit", place.waitMillis)
    return yield* call.ledger.uncertain && call.operation.safety !== "safe"
      ? outcomeUnknown(call, "the rate limit left no time to repeat it", {})
      : new ServiceError.RateLimited({
        ...common(call, true),
        origin: "client",
        retryAfterMillis: place.waitMillis
      })
  })

const loop = <A>(
  call: Call<A>,
  policy: RetryPolicy,
  deadline: Deadline
): Effect.Effect<A, ServiceError.ServiceError> =>
  Effect.gen(function*() {
    for (let made = 1;; made++) {
      yield* place(call, deadline)
      const result = yield* Effect.either(attempt.run(call, made - 1))
      if (Either.isRight(result)) return result.right
      const failure = result.left
      const now = yield* Clock.currentTimeMillis
      const next = Option.filter(
        yield* nextWait(failure, call.operation.safety, policy, made),
        (millis) => now + millis < deadline.expiresAt
      )
      ledgers.addAttempt(call.ledger, {
        reason: failure.reason,
        status: failure.facts.status,
        waitMillis: Option.getOrElse(next, () => 0)
      })
      if (Option.isNone(next)) return yield* Effect.fail(conclude(call, failure))
      call.ledger.uncertain ||= failure.certainty === "uncertain"
      yield* wait(call, "retry", next.value)
    }
  })

/** The answer to a call whose time ran out, whatever it was doing. */
const expired = <A>(call: Call<A>, deadline: Deadline, now: number): ServiceError.ServiceError => {
  const spent = ledgers.spent(call.ledger, now)
  const underWay = call.ledger.phase?.kind === "attemptsMillis"
  const mayHaveLeft = underWay && call.ledger.attempt.mayHaveLeft
  if (underWay) ledgers.addAttempt(call.ledger, { reason: "deadline", waitMillis: 0 })
  return call.operation.safety !== "safe" && (mayHaveLeft || call.ledger.uncertain)
    ? outcomeUnknown(call, "the deadline passed", {})
    : new ServiceError.TimedOut({ ...common(call, true), limit: "deadline", limitMillis: deadline.limitMillis, spent })
}

/** Both sides can be interrupted even if the caller can't: else the call would last as long as the slower one. */
const bounded = <A>(
  call: Call<A>,
  deadline: Deadline,
  effect: Effect.Effect<A, ServiceError.ServiceError>
): Effect.Effect<A, ServiceError.ServiceError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    now >= deadline.expiresAt
      ? Effect.fail(expired(call, deadline, now))
      : Effect.raceFirst(
        Effect.interruptible(Effect.disconnect(effect)),
        Effect.sleep(deadline.expiresAt - now).pipe(
          Effect.zipRight(Clock.currentTimeMillis),
          Effect.flatMap((end) => Effect.fail(expired(call, deadline, end))),
          Effect.interruptible
        )
      ))

const measured = <A>(
  call: Call<A>,
  effect: Effect.Effect<A, ServiceError.ServiceError>
): Effect.Effect<A, ServiceError.ServiceError> =>
  Effect.gen(function*() {
    const start = yield* Clock.currentTimeMillis
    const result = yield* Effect.either(effect)
    const end = yield* Clock.currentTimeMillis
    yield* Telemetry.operationDuration.pipe(
      Metric.tagged("operation", call.operation.name),
      Metric.tagged("outcome", Either.isRight(result) ? "success" : result.left._tag),
      Metric.update((end - start) / 1000)
    )
    const failed = Either.isLeft(result)
    yield* Effect.annotateCurrentSpan({
      [Telemetry.attributes.attempts]: call.ledger.attempts.length + (failed ? 0 : 1),
      ...(failed ? { [Telemetry.attributes.errorType]: result.left._tag } : {})
    })
    return yield* result
  })

/** Runs one call to its end. */
export const run = <A>(make: () => Call<A>): Effect.Effect<A, ServiceError.ServiceError> =>
  Effect.suspend(() => {
    const call = make()
    return Effect.gen(function*() {
      const policy = Option.getOrElse(yield* CurrentRetryPolicy, () => call.settings.retry)
      const surrounding = yield* CurrentDeadline
      const deadline = Option.isSome(surrounding) ? surrounding.value : yield* startDeadline(call.settings.deadline)
      return yield* bounded(call, deadline, loop(call, policy, deadline))
    }).pipe(
      (effect) => measured(call, effect),
      Effect.withSpan(call.operation.name, {
        captureStackTrace: false,
        attributes: {
          [Telemetry.attributes.operation]: call.operation.name,
          [Telemetry.attributes.chainId]: call.settings.chain
        }
      })
    )
  })
