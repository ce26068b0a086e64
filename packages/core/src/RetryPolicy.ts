/**
 * When and how often a failed attempt is repeated. A policy is plain data and can hold an Effect `Schedule`.
 *
 * **Details**
 *
 * Whether a call *may* be repeated is a property of the operation (see `Operation.Safety`), never of the policy: `safe`
 * and `keyed` calls are repeated, a `once` call only if it is proven that nothing was sent. The policy says how often
 * and how long to wait. The wait before retry `n` is drawn uniformly between `0` and `min(maxDelay, baseDelay *
 * 2^(n-1))` (full jitter). The wait is never shorter than the service's Retry-After; a Retry-After longer than
 * `maxRetryAfter` ends the call instead, and so does a wait that would outlast the deadline.
 *
 * **Gotchas**
 *
 * `Stream.retry` or `Effect.retry` around a paged stream would restart it and repeat items. Retries belong inside a
 * page, which is where this policy applies.
 *
 * **Example** (one call without any retry)
 *
 * ```ts
 * import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
 * import * as Effect from "effect/Effect"
 *
 * declare const call: Effect.Effect<string>
 *
 * export const once = call.pipe(RetryPolicy.withRetryPolicy(RetryPolicy.none))
 * ```
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { dual } from "effect/Function"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Input from "./Input.js"
import type { InvalidInput } from "./ServiceError.js"

/**
 * The last failed attempt, as the input of a schedule.
 *
 * @category models
 */
export interface FailedAttempt {
  /** As in `Attempt.reason`: `HTTP 503`, `timeout`, the network's code, ... */
  readonly reason: string
  readonly status: number | undefined
  /** The service's own code. */
  readonly code: number | undefined
  readonly retryAfterMillis: number | undefined
  /** Attempts made so far, this one included. */
  readonly made: number
}

/**
 * A retry policy. The configuration and every call check the policy that they are given, see {@link check}.
 *
 * @category models
 */
export interface RetryPolicy {
  /** Attempts in all, the first included; at least 1. */
  readonly attempts: number
  /** Upper bound of the wait before the first retry; it doubles with each further retry. */
  readonly baseDelay: Duration.DurationInput
  /** Upper bound of any backoff. */
  readonly maxDelay: Duration.DurationInput
  /** With a longer Retry-After the call fails instead of waiting, and the error carries it. */
  readonly maxRetryAfter: Duration.DurationInput
  /** HTTP statuses after which an attempt is repeated. Network failures and attempt timeouts always count. */
  readonly statuses: ReadonlySet<number>
  /**
   * Attempts in all that may end with an HTTP status, if those are fewer than `attempts`: a request of many calls that is refused
   * again is better sent in parts, see `BatchLimits`.
   */
  readonly statusAttempts?: number | undefined
  /** Decides how often and when to retry, in place of `baseDelay` and `maxDelay`. */
  readonly schedule?: Schedule.Schedule<unknown, FailedAttempt> | undefined
}

/**
 * The default: 4 attempts, 200 ms doubling up to 5 s with full jitter, Retry-After up to 60 s, after
 * 408, 425, 429, 500, 502, 503 and 504. The service documents no rate limits, so these are this SDK's choice.
 *
 * @category constructors
 */
export const defaultPolicy: RetryPolicy = {
  attempts: 4,
  baseDelay: Duration.millis(200),
  maxDelay: Duration.seconds(5),
  maxRetryAfter: Duration.seconds(60),
  statuses: new Set([408, 425, 429, 500, 502, 503, 504])
}

/** A duration, or what can't be one as it is, for {@link check} to refuse. */
const decoded = (input: Duration.DurationInput): Duration.DurationInput =>
  Option.getOrElse(Input.readDuration(input), () => input)

const Time = Input.duration("expected a duration such as \"200 millis\"")

const Policy = Schema.Struct({
  attempts: Input.CountOrInfinity,
  baseDelay: Time,
  maxDelay: Time,
  maxRetryAfter: Time,
  statuses: Schema.ReadonlySetFromSelf(Input.wholeNumber("expected an HTTP status, from 100 to 599", 100, 599)),
  statusAttempts: Schema.optional(Input.CountOrInfinity),
  schedule: Schema.optional(Schema.Unknown)
})

/** Policies that were found to be valid: calls share one. */
const valid = new WeakSet<RetryPolicy>()

/**
 * Checks a policy: `attempts` and `statusAttempts` are whole numbers of at least 1 or `Infinity`, the delays are
 * durations, and the statuses are from 100 to 599. Anything else is an `InvalidInput` of `operation`, whose path begins
 * with `retry`.
 *
 * @category guards
 */
