/** Reads windows again and compares them with the sink. */
import type { TransferHistory } from "@effect-klaytn/history/TransferHistory"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ExportError } from "../ExportError.js"
import type { Difference, ReconcileOptions } from "../Exports.js"
import type * as Plan from "../Plan.js"
import type * as Sink from "../Sink.js"
import { conflictPause, finish, readRefused, readWindow, type Run, start, statesOf } from "./exportRun.js"
import { presentIds } from "./presentIds.js"
import { untilOf } from "./state.js"

const silently = () => Effect.void

/** Reads a part of a closed window again into the sink, which adds what is missing. */
const repairWindow = (run: Run, plan: Plan.Plan, window: Plan.Window, state: Sink.WindowState, part: Sink.Part) =>
  Effect.flatMap(run.session.restart(state), (begin) => readWindow(run, plan, window, begin, silently, "repair", part))

/** The IDs that a part of a window has. */
const storedIds = (
  run: Run,
  window: Plan.Window,
  part: Sink.Part
): Effect.Effect<ReadonlySet<string>, Sink.SinkError> =>
  Stream.runFold(run.session.ids(window, part), new Set<string>(), (all, some) => {
    for (const { id } of some) all.add(id)
    return all
  })

const nothing = { rows: 0, rejected: 0 }

/** What a part of a window was lacking: it is stored now. */
export const recheckWindow = Effect.fnUntraced(function*(
  run: Run,
  plan: Plan.Plan,
  window: Plan.Window,
  begin: Sink.WindowState,
  part: Sink.Part
) {
  let state = begin
  for (;;) {
    const stored = yield* storedIds(run, window, part)
    const now = yield* presentIds(run, plan, { ...window, ...part }, part.from)
    if (now._tag === "Refused") return nothing
    const late = (ids: ReadonlySet<string>): number => [...ids].filter((id) => !stored.has(id)).length
    const found = { rows: late(now.ids.rows), rejected: late(now.ids.rejected) }
    if (found.rows + found.rejected === 0) return found
    const { _tag: end } = yield* repairWindow(run, plan, window, state, part)
    if (end === "Closed") return found
    if (end === "Unreachable") return nothing
    // The other process may have begun before the records were there, or die.
    yield* Effect.sleep(conflictPause)
    state = (yield* statesOf(run)).get(window.index) ?? state
  }
})

/** Compares a window with the service, and stores what it lacks if that is asked for. */
const compare = Effect.fnUntraced(function*(
  run: Run,
  plan: Plan.Plan,
  window: Plan.Window,
  state: Sink.WindowState | undefined,
  repair: boolean
): Effect.fn.Return<ReadonlyArray<Difference>, ExportError, TransferHistory> {
  const status = state?.status ?? "pending"
  const same: Difference = { window, status, problem: undefined, missing: [], extra: [], repaired: false }
  if (state === undefined || state.status === "open") {
    return [{ ...same, problem: "it was not read to its end; run the export again" }]
  }
  const part = { from: window.from, to: untilOf(window, state) ?? window.to }
  const stored = yield* storedIds(run, window, part)
  const now = yield* presentIds(run, plan, { ...window, ...part }, part.from)
  if (now._tag === "Refused") return [{ ...same, problem: now.problem }]
  const { rejected, rows } = now.ids
  const missing = [...rows, ...rejected].filter((id) => !stored.has(id))
  const extra = [...stored].filter((id) => !rows.has(id) && !rejected.has(id))
  if (state.status === "closed" && missing.length + extra.length === 0) return []
  if (!repair || state.status === "closed" && missing.length === 0) return [{ ...same, missing, extra }]
  const read = state.status === "closed"
    ? repairWindow(run, plan, window, state, part)
    : readRefused(run, plan, window, state, silently)
  const repaired = (yield* read)._tag === "Closed"
  return [{ ...same, status: repaired ? "closed" as const : status, missing, extra, repaired }]
})

export const reconcile = (
  options: ReconcileOptions
): Stream.Stream<Difference, ExportError, TransferHistory> =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const run = yield* start(options, undefined)
    const plan = yield* run.session.plan
    const states = yield* statesOf(run)
    const { from = Number.NEGATIVE_INFINITY, repair = false, to = Number.POSITIVE_INFINITY } = options
    return Stream.fromIterable(plan.windows.filter((window) => window.to >= from && window.from <= to)).pipe(
      Stream.mapEffect((window) => compare(run, plan, window, states.get(window.index), repair), {
        concurrency: run.maxConcurrency
      }),
      Stream.flattenIterables,
      Stream.onEnd(Effect.when(finish(run), () => repair))
    )
  }))
