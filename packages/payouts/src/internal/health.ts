/** The state of all payouts together. */
import * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Num from "effect/Number"
import * as Option from "effect/Option"
import type { DatabaseFailed } from "../PayoutError.js"
import type { Health } from "../Payouts.js"
import type * as stores from "./store.js"
import * as telemetry from "./telemetry.js"

/** Processes record on which payouts they work several times in this time. */
const unattendedAfter = Duration.minutes(2)

/** Reads the health from the database, and sets the gauges. */
export const read = (
  store: stores.Store<DatabaseFailed>,
  stuckAfter: Duration.Duration
): Effect.Effect<Health, DatabaseFailed> =>
  Effect.gen(function*() {
    const now = yield* store.now()
    const open = yield* store.countOpen(stuckAfter, unattendedAfter)
    const unknown = open.filter(({ tag }) => tag === "Sending" || tag === "Unknown")
    const working = open.filter(({ tag }) => tag !== "WaitingForApproval")
    const ageOfOldest = (states: typeof open) =>
      Option.map(Arr.head(states), ({ since }) => Duration.millis(Math.max(0, now - since)))
    const counts: Health["open"] = Object.fromEntries(open.map(({ count, tag }) => [tag, count]))
    const window = yield* store.window()
    const health: Health = {
      open: counts,
      unknown: Num.sumAll(unknown.map(({ count }) => count)),
      oldestUnknown: ageOfOldest(unknown),
      waitingForApproval: counts.WaitingForApproval ?? 0,
      stuck: open.find(({ tag }) => tag === "Sent")?.late ?? 0,
      otherLimits: Num.sumAll(open.map(({ others }) => others)),
      unattended: Num.sumAll(working.map(({ unattended }) => unattended)),
      oldest: ageOfOldest(working),
      left: Option.map(window, ({ left }) => left),
      spent: Option.map(window, ({ spent }) => spent)
    }
    yield* telemetry.setGauges(health)
    return health
  })
