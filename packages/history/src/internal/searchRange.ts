import * as Input from "@effect-klaytn/core/Input"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as Arr from "effect/Array"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"

export const maxSeconds = 184 * 24 * 60 * 60

const blocksASecond = 1

export const maxBlocks = maxSeconds * blocksASecond

type Moment = DateTime.DateTime | Date | number

/** A range before its numbers are checked. */
interface Ends<N = number> {
  readonly _tag: "TimeRange" | "BlockRange"
  readonly from: N
  readonly to?: N | undefined
}

type Range =
  | (Ends<UnixTime.UnixTime> & { readonly _tag: "TimeRange" })
  | (Ends & { readonly _tag: "BlockRange" })

const shape = /^(?:(\d+)(?:, ?(\d*))?|(0x[0-9a-f]+)(?:, ?(0x[0-9a-f]+)?)?)$/i

export const parse = (text: string, ast: AST.AST): Either.Either<Ends, ParseResult.ParseIssue> => {
  const ends = shape.exec(text)
  if (ends === null) {
    return Either.left(
      new ParseResult.Type(
        ast,
        text,
        "a range is {from},{to}: both ends Unix seconds (1700000000,1700003600) or both 0x block numbers (0x10,0x20)"
      )
    )
  }
  const [, fromTime, toTime, fromBlock, toBlock] = ends
  const both = (_tag: Ends["_tag"], from: string, to: string | undefined): Ends => ({
    _tag,
    from: Number(from),
    ...(to === undefined || to === "" ? {} : { to: Number(to) })
  })
  return Either.right(
    fromTime === undefined ? both("BlockRange", fromBlock ?? "", toBlock) : both("TimeRange", fromTime, toTime)
  )
}

export const render = (range: Ends): string => {
  const text = (end: number | undefined): string =>
    end === undefined ? "" : range._tag === "TimeRange" ? String(end) : `0x${end.toString(16)}`
  return `${text(range.from)},${text(range.to)}`
}

/** Unix seconds are below this until the year 5138; milliseconds have been above it since 1973. */
const lastSecond = 99_999_999_999

/** What is wrong with a range apart from its length. */
const disorder = ({ _tag, from, to }: Range): string | undefined => {
  if (_tag === "TimeRange" && Math.max(from, to ?? from) > lastSecond) {
    return "the range is in milliseconds, not seconds; give a Date or a DateTime, or divide by 1000"
  }
  return to !== undefined && to < from
    ? `the range ends (${to}) before it begins (${from}); swap the ends`
    : undefined
}

export const problem = (range: Range, latest: number | undefined): string | undefined => {
  const wrong = disorder(range)
  if (wrong !== undefined) return wrong
  const to = range.to ?? latest
  if (to === undefined) return undefined
  if (to < range.from) return `the range begins at ${range.from}, in the future`
  const [max, unit] = range._tag === "TimeRange" ? [maxSeconds, "seconds"] : [maxBlocks, "blocks"]
  return to - range.from > max
    ? `the range spans ${to - range.from} ${unit}, but a search covers at most six months (${max}); ` +
      "split it with Range.parts and search each part"
    : undefined
}

/** Decodes a range and refuses one that can't be searched at any length. */
export const reader = <I>(operation: string, schema: Schema.Schema<Range, I>) => {
  const read = Schema.decodeUnknownEither(schema)
  return (input: unknown): Either.Either<Range, InvalidInput> =>
    Either.flatMap(Either.mapLeft(read(input), (error) => Input.refuse(operation, error)), (range) => {
      const problem = disorder(range)
      return problem === undefined ? Either.right(range) : Either.left(InvalidInput.at(operation, [], problem))
    })
}

/** Converts a point in time to seconds, dropping the fraction of a second of a date. */
const seconds = (moment: Moment): unknown =>
  moment instanceof Date
    ? Math.floor(moment.getTime() / 1000)
    : DateTime.isDateTime(moment)
    ? Math.floor(DateTime.toEpochMillis(moment) / 1000)
    : moment

/** The ends of a time range, not yet checked. */
export const ofTime = ({ from, to }: { readonly from: Moment; readonly to?: Moment | undefined }) => ({
  _tag: "TimeRange",
  from: seconds(from),
  ...(to === undefined ? {} : { to: seconds(to) })
})

/** A length within six months, however the service counts them. */
const partLength = 180 * 24 * 60 * 60

/** Thousands of years, as are the seconds of any range. */
const mostBlocks = 100_000_000_000

export const parts =
  (read: (part: Ends) => Either.Either<Range, InvalidInput>) =>
  (range: Range): Either.Either<ReadonlyArray<Range>, InvalidInput> =>
    Either.flatMap(read(range), ({ _tag, from, to: last }) => {
      const refuse = (problem: string) => Either.left(InvalidInput.at("Range.parts", ["to"], problem))
      if (last === undefined) return refuse("an open range can't be split: give the last second or block")
      if (last - from > mostBlocks) return refuse(`a range of more than ${mostBlocks} blocks can't be split`)
      // Both ends of a search are included, so the next part ends one before this one begins.
      return Either.all(
        Arr.makeBy(Math.floor((last - from) / partLength) + 1, (index) => {
          const to = last - index * partLength
          return read({ _tag, from: Math.max(from, to - partLength + 1), to })
        })
      )
    })

/**
 * An open time range with an end: the one that its list began with, or the latest that a search may have. The service reads
 * an open range anew for each page and refuses the pages that come when it has grown beyond six months. No clock is read:
 * a service that has taken the open range has its own time before that end. `undefined` for any other range.
 */
export const fixed = (
  range: Range | undefined,
  end: UnixTime.UnixTime | undefined
): { readonly _tag: "TimeRange"; readonly from: UnixTime.UnixTime; readonly to: UnixTime.UnixTime } | undefined => {
  if (range === undefined || range._tag === "BlockRange" || range.to !== undefined) return undefined
  const to = end ?? Either.getOrUndefined(UnixTime.make(range.from + maxSeconds))
  return to === undefined ? undefined : { _tag: "TimeRange", from: range.from, to }
}
