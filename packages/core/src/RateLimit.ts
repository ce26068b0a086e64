/**
 * Pacing of the calls of a client, so that the service's own limit is not run into.
 *
 * **Details**
 *
 * A limit lets `limit` calls through at once and from then on `limit` in each `interval`, evenly spaced. Each attempt
 * takes one place, retries included. A call whose place is further away than `maxWait` is refused at once, without
 * taking the place: it fails as `RateLimited` with `origin: "client"`. The service documents no limits; the default is
 * no pacing at all.
 *
 * Share one value between clients to share the limit.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"

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

/**
 * A limit in the memory of this process. `maxWait` is 10 seconds unless given. A `limit` below 1 counts as 1.
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
}): Effect.Effect<RateLimit> =>
  Effect.map(Ref.make(Number.NEGATIVE_INFINITY), (nextFree) => {
    const limit = Math.max(1, Math.floor(options.limit))
    const interval = Duration.toMillis(options.interval)
    const spacing = interval / limit
    const burst = interval - spacing
    const maxWait = Duration.toMillis(options.maxWait ?? "10 seconds")
    return {
      reserve: (atMostMillis) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Ref.modify(nextFree, (free): [Place, number] => {
            const place = Math.max(free, now - burst)
            // Less than a hundredth of a millisecond is the rounding of fractions, not a wait.
            const waitMillis = Math.max(0, Math.ceil(place - now - 0.01))
            return waitMillis > Math.min(atMostMillis, maxWait)
              ? [{ _tag: "Refused", waitMillis }, free]
              : [{ _tag: "Granted", waitMillis }, place + spacing]
          }))
    }
  })
