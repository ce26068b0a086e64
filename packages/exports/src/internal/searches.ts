/** What one search of the service can cover. */
import * as Range from "@effect-klaytn/history/Range"
import * as Either from "effect/Either"

/** The first and the last second or block of something, both included. */
export interface Period {
  readonly from: number
  readonly to: number
}

/** The range of a period, in seconds or in blocks. */
export const rangeIn = (unit: "second" | "block", bounds: Period) =>
  unit === "second" ? Range.time(bounds) : Range.blocks(bounds)

/** Whether one search can cover a period. */
export const isOneSearch = (unit: "second" | "block", bounds: Period): boolean =>
  Either.match(Either.flatMap(rangeIn(unit, bounds), Range.parts), {
    onLeft: () => false,
    onRight: ({ length }) => length === 1
  })
