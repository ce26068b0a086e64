/** Reads windows again and compares them with the sink. */
import type { TransferHistory } from "@effect-klaytn/history/TransferHistory"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ExportError } from "../ExportError.js"
import type { Difference, ReconcileOptions } from "../Exports.js"
import type * as Plan from "../Plan.js"
import type * as Sink from "../Sink.js"
import { damagedOf } from "./contents.js"
import { conflictPause, finish, readRefused, readWindow, type Run, start, statesOf } from "./exportRun.js"
import { presentIds } from "./presentIds.js"
import { siblingsOf } from "./siblings.js"
import { statusOf, untilOf } from "./state.js"

const silently = () => Effect.void

/** Reads a part of a closed window again into the sink, which adds what is missing, and replaces what is damaged. */
const repairWindow = Effect.fnUntraced(function*(
  run: Run,
  plan: Plan.Plan,
  window: Plan.Window,
  state: Sink.WindowState,
  part: Sink.Part,
  isDamaged = false
) {
  const begin = yield* run.session.restart(state, isDamaged)
  const end = yield* readWindow(run, plan, window, begin, silently, "repair", part)
  if (end._tag === "Closed") run.damaged.delete(window.index)
  return end
})

/** What a window has. Of rows whose second or block is not known, and of rejected records, nothing says where they are. */
const storedIds = (run: Run, { unit }: Plan.Plan, window: Plan.Window, part: Sink.Part) =>
  Stream.runFold(
    run.session.ids(window, part),
    new Map<string, number | null>(),
    (all, some) => {
      for (const { block, id, unix } of some) all.set(id, unit === "second" ? unix : block)
      return all
    }
  )

/**
 * Marks what was not returned of what was compared; what was marked before keeps its time, and loses its mark if all of the window
 * was compared and it is stored no longer. Returns what was marked before of that.
 */
const markExtra = Effect.fnUntraced(function*(
  run: Run,
  window: Plan.Window,
  compared: ReadonlyMap<string, unknown>,
  extra: ReadonlyArray<string>,
  isAll: boolean
) {
  const { session } = run
  const marked = (yield* session.extras).filter((one) => one.window === window.index)
  const before = new Map(marked.flatMap(({ id, since }) => compared.has(id) ? [[id, since] as const] : []))
  const others = isAll ? [] : marked.filter(({ id }) => !before.has(id))
  const isSame = extra.length === before.size && extra.every((id) => before.has(id))
  if (isSame && before.size + others.length === marked.length) return before
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  yield* session.mark(window, [
    ...others,
    ...extra.map((id) => ({ id, window: window.index, since: before.get(id) ?? now }))
  ])
  return before
})

/** Those of some IDs that no window has in which they may be. */
const notStored = Effect.fnUntraced(function*(
  run: Run,
  plan: Plan.Plan,
  window: Plan.Window,
  stored: ReadonlyMap<string, unknown>,
  ids: Iterable<string>
) {
  let missing = [...ids].filter((id) => !stored.has(id))
  for (const sibling of missing.length === 0 ? [] : siblingsOf(plan, window)) {
    const others = yield* storedIds(run, plan, sibling, window)
    missing = missing.filter((id) => !others.has(id))
  }
  return missing
})

/** What a part of a window was lacking: it is stored now. Or why that is not known. */
export const recheckWindow = Effect.fnUntraced(function*(
  run: Run,
  plan: Plan.Plan,
  window: Plan.Window,
  begin: Sink.WindowState,
  part: Sink.Part
) {
  // What a damaged window lacks is not known before it is repaired.
  if (run.damaged.has(window.index)) return { _tag: "Damaged" as const }
  let state = begin
  for (;;) {
    const stored = yield* storedIds(run, plan, window, part)
    const now = yield* presentIds(run, plan, { ...window, ...part })
    if (now._tag === "Refused") return now
    const { rejected, rows } = now.ids
    const late = yield* notStored(run, plan, { ...window, ...part }, stored, [...rows, ...rejected])
    // What is outside of the part was not asked for.
    const compared = new Map([...stored].filter(([, at]) => at !== null && at >= part.from && at <= part.to))
    const extra = [...compared.keys()].filter((id) => !rows.has(id) && !rejected.has(id))
    const marked = yield* markExtra(run, window, compared, extra, false)
    const found = {
      _tag: "Rechecked" as const,
      rows: late.filter((id) => rows.has(id)).length,
      rejected: late.filter((id) => rejected.has(id)).length,
      extra: extra.filter((id) => !marked.has(id))
    }
    if (late.length === 0) return found
    const end = yield* repairWindow(run, plan, window, state, part)
    if (end._tag === "Closed") return found
    if (end._tag === "Unreachable") return { _tag: "Refused" as const, problem: end.note }
    // The other process may have begun before the records were there, or die.
    yield* Effect.sleep(conflictPause)
    state = (yield* statesOf(run)).get(window.index) ?? state
  }
})

