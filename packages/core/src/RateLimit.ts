/**
 * Pacing of the calls of a client, so that the service's own limit is not run into.
 *
 * **Details**
 *
 * A limit lets `limit` calls through in any stretch of time as long as `interval`: as many at once if none went before,
 * and from then on one as soon as the interval since the one `limit` places before it is over. Each attempt takes one
 * place, retries included. A call whose place is further away than `maxWait` is refused at once, without
 * taking the place: it fails as `RateLimited` with `origin: "client"`. The service documents no limits; the default is
 * no pacing at all.
 *
 * Share one value between clients to share the limit.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Deadline from "./Deadline.js"
import { InvalidInput } from "./ServiceError.js"

/**
 * The answer to one request for a place: go after `waitMillis`, or refused because it would have been longer than
 * allowed.
 *
 * @since 0.1.0
 * @category models
 */
export type Place =
  | { readonly _tag: "Granted"; readonly waitMillis: number }
  | { readonly _tag: "Refused"; readonly waitMillis: number }

/**
 * A source of places. `reserve` takes the next place, unless it is further away than `atMostMillis` or than the
 * limit's own `maxWait`; it does not wait itself. Implement it to share a limit between processes.
 *
 * @since 0.1.0
 * @category models
 */
export interface RateLimit {
  readonly reserve: (atMostMillis: number) => Effect.Effect<Place>
}

/**
 * No pacing.
 *
 * @since 0.1.0
 * @category constructors
 */
export const unlimited: RateLimit = { reserve: () => Effect.succeed({ _tag: "Granted", waitMillis: 0 }) }

const refused = (path: string, problem: string): InvalidInput =>
  new InvalidInput({ operation: "RateLimit.make", retrySafe: true, attempts: [], path: [path], problem })

/** Why a limit can't be kept. */
const problemOf = (limit: number, interval: number, maxWait: number): InvalidInput | undefined => {
  if (!Number.isSafeInteger(limit) || limit < 1) return refused("limit", "expected a whole number of calls, 1 or more")
  if (!(interval > 0) || interval === Number.POSITIVE_INFINITY) {
    return refused("interval", "expected a length of time above 0, and one that ends")
  }
  return maxWait >= 0 ? undefined : refused("maxWait", "expected a length of time")
}

/**
 * A limit in the memory of this process. `maxWait` is 10 seconds unless given. Fails as `InvalidInput` for a `limit` that
 * is not a whole number above 0, and for an `interval` that is not a length of time above 0.
 *
 * **Example** (100 calls a second, shared by two clients)
 *
 * ```ts
 * import * as RateLimit from "@effect-klaytn/core/RateLimit"
 *
 * export const shared = RateLimit.make({ limit: 100, interval: "1 second" })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: {
  readonly limit: number
  readonly interval: Duration.DurationInput
  readonly maxWait?: Duration.DurationInput | undefined
}): Effect.Effect<RateLimit, InvalidInput> =>
  Effect.suspend(() => {
    const { limit } = options
    const interval = Option.getOrElse(Option.map(Duration.decodeUnknown(options.interval), Duration.toMillis), () => 0)
    const maxWait = Option.getOrElse(
      Option.map(Duration.decodeUnknown(options.maxWait ?? "10 seconds"), Duration.toMillis),
      () => Number.NaN
    )
    const problem = problemOf(limit, interval, maxWait)
    if (problem !== undefined) return Effect.fail(problem)
    // When each of the last `limit` places was, the oldest at `oldest` once there are as many.
    const places: Array<number> = []
    let oldest = 0
    const reserve = (now: number, atMostMillis: number): Place => {
      const free = places.length < limit ? now : (places[oldest] ?? now) + interval
      const waitMillis = Math.max(0, Math.ceil(free - now))
      if (waitMillis > Math.min(atMostMillis, maxWait)) return { _tag: "Refused", waitMillis }
      if (places.length < limit) places.push(now)
      else {
        places[oldest] = now + waitMillis
        oldest = (oldest + 1) % limit
      }
      return { _tag: "Granted", waitMillis }
    }
    return Effect.succeed({
      reserve: (atMostMillis) => Effect.map(Effect.clock, (clock) => reserve(Deadline.now(clock), atMostMillis))
    })
  })