export const check = (operation: string, policy: RetryPolicy): Either.Either<RetryPolicy, InvalidInput> =>
  valid.has(policy)
    ? Either.right(policy)
    : Either.map(Input.decodeEither(operation, Policy, ["retry"])(policy), () => {
      valid.add(policy)
      return policy
    })

/**
 * Makes a policy from {@link defaultPolicy} and some overrides. An option outside its range is refused where the policy
 * is used, see {@link check}.
 *
 * **Details**
 *
 * A `schedule` of `effect/Schedule` replaces `baseDelay` and `maxDelay`, starts afresh with each call, and gets each
 * failed attempt as its input. It also decides how often: `attempts` is then a bound only if it is set. The rest still
 * applies: what may be repeated at all, Retry-After as the minimum wait, and the deadline. Calls that a node throttles
 * inside a batch still wait by `baseDelay` and `maxDelay`.
 *
 * **Example** (every second, five times at most)
 *
 * ```ts
 * import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
 * import * as Schedule from "effect/Schedule"
 *
 * export const steady = RetryPolicy.make({
 *   schedule: Schedule.spaced("1 second").pipe(Schedule.intersect(Schedule.recurs(5)))
 * })
 * ```
 *
 * @category constructors
 */
export const make = (options?: {
  readonly attempts?: number | undefined
  readonly baseDelay?: Duration.DurationInput | undefined
  readonly maxDelay?: Duration.DurationInput | undefined
  readonly maxRetryAfter?: Duration.DurationInput | undefined
  readonly statuses?: Iterable<number> | undefined
  readonly schedule?: Schedule.Schedule<unknown, FailedAttempt> | undefined
}): RetryPolicy => ({
  attempts: options?.attempts ?? (options?.schedule ? Number.POSITIVE_INFINITY : defaultPolicy.attempts),
  baseDelay: decoded(options?.baseDelay ?? defaultPolicy.baseDelay),
  maxDelay: decoded(options?.maxDelay ?? defaultPolicy.maxDelay),
  maxRetryAfter: decoded(options?.maxRetryAfter ?? defaultPolicy.maxRetryAfter),
  statuses: new Set(options?.statuses ?? defaultPolicy.statuses),
  ...(options?.schedule === undefined ? {} : { schedule: options.schedule })
})

/**
 * A policy of one attempt: no retries.
 *
 * @category constructors
 */
export const none: RetryPolicy = make({ attempts: 1 })

/**
 * The wait in milliseconds after attempt number `made`, by `baseDelay` and `maxDelay` alone, with full jitter.
 *
 * @category accessors
 */
export const delay = ({ baseDelay, maxDelay }: RetryPolicy, made: number): Effect.Effect<number> => {
  const most = Math.min(Duration.toMillis(maxDelay), Duration.toMillis(baseDelay) * 2 ** Math.min(made - 1, 1000))
  return Effect.map(Random.next, (jitter) => Math.round(jitter * most))
}

/**
 * The policy in effect; `None` for that of the `ClientConfig`.
 *
 * @category references
 */
export class CurrentRetryPolicy extends Context.Reference<CurrentRetryPolicy>()(
  "@effect-klaytn/core/CurrentRetryPolicy",
  { defaultValue: (): Option.Option<RetryPolicy> => Option.none() }
) {}

/**
 * Uses a policy for every call inside an effect. With one that {@link check} refuses, the calls fail as `InvalidInput`.
 *
 * @category combinators
 */
export const withRetryPolicy: {
  (policy: RetryPolicy): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  <A, E, R>(self: Effect.Effect<A, E, R>, policy: RetryPolicy): Effect.Effect<A, E, R>
} = dual(
  2,
  <A, E, R>(self: Effect.Effect<A, E, R>, policy: RetryPolicy): Effect.Effect<A, E, R> =>
    Effect.provideService(self, CurrentRetryPolicy, Option.some(policy))
)

/**
 * Uses a policy for every page of a stream. With one that {@link check} refuses, the pages fail as `InvalidInput`.
 *
 * @category combinators
 */
export const withStreamRetryPolicy: {
  (policy: RetryPolicy): <A, E, R>(self: Stream.Stream<A, E, R>) => Stream.Stream<A, E, R>
  <A, E, R>(self: Stream.Stream<A, E, R>, policy: RetryPolicy): Stream.Stream<A, E, R>
} = dual(
  2,
  <A, E, R>(self: Stream.Stream<A, E, R>, policy: RetryPolicy): Stream.Stream<A, E, R> =>
    Stream.provideService(self, CurrentRetryPolicy, Option.some(policy))
)
