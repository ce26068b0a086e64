/**
 * How many requests an export may make. A budget that runs out stops the export where it can be resumed.
 *
 * **Details**
 *
 * Each request, retries included, is counted in the budget before it is sent. `perSecond` spaces requests evenly.
 * `perDay` counts by days in UTC, `perRun` since the budget was made. {@link make} keeps its counts in memory, for one
 * process; `SqlSink.budget` keeps them in the database, for all processes that export to it. Implement `take` to keep
 * them elsewhere.
 */
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SinkError } from "./Sink.js"

/**
 * The budget ran out. Everything exported so far is stored; run the export again to continue, for a `day` from `until`, in
 * Unix seconds.
 *
 * @category errors
 */
export class BudgetExhausted extends Schema.TaggedError<BudgetExhausted>("@effect-klaytn/exports/BudgetExhausted")(
  "BudgetExhausted",
  {
    limit: Schema.Literal("day", "run"),
    requests: Schema.Int,
    until: Schema.optional(Schema.Int)
  }
) {
  override get message() {
    return `exports: the budget of ${this.requests} requests per ${this.limit} is used up; to continue, run the export again` +
      (this.until === undefined ? "" : ` after ${new Date(this.until * 1000).toISOString()}`)
  }
}

/**
 * A budget. `take` waits for the turn of one request, or fails if there is none left.
 *
 * @category models
 */
export interface Budget {
  readonly take: Effect.Effect<void, BudgetExhausted | SinkError>
}

/**
 * The limits of a budget; those left out don't apply.
 *
 * @category models
 */
export interface Limits {
  readonly perSecond?: number | undefined
  readonly perDay?: number | undefined
  readonly perRun?: number | undefined
}

/**
 * No limit.
 *
 * @category constructors
 */
export const unlimited: Budget = { take: Effect.void }

/**
 * Checks limits: numbers above 0, which are whole except for `perSecond`.
 *
 * @category guards
 */
export const check = (limits: Limits): Effect.Effect<Limits, InvalidInput> => {
  for (const name of ["perSecond", "perDay", "perRun"] as const) {
    const value = limits[name]
    if (value === undefined) continue
    if (!(value > 0) || !Number.isFinite(value) || name !== "perSecond" && !Number.isSafeInteger(value)) {
      const problem = name === "perSecond" ? "expected a number above 0" : "expected a whole number above 0"
      return InvalidInput.at("exports.budget", [name], problem)
    }
  }
  return Effect.succeed(limits)
}

const day = 86_400_000

/**
 * Makes a budget in the memory of this process.
 *
 * @category constructors
 */
export const make = (limits: Limits): Effect.Effect<Budget, InvalidInput> =>
  Effect.map(check(limits), ({ perDay, perRun, perSecond }) => {
    let free = 0
    let today = -1
    let ofDay = 0
    let ofRun = 0
    return {
      take: Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const current = Math.floor(now / day)
        if (current !== today) {
          today = current
          ofDay = 0
        }
        if (perRun !== undefined && ofRun >= perRun) {
          return Effect.fail(new BudgetExhausted({ limit: "run", requests: perRun }))
        }
        if (perDay !== undefined && ofDay >= perDay) {
          return Effect.fail(
            new BudgetExhausted({ limit: "day", requests: perDay, until: (current + 1) * day / 1000 })
          )
        }
        ofRun++
        ofDay++
        if (perSecond === undefined) return Effect.void
        const start = Math.max(free, now)
        free = start + 1000 / perSecond
        return Effect.sleep(start - now)
      })
    }
  })
