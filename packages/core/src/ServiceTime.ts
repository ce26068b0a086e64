/**
 * The time of a service, from the `Date` header of its answers: a machine whose clock is wrong can still say what the
 * service calls now.
 *
 * **Details**
 *
 * Every answer, also a refusal, is told to the {@link Observer} of the fiber that makes the call, if it has
 * one. {@link make} makes an observer that keeps the last reading, {@link agreed} one that believes no single answer that is far
 * from this machine's time. A sandbox whose chain has a clock of its own says the
 * time of that chain in the header `x-sandbox-time`, which counts in place of `Date`: its time is not real, so that a
 * difference from it is no fault of anybody's clock.
 *
 * **Example**
 *
 * ```ts
 * import * as ServiceTime from "@effect-klaytn/core/ServiceTime"
 * import * as Effect from "effect/Effect"
 *
 * export const withOffset = <A, E, R>(call: Effect.Effect<A, E, R>) =>
 *   Effect.suspend(() => {
 *     const time = ServiceTime.make()
 *     return Effect.map(ServiceTime.observed(time)(call), (result) => ({ result, reading: time.reading() }))
 *   })
 * ```
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * The header in which a sandbox whose chain has a clock of its own says the chain's time, in Unix seconds.
 *
 * @category constants
 */
export const sandboxHeader = "x-sandbox-time"

/**
 * A clock that differs by more seconds than this from the service's is wrong: a range that ends now means another time to
 * the service.
 *
 * @category constants
 */
export const maxSkewSeconds = 60

/**
 * What an answer says of the service's time.
 *
 * @category models
 */
export interface Reading {
  /** How far the service's clock is ahead of this machine's, in milliseconds; below 0 if it is behind. */
  readonly offsetMillis: number
  /** `false` if the time is that of a sandbox with a clock of its own. */
  readonly isReal: boolean
}

/**
 * Is told of every answer of a service that says a time. By default there is none, and no time is read.
 *
 * @category services
 */
export class Observer extends Context.Reference<Observer>()("@effect-klaytn/core/ServiceTime/Observer", {
  defaultValue: (): ((reading: Reading) => void) | undefined => undefined
}) {}

/**
 * The last reading of a service.
 *
 * @category models
 */
export interface ServiceTime {
  readonly observe: (reading: Reading) => void
  /** The last reading; `undefined` until an answer has said a time. */
  readonly reading: () => Reading | undefined
}

/**
 * Makes an observer that keeps the last reading.
 *
 * @category constructors
 */
export const make = (): ServiceTime => {
  let last: Reading | undefined
  return {
    observe: (reading) => {
      last = reading
    },
    reading: () => last
  }
}

/**
 * What several answers say of a service's time. `isAgreed` is `false` while the last answer stands alone: far from this machine's
 * time, and from the answer before it.
 *
 * @category models
 */
export interface Agreed extends ServiceTime {
  readonly isAgreed: () => boolean
}

/** Two answers that differ by no more than this, in milliseconds, say the same time. */
const sameMillis = 5000

/**
 * Whether two answers say the same time, within 5 seconds.
 *
 * @category accessors
 */
export const isSame = (one: Reading, other: Reading): boolean =>
  Math.abs(one.offsetMillis - other.offsetMillis) < sameMillis

/**
 * Makes an observer that believes no single answer that is far from this machine's time: one answer may come from a proxy whose
 * clock is wrong. Its reading is the last one that is at most {@link maxSkewSeconds} from this machine's time, or that the answer
 * before it agrees with, or that of a sandbox.
 *
 * @category constructors
 */
export const agreed = (): Agreed => {
  let last: Reading | undefined
  let believed: Reading | undefined
  return {
    observe: (reading) => {
      const isConfirmed = last !== undefined && isSame(last, reading)
      if (isConfirmed || !reading.isReal || skewSeconds(reading) === undefined) believed = reading
      last = reading
    },
    reading: () => believed,
    isAgreed: () => last === believed
  }
}

/**
 * Tells an observer of all answers that an effect gets.
 *
 * @category combinators
 */
export const observed = ({ observe }: Pick<ServiceTime, "observe">) => <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.provideService(self, Observer, observe)

/**
 * The service's time in milliseconds since 1970, by the last reading; this machine's before there is one.
 *
 * @category accessors
 */
export const now = ({ reading }: Pick<ServiceTime, "reading">): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (millis) => millis + (reading()?.offsetMillis ?? 0))

/**
 * How many seconds the service's clock is ahead of this machine's, if that is more than {@link maxSkewSeconds} either way and
 * the service's time is real.
 *
 * @category accessors
 */
export const skewSeconds = (reading: Reading | undefined): number | undefined => {
  const { isReal = false, offsetMillis = 0 } = reading ?? {}
  return isReal && Math.abs(offsetMillis) > maxSkewSeconds * 1000 ? Math.round(offsetMillis / 1000) : undefined
}

/**
 * Reads the headers of an answer that arrived at a time of this machine's clock, in milliseconds. `undefined` if they say no
 * time, or if a cache has kept the answer.
 *
 * @category constructors
 */
export const read = (headers: Readonly<Record<string, string | undefined>>, at: number): Reading | undefined => {
  const own = headers[sandboxHeader]
  if (own !== undefined && /^\d{1,12}$/.test(own)) return { offsetMillis: Number(own) * 1000 - at, isReal: false }
  const { age, date } = headers
  const time = date === undefined || age !== undefined ? Number.NaN : Date.parse(date)
  // A date has whole seconds: on average it is half a second later than it says.
  return Number.isNaN(time) ? undefined : { offsetMillis: time + 500 - at, isReal: true }
}

/**
 * A difference in words, such as `this machine's clock is 600 s ahead of the service's`.
 *
 * @category conversions
 */
export const describeSkew = (seconds: number, other = "the service"): string =>
  `this machine's clock is ${Math.abs(seconds)} s ${seconds < 0 ? "ahead of" : "behind"} ${other}'s`
