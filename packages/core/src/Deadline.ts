/**
 * A time limit for everything a call does: attempts, waits before retries, waits at the rate limit, and the pages of a
 * stream.
 *
 * **Details**
 *
 * Every call has the deadline of its `ClientConfig` (30 seconds by default). A deadline around part of a program
 * replaces it and limits all calls inside together; of two nested deadlines the earlier one wins. When it passes, the
 * call fails as `TimedOut`, which says where the time went. A call that changes something and may already have been
 * sent fails as `OutcomeUnknown`.
 *
 * **Example** (all pages of an export in ten minutes)
 *
 * ```ts
 * import * as Deadline from "@effect-klaytn/core/Deadline"
 * import * as Stream from "effect/Stream"
 *
 * declare const transfers: Stream.Stream<string>
 *
 * export const bounded = transfers.pipe(Deadline.withStreamDeadline("10 minutes"))
 * ```
 */
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { dual } from "effect/Function"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Input from "./Input.js"
import { InvalidInput } from "./ServiceError.js"

/**
 * The monotonic time of a clock, in milliseconds: adjustments of the system clock don't affect it. Durations are
 * measured with it, and {@link Deadline} is based on it; it is not a time of day.
 *
 * @category accessors
 */
export const now = (clock: Clock.Clock): number => Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)

/**
 * A deadline: when it expires, on the scale of {@link now}, and the limit it was set with.
 *
 * @category models
 */
export interface Deadline {
  readonly expiresAt: number
  readonly limitMillis: number
}

/**
 * The deadline in effect; `None` if each call has that of its `ClientConfig`.
 *
 * @category references
 */
export class CurrentDeadline extends Context.Reference<CurrentDeadline>()(
  "@effect-klaytn/core/CurrentDeadline",
  { defaultValue: (): Option.Option<Deadline> => Option.none() }
) {}

const earlier = (current: Option.Option<Deadline>, next: Deadline): Deadline =>
  Option.match(current, {
    onNone: () => next,
    onSome: (outer) => outer.expiresAt <= next.expiresAt || Number.isNaN(outer.limitMillis) ? outer : next
  })

/**
 * The deadline of a call that starts now and may take `limit`, or the surrounding deadline if that is earlier. A limit
 * that is not a duration makes a deadline of `NaN`, with which every call is refused, see {@link check}.
 *
 * @category constructors
 */
export const start = (limit: Duration.DurationInput): Effect.Effect<Deadline> =>
  Effect.gen(function*() {
    const clock = yield* Effect.clock
    const current = yield* CurrentDeadline
    const limitMillis = Option.match(Input.readDuration(limit), {
      onNone: () => Number.NaN,
      onSome: Duration.toMillis
    })
    return earlier(current, { expiresAt: now(clock) + limitMillis, limitMillis })
  })

/**
 * The milliseconds until the surrounding deadline, 0 or less once it has passed; `Infinity` without one.
 *
 * @category accessors
 */
export const left: Effect.Effect<number> = Effect.zipWith(
  CurrentDeadline,
  Effect.clock,
  (current, clock) =>
    Option.match(current, { onNone: () => Infinity, onSome: ({ expiresAt }) => expiresAt - now(clock) })
)

/**
 * Checks a deadline. One that was made with a limit that is not a duration is an `InvalidInput` of `operation`.
 *
 * @category guards
 */
export const check = (operation: string, deadline: Deadline): Either.Either<Deadline, InvalidInput> =>
  Number.isNaN(deadline.limitMillis) || Number.isNaN(deadline.expiresAt)
    ? Either.left(InvalidInput.at(operation, ["deadline"], "expected a duration such as \"10 seconds\""))
    : Either.right(deadline)

/**
 * Sets one deadline for all calls inside an effect. With a limit that is not a duration, the calls fail as
 * `InvalidInput`.
 *
 * @category combinators
 */
export const withDeadline: {
  (limit: Duration.DurationInput): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  <A, E, R>(self: Effect.Effect<A, E, R>, limit: Duration.DurationInput): Effect.Effect<A, E, R>
} = dual(
  2,
  <A, E, R>(self: Effect.Effect<A, E, R>, limit: Duration.DurationInput) =>
    Effect.provideServiceEffect(self, CurrentDeadline, Effect.asSome(start(limit)))
)

/**
 * Sets one deadline for all pages of a stream, counted from the first pull. The consumer's own time counts too. With a
 * limit that is not a duration, the pages fail as `InvalidInput`.
 *
 * @category combinators
 */
export const withStreamDeadline: {
  (limit: Duration.DurationInput): <A, E, R>(self: Stream.Stream<A, E, R>) => Stream.Stream<A, E, R>
  <A, E, R>(self: Stream.Stream<A, E, R>, limit: Duration.DurationInput): Stream.Stream<A, E, R>
} = dual(
  2,
  <A, E, R>(self: Stream.Stream<A, E, R>, limit: Duration.DurationInput) =>
    Stream.provideServiceEffect(self, CurrentDeadline, Effect.asSome(start(limit)))
)
