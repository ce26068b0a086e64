/**
 * The range of the chain that a search covers, by time or by block number, never by both.
 *
 * **Details**
 *
 * The API document: `{from},{to}`, where an integer is Unix time in seconds and a hexadecimal value is a block number;
 * an empty `{to}` means now or the latest block; a search covers at most six months. Whether these are calendar months
 * is not known: this SDK assumes 184 days, and as many blocks at one block a second (inferred). Without a range the
 * service searches the latest six months (inferred). Whether the six months also limit how far back a search may begin
 * is not known.
 *
 * Ranges are checked by their ends alone, never by this machine's clock: whether an open range is too long, or begins
 * in the future, is left to the service (`Rejected`, code 1040011). A stream over an open time range gives it an end, 184
 * days after its beginning, as soon as the service has accepted the open one and there is more than one page: otherwise
 * the range could exceed six months between two pages.
 *
 * **Example**
 *
 * ```ts
 * import * as Range from "@effect-klaytn/history/Range"
 *
 * export const january = Range.time({ from: new Date("2024-01-01T00:00:00Z"), to: new Date("2024-01-31T23:59:59Z") })
 * export const sinceBlock = Range.blocks({ from: 150_000_000 })
 * ```
 */
import * as Input from "@effect-klaytn/core/Input"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import { UnixTime } from "@effect-klaytn/core/UnixTime"
import type * as DateTime from "effect/DateTime"
import type * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as internal from "./internal/searchRange.js"

/**
 * A block number: a whole number, 0 or more.
 *
 * @category schemas
 */
export const BlockNumber = Input.wholeNumber("a block number is a whole number, 0 or more").annotations({
  identifier: "BlockNumber"
})

/**
 * A time range in Unix seconds. Without `to` it is open: up to now.
 *
 * @category schemas
 */
export const TimeRange = Schema.TaggedStruct("TimeRange", { from: UnixTime, to: Schema.optional(UnixTime) })

/**
 * A block range. Without `to` it is open: up to the latest block.
 *
 * @category schemas
 */
export const BlockRange = Schema.TaggedStruct("BlockRange", { from: BlockNumber, to: Schema.optional(BlockNumber) })

/**
 * A time range or a block range.
 *
 * @category schemas
 */
export const Range = Schema.Union(TimeRange, BlockRange)

/**
 * A time range or a block range.
 *
 * @category models
 */
export type Range = typeof Range.Type

/**
 * A range as a query parameter: `from,to`, or `from,` if open. Decoding also accepts a bare `from`, which the service's
 * public clients send. Order and length are not checked here, see {@link problem}.
 *
 * @category schemas
 */
export const FromString = Schema.transformOrFail(Schema.String, Range, {
  strict: true,
  decode: (text, _, ast) => internal.parse(text, ast),
  encode: (range) => ParseResult.succeed(internal.render(range))
}).annotations({
  identifier: "RangeText",
  description: "a range {from},{to}, both in seconds or both 0x block numbers"
})

/**
 * The widest range of time that can be searched, in seconds: 184 days.
 *
 * @category constants
 */
export const maxSeconds = internal.maxSeconds

/**
 * The widest range of blocks that can be searched.
 *
 * @category constants
 */
export const maxBlocks = internal.maxBlocks

/**
 * Says what is wrong with the order or the length of a range, if anything. `latest` closes an open range: the time in
 * seconds, or the number of the latest block if it is known.
 *
 * @category accessors
 */
export const problem = (
  range: Range,
  latest: { readonly time?: number | undefined; readonly block?: number | undefined } = {}
): string | undefined => internal.problem(range, range._tag === "TimeRange" ? latest.time : latest.block)

/**
 * A point in time: a `DateTime`, a `Date`, or Unix time in whole seconds. The fraction of a second of a date is
 * dropped.
 *
 * @category models
 */
export type Moment = DateTime.DateTime | Date | number

const Made = Schema.typeSchema(Range)

const readTime = internal.reader("Range.time", Made)

/**
 * Makes a time range, both ends included (inferred). Refuses fractions, negative numbers, milliseconds and reversed
 * ends. The range may be longer than the six months of a search; see {@link parts}.
 *
 * @category constructors
 */
export const time = (ends: {
  readonly from: Moment
  readonly to?: Moment | undefined
}): Either.Either<Range, InvalidInput> => readTime(internal.ofTime(ends))

const readBlocks = internal.reader("Range.blocks", Made)

/**
 * Makes a block range, both ends included (inferred). Refuses fractions, negative numbers and reversed ends. The range
 * may be longer than the six months of a search; see {@link parts}.
 *
 * @category constructors
 */
export const blocks = (ends: {
  readonly from: number
  readonly to?: number | undefined
}): Either.Either<Range, InvalidInput> => readBlocks({ _tag: "BlockRange", ...ends })

const readText = internal.reader("Range.fromString", FromString)

/**
 * Parses a range in its query form, for ranges that come from a command line or a file. Refuses what {@link time} and
 * {@link blocks} refuse, and a time mixed with a block number.
 *
 * @category constructors
 */
export const fromString = (text: string): Either.Either<Range, InvalidInput> => readText(text)

/**
 * Splits a range into parts that one search can cover, newest first like the lists. Each part ends one second, or one
 * block, before the next later one begins, so nothing is lost or duplicated between them. A part has 180 days, which is
 * within six months however the service counts them. An open range is refused.
 *
 * **Example** (all transfers of two years)
 *
 * ```ts
 * import * as Range from "@effect-klaytn/history/Range"
 * import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
 * import * as Effect from "effect/Effect"
 * import * as Either from "effect/Either"
 * import * as Stream from "effect/Stream"
 *
 * const years = Range.time({ from: new Date("2023-01-01T00:00:00Z"), to: new Date("2024-12-31T23:59:59Z") })
 *
 * export const transfers = (address: string) =>
 *   Stream.unwrap(Effect.gen(function*() {
 *     const history = yield* TransferHistory.TransferHistory
 *     const parts = yield* Either.flatMap(years, Range.parts)
 *     return Stream.flatMap(Stream.fromIterable(parts), (range) => history.getTransfersByEoa.items({ address, range }))
 *   }))
 * ```
 *
 * @category combinators
 */
export const parts: (range: Range) => Either.Either<ReadonlyArray<Range>, InvalidInput> = internal.parts(
  internal.reader("Range.parts", Made)
)