const notRead = "it was not read to its end; run the export again"

type Remove = NonNullable<ReconcileOptions["remove"]>

/** Marks what is extra, and removes what was marked before, as far as that is asked for. Returns what was removed. */
const settleExtra = Effect.fnUntraced(function*(
  run: Run,
  window: Plan.Window,
  stored: ReadonlyMap<string, unknown>,
  extra: ReadonlyArray<string>,
  remove: Remove,
  isWhole: boolean
) {
  const before = yield* markExtra(run, window, stored, extra, isWhole)
  const removed = extra.filter((id) => before.has(id) && (remove === "all" || remove.has(id)))
  const state = (yield* statesOf(run)).get(window.index)
  if (removed.length === 0 || state === undefined) return []
  yield* run.session.remove(state, new Set(removed))
  return removed
})

/** Compares a window with the service, and stores what it lacks if that is asked for. */
const compare = Effect.fnUntraced(function*(
  run: Run,
  plan: Plan.Plan,
  window: Plan.Window,
  state: Sink.WindowState | undefined,
  repair: boolean,
  remove: Remove
): Effect.fn.Return<ReadonlyArray<Difference>, ExportError, TransferHistory> {
  const damage = damagedOf(yield* run.session.verify(window)).get(window.index)
  if (damage !== undefined) run.damaged.set(window.index, damage)
  const status: Difference["status"] = damage === undefined ? state?.status ?? "pending" : "damaged"
  const same = { window, status, problem: undefined, damage, missing: [], extra: [], removed: [], repaired: false }
  if (state === undefined || state.status === "open") {
    return [{ ...same, problem: notRead }]
  }
  const part = { from: window.from, to: untilOf(window, state) ?? window.to }
  const stored = yield* storedIds(run, plan, window, part)
  const now = yield* presentIds(run, plan, { ...window, ...part })
  if (now._tag === "Refused") return [{ ...same, problem: now.problem }]
  const { rejected, rows } = now.ids
  const missing = yield* notStored(run, plan, { ...window, ...part }, stored, [...rows, ...rejected])
  const extra = [...stored.keys()].filter((id) => !rows.has(id) && !rejected.has(id))
  // A run that was stopped has extended the plan, and not read what is new.
  const isShort = state.status === "closed" && statusOf(window, state) === "open"
  const isWhole = status === "closed" && missing.length === 0
  const read = state.status === "closed"
    ? repairWindow(run, plan, window, state, part, damage !== undefined)
    : readRefused(run, plan, window, state, silently)
  const repaired = repair && !isWhole && (yield* read)._tag === "Closed"
  // What is removed of a window that is damaged would make what is left the record of it.
  const removable = damage === undefined || repaired ? remove : new Set<string>()
  const removed = yield* settleExtra(run, window, stored, extra, removable, damage === undefined)
  if (isWhole && !isShort && extra.length === 0) return []
  const found = { ...same, status: repaired ? "closed" as const : status, missing, extra, removed, repaired }
  return [isShort ? { ...found, status: "open", problem: notRead } : found]
})

/** Windows are compared at once as long as they have no more rows together: the IDs of all of them are in memory. */
const rowsAtOnce = 100_000

export const reconcile = (
  options: ReconcileOptions
): Stream.Stream<Difference, ExportError, TransferHistory> =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const run = yield* start(options, undefined)
    const plan = yield* run.session.plan
    const states = yield* statesOf(run)
    const room = yield* Effect.makeSemaphore(rowsAtOnce)
    const weightOf = ({ index }: Plan.Window): number => Math.max(1, Math.min(rowsAtOnce, states.get(index)?.rows ?? 1))
    const { from = Number.NEGATIVE_INFINITY, remove = new Set(), repair = false, to = Number.POSITIVE_INFINITY } =
      options
    return Stream.fromIterable(plan.windows.filter((window) => window.to >= from && window.from <= to)).pipe(
      Stream.mapEffect(
        (window) =>
          room.withPermits(weightOf(window))(compare(run, plan, window, states.get(window.index), repair, remove)),
        { concurrency: run.maxConcurrency }
      ),
      Stream.flattenIterables,
      Stream.onEnd(finish(run))
    )
  }))
