/** Reads windows again and compares them with the sink. */
import type { TransferHistory } from "@effect-klaytn/history/TransferHistory"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ExportError } from "../ExportError.js"
import type { Difference, ReconcileOptions } from "../Exports.js"
import type * as Plan from "../Plan.js"
import * as Sink from "../Sink.js"
import { conflictPause, finish, readWindow, type Run, start, statesOf } from "./exportRun.js"
import { flattener } from "./flatten.js"
import { type Next, WindowRecovery } from "./recovery.js"
import { stateAfter } from "./state.js"

const silently = () => Effect.void

/** The IDs that a window has in the service now, without those before `from`. None if the service refuses its range. */
const idsNow = Effect.fnUntraced(function*(run: Run, plan: Plan.Plan, window: Plan.Window, from: number) {
  const toRows = flattener(plan, window)
  const progress = new WindowRecovery(run.recovery, window, silently)
  const part = { ...window, from: Math.max(window.from, from) }
  for (;;) {
    const rows = new Set<string>()
    const rejected = new Set<string>()
    let state = Sink.fresh(window)
    const next = yield* run.eachPage(plan, part, null, (page) => {
      const made = toRows(page.items, state)
      for (const { id } of made.rows) rows.add(id)
      for (const { id } of made.rejected) rejected.add(id)
      state = stateAfter(run.columns, state, page.checkpoint, { ...made, rows: [] }, [], [])
      return progress.advanced()
    }).pipe(
      Effect.as<"done" | Next>("done"),
      // Each retry begins the window again: nothing of it is stored.
      Effect.catchAll((error) => progress.recover(error, state))
    )
    if (next === "done") return Option.some({ rows, rejected })
    if (next === "unreachable") return Option.none()
  }
})

/** Reads a closed window again into the sink, which adds what is missing. */
const repairWindow = (run: Run, plan: Plan.Plan, window: Plan.Window, state: Sink.WindowState) =>
  Effect.flatMap(run.session.restart(state), (begin) => readWindow(run, plan, window, begin, silently, true))

const nothing = { rows: 0, rejected: 0 }

/** What the end of a window, from `from` on, was lacking: it is stored now. */
export const recheckWindow = Effect.fnUntraced(function*(
  run: Run,
  plan: Plan.Plan,
  window: Plan.Window,
  begin: Sink.WindowState,
  from: number
) {
  let state = begin
  for (;;) {
    const stored = yield* run.session.ids(window)
    const now = yield* idsNow(run, plan, window, from)
    if (Option.isNone(now)) return nothing
    const late = (ids: ReadonlySet<string>): number => [...ids].filter((id) => !stored.has(id)).length
    const found = { rows: late(now.value.rows), rejected: late(now.value.rejected) }
    if (found.rows + found.rejected === 0) return found
    const { _tag: end } = yield* repairWindow(run, plan, window, state)
    if (end === "Closed") return found
    if (end === "Unreachable") return nothing
    // The other process may have begun before the records were there, or die.
    yield* Effect.sleep(conflictPause)
    state = (yield* statesOf(run)).get(window.index) ?? state
  }
})

export const reconcile = (
  options: ReconcileOptions
): Stream.Stream<Difference, ExportError, TransferHistory> =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const run = yield* start(options, undefined)
    const plan = yield* run.session.plan
    const states = yield* statesOf(run)
    const { from = Number.NEGATIVE_INFINITY, repair = false, to = Number.POSITIVE_INFINITY } = options
    const windows = plan.windows.filter((window) =>
      states.get(window.index)?.status === "closed" && window.to >= from && window.from <= to
    )
    const compare = (window: Plan.Window): Effect.Effect<ReadonlyArray<Difference>, ExportError, TransferHistory> =>
      Effect.gen(function*() {
        const stored = yield* run.session.ids(window)
        const now = yield* idsNow(run, plan, window, window.from)
        if (Option.isNone(now)) return []
        const { rejected, rows } = now.value
        const missing = [...rows, ...rejected].filter((id) => !stored.has(id))
        const extra = [...stored].filter((id) => !rows.has(id) && !rejected.has(id))
        if (missing.length === 0 && extra.length === 0) return []
        const state = states.get(window.index)
        const repaired = repair && state !== undefined &&
          (yield* repairWindow(run, plan, window, state))._tag === "Closed"
        return [{ window, missing, extra, repaired }]
      })
    return Stream.fromIterable(windows).pipe(
      Stream.mapEffect(compare, { concurrency: run.maxConcurrency }),
      Stream.flattenIterables,
      Stream.onEnd(Effect.when(finish(run), () => repair))
    )
  }))
