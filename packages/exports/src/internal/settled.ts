/** Up to which second the service's index has settled, by the service's clock. */
import * as Paged from "@effect-klaytn/core/Paged"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as ServiceTime from "@effect-klaytn/core/ServiceTime"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as Range from "@effect-klaytn/history/Range"
import type { Transfer } from "@effect-klaytn/history/Transfer"
import { TransferHistory } from "@effect-klaytn/history/TransferHistory"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ExportError } from "../ExportError.js"
import type { Settings } from "../Exports.js"
import type * as Plan from "../Plan.js"
import * as Sink from "../Sink.js"
import { duration, type Emit, type Requests, requestsOf, tellSkew } from "./exportRun.js"
import { WindowRecovery } from "./recovery.js"

/** The second of a record, if it says one. */
const timeOf = (item: Transfer | Paged.Unreadable | undefined): number | undefined => {
  if (item === undefined || Paged.isUnreadable(item) || item._tag === "UnknownTransfer") return undefined
  return item._tag === "CoinTransfer" ? item.timestamp : item.transaction.timestamp
}

/** Asks for the newest record since the end of a plan. The answer says the service's time, also if it is a refusal. */
const newestSince = Effect.fnUntraced(function*({ recovery, turn }: Requests, plan: Plan.Plan, emit: Emit) {
  const history = yield* TransferHistory
  const common = { kinds: plan.kinds, range: yield* Range.time({ from: plan.to }), size: 1 }
  const options = { unreadable: "keep" } as const
  const [source] = plan.sources
  const page = source?._tag === "Account"
    ? history.getTransfersByEoa({ ...common, address: source.address, contract: source.contract }, options)
    : history.getTransfers({ ...common, presets: source?.presets ?? [] }, options)
  const window: Plan.Window = { index: plan.windows.length, source: 0, from: plan.to, to: plan.to }
  const progress = new WindowRecovery(recovery, window, emit)
  const once = Effect.mapError(RetryPolicy.withRetryPolicy(page, RetryPolicy.none), Option.some)
  for (;;) {
    const answer = yield* Effect.either(turn(recovery.timed(window, once)))
    if (answer._tag === "Right") return timeOf(answer.right.items[0])
    if ((yield* progress.recover(answer.left, Sink.fresh(window))) !== "again") return undefined
  }
})

/** The last seconds that an index has settled. */
export interface Settled {
  /** By the service's clock. */
  readonly latest: number
  /** By the clock that is behind, the service's or this machine's: what was read is known to reach as far as this. */
  readonly surely: number
}

/** How often the service is asked for its time, if its answers say times that are far from this machine's and from each other. */
const maxAsked = 3

/**
 * The last second that the service's index has settled, from a plan of time on. The service is asked with a request for
 * one record, and read from every answer after that. A record that is newer than the service's time shows that this time is
 * behind: the record is believed, up to the time of this machine.
 */
export const settledBy = (
  requests: Requests,
  plan: Plan.Plan,
  indexLag: Duration.DurationInput | undefined,
  emit: Emit
): Effect.Effect<Effect.Effect<Settled>, ExportError, TransferHistory> =>
  Effect.gen(function*() {
    const { serviceTime } = requests
    let newest = yield* newestSince(requests, plan, emit)
    for (let asked = 1; asked < maxAsked && !serviceTime.isAgreed(); asked++) {
      newest = yield* newestSince(requests, plan, emit)
    }
    yield* tellSkew(requests, emit)
    const lag = duration(indexLag, Duration.minutes(1)) / 1000
    return Effect.zipWith(ServiceTime.now(serviceTime), UnixTime.now, (millis, own) => {
      const time = millis / 1000
      const settled = Math.floor(time - lag)
      const ofMachine = Math.floor(own - lag)
      const latest = newest === undefined || newest <= time ? settled : Math.max(settled, Math.min(newest, ofMachine))
      return { latest, surely: serviceTime.reading()?.isReal === true ? Math.min(latest, ofMachine) : latest }
    })
  })

/** The same for a plan that is not stored yet. */
export const settled = (
  plan: Plan.Plan,
  settings: Omit<Settings, "sink"> & { readonly indexLag?: Duration.DurationInput | undefined } = {}
): Effect.Effect<number, ExportError, TransferHistory> =>
  Effect.gen(function*() {
    const requests = yield* requestsOf(settings)
    const { latest } = yield* yield* settledBy(requests, plan, settings.indexLag, () => Effect.void)
    return latest
  })
