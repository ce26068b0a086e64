import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import type * as AST from "effect/SchemaAST"
import type { Range } from "../Range.js"

export const maxSeconds = 184 * 24 * 60 * 60

const blocksASecond = 1

export const maxBlocks = maxSeconds * blocksASecond

/** A range before its numbers are judged. */
type Ends =
  | { readonly _tag: "TimeRange"; readonly from: number; readonly to?: number }
  | { readonly _tag: "BlockRange"; readonly from: number; readonly to?: number }

const shape = /^(?:(\d+)(?:, ?(\d*))?|(0x[0-9a-f]+)(?:, ?(0x[0-9a-f]+)?)?)$/i

export const parse = (text: string, ast: AST.AST): Either.Either<typeof Range.Encoded, ParseResult.ParseIssue> => {
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

export const render = (range: typeof Range.Encoded): string => {
  const text = (end: number | undefined): string =>
    end === undefined ? "" : range._tag === "TimeRange" ? String(end) : `0x${end.toString(16)}`
  return `${text(range.from)},${text(range.to)}`
}

export const problem = (range: Range, latest: number | undefined): string | undefined => {
  const to = range.to ?? latest
  if (to === undefined) return undefined
  if (to < range.from) {
    return range.to === undefined
      ? `the range begins at ${range.from}, which is still to come`
      : `the range ends (${to}) before it begins (${range.from}); swap the ends`
  }
  const [max, unit] = range._tag === "TimeRange" ? [maxSeconds, "seconds"] : [maxBlocks, "blocks"]
  return to - range.from > max
    ? `the range spans ${to - range.from} ${unit}, a search covers at most six months (${max}); search it in parts`
    : undefined
}
