/** Whether and when a failed attempt is repeated. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schedule from "effect/Schedule"
import * as ScheduleDecision from "effect/ScheduleDecision"
import * as ScheduleIntervals from "effect/ScheduleIntervals"
import type { Safety } from "../../Operation.js"
import { delay, type FailedAttempt, type RetryPolicy } from "../../RetryPolicy.js"
import type { AttemptFailed } from "./answer.js"

/** The wait that a schedule asks for; `None` if it is done. */
const scheduled = (
  schedule: Schedule.Schedule<unknown, FailedAttempt>
): (failed: FailedAttempt) => Effect.Effect<Option.Option<number>> => {
  let state: unknown = schedule.initial
  return (failed) =>
    Clock.currentTimeMillis.pipe(
      Effect.flatMap((now) =>
        Effect.map(schedule.step(now, failed, state), ([next, _, decision]) => {
          state = next
          return ScheduleDecision.isDone(decision)
            ? Option.none()
            : Option.some(Math.max(0, ScheduleIntervals.start(decision.intervals) - now))
        })
      ),
      // The schedule is the caller's code. If it dies there is no retry, and the call ends as its last attempt did.
      Effect.catchAllDefect(() => Effect.succeedNone)
    )
}

const mayRepeat = (failure: AttemptFailed, made: number, safety: Safety, policy: RetryPolicy): boolean => {
  const { statusAttempts = policy.attempts, statuses } = policy
  if (failure.repeatable === "never") return false
  if (failure.repeatable === "by-status" && (made >= statusAttempts || !statuses.has(failure.facts?.status ?? 0))) {
    return false
  }
  return safety !== "once" || failure.certainty === "not-sent"
}

/**
 * Makes the function that decides about the retries of one call: a schedule starts afresh with each call. It returns the
 * wait before the next attempt in milliseconds, or `None` for no retry.
 */
export const make = (policy: RetryPolicy, safety: Safety) => {
  const { schedule } = policy
  const wanted = schedule === undefined
    ? ({ made }: FailedAttempt) => Effect.asSome(delay(policy, made))
    : scheduled(schedule)
  return (failure: AttemptFailed, made: number): Effect.Effect<Option.Option<number>> => {
    const { facts: { code, status } = {}, message: reason, retryAfterMillis } = failure
    const asked = retryAfterMillis ?? 0
    const mayGoOn = made < policy.attempts && mayRepeat(failure, made, safety, policy) &&
      asked <= Duration.toMillis(policy.maxRetryAfter)
    return mayGoOn
      ? Effect.map(
        wanted({ reason, status, code, retryAfterMillis, made }),
        Option.map((millis) => Math.max(asked, millis))
      )
      : Effect.succeedNone
  }
}
