/**
 * Client-side rate limiting, to stay below the service's own limit.
 *
 * **Details**
 *
 * A limit allows at most `limit` calls in any window of length `interval`. The first `limit` calls may start at once;
 * after that, a call may start when `interval` has passed since the call `limit` places before it. Each attempt takes
 * one place, retries included. A call that would have to wait longer than `maxWait` is refused at once, without taking
 * a place: it fails as `RateLimited` with `origin: "client"`. A call that is given up while it waits gives its place back, and calls
 * whose waits all end at once, since the process stood still or waited for a credential, leave as the limit allows. The service documents no limits; by default there is none
 * here either.
 *
 * To share a limit between clients, give them the same value.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Deadline from "./Deadline.js"
import * as Input from "./Input.js"
import type { InvalidInput } from "./ServiceError.js"

/**
 * The result of reserving a place: go after `waitMillis`, or refused because the wait would have been longer than
 * allowed.
 *
 * @category models
 */
export type Reservation =
  | { readonly _tag: "Granted"; readonly waitMillis: number }
  | { readonly _tag: "Refused"; readonly waitMillis: number }

/**
 * A rate limit. `reserve` takes the next place, unless the wait for it would exceed `atMostMillis` or the limit's own
 * `maxWait`; it does not wait itself. Implement it to share a limit between processes.
 *
 * @category models
 */
export interface RateLimit {
  readonly reserve: (atMostMillis: number) => Effect.Effect<Reservation>
  /**
   * Is run right before a request leaves, when the wait for a place is over and the credential is there: how many milliseconds it still
   * has to wait, and 0 once it may leave. A process that stood still, or that waited for a credential, sends no more at once for that.
   * Default: it may leave.
   */
  readonly begin?: Effect.Effect<number> | undefined
  /** Gives a place back that would have come in so many milliseconds: its call was given up. Default: the place is lost. */
  readonly giveBack?: ((inMillis: number) => Effect.Effect<void>) | undefined
}

/**
 * No limit at all.
 *
 * @category constructors
 */
export const unlimited: RateLimit = { reserve: () => Effect.succeed({ _tag: "Granted", waitMillis: 0 }) }

const readOptions = Input.decode(
  "RateLimit.make",
  Schema.Struct({
    limit: Input.wholeNumber("expected a whole number above 0", 1),
    interval: Input.duration(
      "expected a finite duration above 0",
      (interval) => Duration.isFinite(interval) && Duration.toMillis(interval) > 0
    ),
    maxWait: Schema.optional(Input.duration("expected a duration"))
  })
)

/**
 * Makes a limit in the memory of this process. `maxWait` is 10 seconds by default. Fails as `InvalidInput` for a
 * `limit` that is not a whole number above 0, and for an `interval` that is not a finite duration above 0.
 *
 * **Example** (100 calls a second, shared by two clients)
 *
 * ```ts
 * import * as RateLimit from "@effect-klaytn/core/RateLimit"
 *
 * export const shared = RateLimit.make({ limit: 100, interval: "1 second" })
 * ```
 *
 * @category constructors
 */
export const make = (options: {
  readonly limit: number
  readonly interval: Duration.DurationInput
  readonly maxWait?: Duration.DurationInput | undefined
}): Effect.Effect<RateLimit, InvalidInput> =>
  Effect.map(readOptions(options), ({ limit, maxWait = Duration.seconds(10), ...read }) => {
    const interval = Duration.toMillis(read.interval)
    // The times of the last `limit` places, as a ring: once it is full, the oldest is at `oldest`.
    const places: Array<number> = []
    let oldest = 0
    // The same of the calls that have left.
    const starts: Array<{ at: number }> = []
    let oldestStart = 0
    // The times of places that were given back, in ascending order. No place that is still to be taken comes before them.
    const free: Array<number> = []
    const begin = (now: () => number): number => {
      const start = { at: now() }
      if (starts.length < limit) starts.push(start)
      else {
        const left = (starts[oldestStart]?.at ?? 0) + interval - start.at
        if (left > 0) return Math.ceil(left)
        starts[oldestStart] = start
        oldestStart = (oldestStart + 1) % limit
      }
      // What hands the request over runs first, which may take milliseconds: it has left by then, not before.
      queueMicrotask(() => start.at = now())
      return 0
    }
    const reserve = (now: number, atMostMillis: number): Reservation => {
      while ((free[0] ?? now) < now) free.shift()
      const [again] = free
      if (again !== undefined && again - now <= atMostMillis) {
        free.shift()
        return { _tag: "Granted", waitMillis: Math.ceil(again - now) }
      }
      const next = places.length < limit ? now : (places[oldest] ?? now) + interval
      const waitMillis = Math.max(0, Math.ceil(next - now))
      if (waitMillis > Math.min(atMostMillis, Duration.toMillis(maxWait))) return { _tag: "Refused", waitMillis }
      if (places.length < limit) places.push(now)
      else {
        places[oldest] = now + waitMillis
        oldest = (oldest + 1) % limit
      }
      return { _tag: "Granted", waitMillis }
    }
    return {
      reserve: (atMostMillis) => Effect.map(Effect.clock, (clock) => reserve(Deadline.now(clock), atMostMillis)),
      // With its fractions, which a time in whole milliseconds would give away.
      begin: Effect.map(Effect.clock, (clock) => begin(() => Number(clock.unsafeCurrentTimeNanos()) / 1e6)),
      giveBack: (inMillis) =>
        Effect.map(Effect.clock, (clock) => {
          const time = Deadline.now(clock) + inMillis
          const at = free.findIndex((one) => one > time)
          free.splice(at < 0 ? free.length : at, 0, time)
        })
    }
  })
