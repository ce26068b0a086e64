/** The state of all payouts together. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Num from "effect/Number"
import * as Option from "effect/Option"
import type { DatabaseFailed } from "../PayoutError.js"
import type { Health } from "../Payouts.js"
import type * as PayoutState from "../PayoutState.js"
import { orFailed } from "./databaseErrors.js"
import type * as stores from "./store.js"
import * as telemetry from "./telemetry.js"
import { timeBefore } from "./values.js"

/** Processes record on which payouts they work several times in this time. */
const unattendedAfter = Duration.minutes(2)

/** Reads the health from the database, and sets the gauges. */
export const read = (
  store: stores.Store,
  stuckAfter: Duration.Duration
): Effect.Effect<Health, DatabaseFailed> =>
  orFailed(Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const open = yield* store.countOpen(yield* timeBefore(stuckAfter), yield* timeBefore(unattendedAfter))
    const { limits } = store
    const spent = limits === undefined ? Option.none() : Option.some(yield* store.spent(limits))
    const counts: Partial<Record<PayoutState.Tag, number>> = Object.fromEntries(
      open.map(({ count, tag }) => [tag, count])
    )
    const oldestOf = (...tags: ReadonlyArray<string>) => {
      const since = open.filter(({ tag }) => tags.includes(tag)).map(({ since }) => since)
      return since.length === 0 ? Option.none() : Option.some(Duration.millis(Math.max(0, now - Math.min(...since))))
    }
    const working = open.filter(({ tag }) => tag !== "WaitingForApproval")
    const health: Health = {
      open: counts,
      unknown: (counts.Sending ?? 0) + (counts.Unknown ?? 0),
      oldestUnknown: oldestOf("Sending", "Unknown"),
      waitingForApproval: counts.WaitingForApproval ?? 0,
      stuck: open.find(({ tag }) => tag === "Sent")?.late ?? 0,
      unattended: Num.sumAll(working.map(({ unattended }) => unattended)),
      oldest: oldestOf(...working.map(({ tag }) => tag)),
      left: limits === undefined ? Option.none() : Option.map(spent, ({ fee, value }) => ({
        value: limits.max - value,
        fee: limits.maxFees === undefined ? undefined : limits.maxFees - fee
      })),
      spent
    }
    yield* telemetry.setGauges(health)
    return health
  }))
