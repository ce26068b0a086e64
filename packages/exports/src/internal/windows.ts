/** Splits ranges into windows. */
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Range from "@effect-klaytn/history/Range"
import * as Either from "effect/Either"
import type { Window } from "../Plan.js"

interface Period {
  readonly from: number
  readonly to: number
}

/**
 * Splits a closed range evenly into at least as many periods as searches are needed, newest first. There are fewer than
 * asked for if the range has not as many seconds or blocks.
 */
export const split = (range: Range.Range, least: number): Either.Either<ReadonlyArray<Period>, InvalidInput> =>
  Either.map(Range.parts(range), (parts) => {
    const from = range.from
    const length = (range.to ?? from) - from + 1
    const count = Math.min(length, Math.max(parts.length, least))
    const border = (index: number): number => from + Math.floor(index * length / count)
    return Array.from({ length: count }, (_, index) => ({
      from: border(count - 1 - index),
      to: border(count - index) - 1
    }))
  })

/** The windows of some periods for every source, numbered from `first`. */
export const windows = (
  periods: ReadonlyArray<Period>,
  sources: number,
  first: number
): ReadonlyArray<Window> =>
  periods.flatMap(({ from, to }, period) =>
    Array.from({ length: sources }, (_, source) => ({ index: first + period * sources + source, source, from, to }))
  )
