/**
 * Unix time as the service uses it: whole seconds since 1970.
 */
import * as Brand from "effect/Brand"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { parser } from "./internal/values/encoding.js"

/**
 * Whole seconds since 1970-01-01T00:00:00Z, never negative. From the service's API document.
 *
 * @category models
 */
export type UnixTime = number & Brand.Brand<"@effect-klaytn/core/UnixTime">

// The last second that a `Date` can represent.
const latest = 8_640_000_000_000

/**
 * Unix seconds as a JSON number.
 *
 * Numbers above 8640000000000, the last second that a `Date` can represent, are refused. Present-day milliseconds are
 * below that and so are not recognised as a mistake: convert them with {@link fromMillis}.
 *
 * @category schemas
 */
export const UnixTime: Schema.Schema<UnixTime, number> = Schema.Number.pipe(
  Schema.filter((seconds): seconds is UnixTime => Number.isInteger(seconds) && seconds >= 0 && seconds <= latest, {
    identifier: "UnixTime",
    description: "Unix time in whole seconds",
    message: () => "expected Unix time in whole seconds, from 0 to 8640000000000",
    arbitrary: () => (fc) => fc.integer({ min: 0, max: latest }).map(trusted)
  })
)

/**
 * Unix seconds as decimal digits, the form of a query parameter.
 *
 * @category schemas
 */
export const FromString: Schema.Schema<UnixTime, string> = Schema.transform(
  Schema.String.pipe(Schema.pattern(/^(?:0|[1-9][0-9]{0,12})$/, {
    message: () => "expected Unix time as decimal digits"
  })),
  UnixTime,
  { strict: true, decode: Number, encode: String }
).annotations({ identifier: "UnixTimeFromString" })

/**
 * Checks whether a value is Unix time in whole seconds.
 *
 * @category guards
 */
export const is: (value: unknown) => value is UnixTime = Schema.is(UnixTime)

/**
 * Makes a time from whole seconds. A fraction or a negative number is refused.
 *
 * @category constructors
 */
export const make = parser(UnixTime)

/**
 * Makes a time from milliseconds since 1970, as returned by `Date.now()`. The fraction of a second is dropped.
 *
 * @example
 * ```ts
 * import * as UnixTime from "@effect-klaytn/core/UnixTime"
 *
 * console.log(UnixTime.fromMillis(1_610_000_001_999)) // right(1610000001)
 * ```
 *
 * @category constructors
 */
export const fromMillis = (millis: number): Either.Either<UnixTime, ParseResult.ParseError> =>
  make(Math.floor(millis / 1000))

/**
 * Makes a time from a date. The fraction of a second is dropped; a date before 1970 is refused.
 *
 * @category constructors
 */
export const fromDateTime = (date: DateTime.DateTime): Either.Either<UnixTime, ParseResult.ParseError> =>
  fromMillis(DateTime.toEpochMillis(date))

/**
 * Converts a time to a date in UTC.
 *
 * @category conversions
 */
export const toDateTime = (time: UnixTime): DateTime.Utc => DateTime.unsafeMake(time * 1000)

/**
 * The current second, by the fiber's `Clock`.
 *
 * @category constructors
 */
export const now: Effect.Effect<UnixTime> = Effect.map(
  Clock.currentTimeMillis,
  (millis) => trusted(Math.max(0, Math.floor(millis / 1000)))
)

const trusted = Brand.nominal<UnixTime>()
