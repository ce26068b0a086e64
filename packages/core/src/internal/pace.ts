/** How long to wait before a retry, by the policy alone. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type * as Schedule from "effect/Schedule"
import * as ScheduleDecision from "effect/ScheduleDecision"
import * as ScheduleIntervals from "effect/ScheduleIntervals"
import type { FailedAttempt, RetryPolicy } from "../RetryPolicy.js"

/** The wait in milliseconds; `None` if there should be no further attempt. */
export type Pace = (failed: FailedAttempt) => Effect.Effect<Option.Option<number>>

const jittered = ({ baseDelay, maxDelay }: RetryPolicy): Pace => ({ made }) => {
  const cap = Math.min(Duration.toMillis(maxDelay), Duration.toMillis(baseDelay) * 2 ** (made - 1))
  return Effect.map(Random.next, (jitter) => Option.some(Math.round(jitter * cap)))
}

const scheduled = (schedule: Schedule.Schedule<unknown, FailedAttempt>): Pace => {
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

/** Makes the pace of one call: a schedule starts afresh with each call. */
export const make = (policy: RetryPolicy): Pace =>
  policy.schedule === undefined ? jittered(policy) : scheduled(policy.schedule)
