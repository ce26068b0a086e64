/** Exports that are extended by what is new: once, and for as long as they run. */
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { TransferHistory } from "@effect-klaytn/history/TransferHistory"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { ExportError } from "../ExportError.js"
import type { CatchUpOptions, Event, Options, TailOptions } from "../Exports.js"
import * as Plan from "../Plan.js"
import { isSameSelection, type Sink, SinkError, type WindowState } from "../Sink.js"
import { duration, type Emit, emitStarted, eventsOf, finish, readAll, type Run, start, statesOf } from "./exportRun.js"
import { recheckWindow } from "./reconciliation.js"
import { settledBy } from "./settled.js"
import { untilOf } from "./state.js"

const inBlocks = (name: string, problem: string) => InvalidInput.at(`exports.${name}`, ["plan", "range"], problem)

/** A sink that opens the export that is stored, however far it has been extended since it was planned. */
const continued = (sink: Sink): Sink => ({
  open: (plan) =>
    plan === undefined ? sink.open() : sink.open().pipe(
      Effect.catchIf(({ reason }) => reason === "stored", () => sink.open(plan)),
      Effect.tap((session) =>
        Effect.filterOrFail(session.plan, (stored) => isSameSelection(stored, plan), () =>
          new SinkError({
            reason: "stored",
            problem: "another export is stored here: of other accounts, presets or kinds, or from another beginning"
          }))
      )
    )
})

const startContinued = (options: Options) => start({ ...options, sink: continued(options.sink) }, options.plan)

/** How long after its time a record may be indexed, and is looked for. */
const defaultRecheck = Duration.days(3)

/**
 * The last second for which late records need not be looked for, in a plan of which everything was read at its end, or up to
 * `latest` if its end has not come yet.
 */
const settledBefore = (plan: Plan.Plan, latest: number, recheck: Duration.DurationInput | undefined): number =>
  // A block has no time, so nothing says how far back a recheck goes.
  plan.unit === "block"
    ? plan.to
    : Math.max(0, Math.min(plan.to, latest) - Math.ceil(duration(recheck, defaultRecheck) / 1000))

/** Stores a plan that continues the one that is stored, before its windows are read. Returns the plan to read. */
const store = Effect.fnUntraced(function*(run: Run, plan: Plan.Plan, next: Plan.Plan, emit: Emit) {
  const stored = yield* run.session.extend(next)
  if (stored.to > plan.to) {
    const grown = stored.windows.filter(({ to }, place) => to > (plan.windows[place]?.to ?? to)).length
    yield* emit({ _tag: "Extended", windows: stored.windows.length, grown, from: plan.to + 1, to: stored.to })
  }
  return stored
})

/** The windows of a plan up to a second: an end that a wrong clock has stored may be far ahead. */
const upTo = (plan: Plan.Plan, latest: number): Plan.Plan =>
  plan.to <= latest ? plan : new Plan.Plan({
    ...plan,
    to: latest,
    windows: plan.windows.flatMap((window) =>
      window.from > latest ? [] : window.to > latest ? [{ ...window, to: latest }] : [window]
    )
  })

/** Up to where each window was read before now. A reading that was stopped has seen the newest records of its part long ago. */
const readUntil = (plan: Plan.Plan, states: ReadonlyMap<number, WindowState>): ReadonlyMap<number, number> =>
  new Map(plan.windows.flatMap((window) => {
    const state = states.get(window.index)
    return state === undefined
      ? []
      : [[window.index, untilOf(window, state) ?? state.reading?.to ?? window.planned ?? window.to] as const]
  }))

/**
 * Looks for records that were indexed late, after `settled`, in what was read of windows before this run. Returns whether all of
 * it was looked at: the service may refuse a part, and a damaged window is to be repaired first.
 */
const recheck = Effect.fnUntraced(function*(
  run: Run,
  plan: Plan.Plan,
  begun: ReadonlyMap<number, number>,
  settled: number,
  emit: Emit
) {
  const states = yield* statesOf(run)
  const looked = yield* Effect.forEach(
    plan.windows,
    Effect.fnUntraced(function*(window) {
      const state = states.get(window.index)
      const to = Math.min(begun.get(window.index) ?? -1, window.to)
      if (to <= settled || state === undefined) return true
      // Of a window that was never read to an end, everything is read once the service lets it.
      if (state.status !== "closed") return untilOf(window, state) === undefined
      const part = { from: Math.max(window.from, settled + 1), to }
      const { _tag, ...found } = yield* recheckWindow(run, plan, window, state, part)
      if ("problem" in found) yield* emit({ _tag: "WindowUnreachable", window, note: found.problem })
      else if ("rows" in found) yield* emit({ _tag: "WindowRechecked", window, ...found })
      return _tag === "Rechecked"
    }),
    { concurrency: run.maxConcurrency }
  )
  return looked.every((isDone) => isDone)
})

const catchUpOnce = (options: CatchUpOptions, emit: Emit): Effect.Effect<
  void,
  ExportError | InvalidInput,
  TransferHistory
> =>
  Effect.scoped(Effect.gen(function*() {
    const run = yield* startContinued(options)
    const plan = yield* emitStarted(run, emit)
    if (plan.unit === "block" && options.to === undefined) {
      return yield* inBlocks("catchUp", "an open range of blocks has no end to plan for; give the last block")
    }
    const { latest, surely } = plan.unit === "block"
      ? { latest: Number.POSITIVE_INFINITY, surely: Number.POSITIVE_INFINITY }
      : yield* yield* settledBy(run, plan, options.indexLag, emit)
    const begun = readUntil(plan, yield* statesOf(run))
    const settled = Math.min(plan.settled ?? plan.to, settledBefore(plan, surely, options.recheck))
    const longer = yield* Plan.extend(plan, Math.min(options.to ?? latest, latest))
    const open = plan.open === true || options.to === undefined
    // Stored with the new windows: a run that is killed leaves to the next one what it did not recheck.
    const stored = yield* store(run, plan, new Plan.Plan({ ...longer, open, settled }), emit)
    const current = upTo(stored, latest)
    yield* readAll(run, current, emit)
    if (yield* recheck(run, current, begun, settled, emit)) {
      yield* run.session.extend(new Plan.Plan({ ...stored, settled: settledBefore(stored, surely, options.recheck) }))
    }
    yield* emit({ _tag: "Finished", manifest: yield* finish(run, current) })
  }))

export const catchUp = (
  options: CatchUpOptions
): Stream.Stream<Event, ExportError | InvalidInput, TransferHistory> => eventsOf((emit) => catchUpOnce(options, emit))

export const tail = (
  options: TailOptions
): Stream.Stream<Event, ExportError | InvalidInput, TransferHistory> =>
  eventsOf((emit) =>
    Effect.scoped(Effect.gen(function*() {
      const refused = inBlocks("tail", "a plan in blocks can't be followed; plan a range of time")
      if (options.plan?.unit === "block") return yield* refused
      const run = yield* startContinued(options)
      const pollInterval = duration(options.pollInterval, Duration.minutes(1))
      const first = yield* emitStarted(run, emit)
      if (first.unit === "block") return yield* refused
      const settledNow = yield* settledBy(run, first, options.indexLag, emit)
      /** Up to where a plan whose end was ahead of now was looked at again. */
      let looked: number | undefined
      for (;;) {
        const plan = yield* run.session.plan
        const { latest, surely } = yield* settledNow
        const longer = yield* Plan.extend(plan, latest)
        const settled = plan.settled ?? settledBefore(plan, surely, defaultRecheck)
        const stored = longer === plan ? plan : yield* store(run, plan, new Plan.Plan({ ...longer, settled }), emit)
        const current = upTo(stored, latest)
        const isAhead = current !== stored
        const begun = isAhead || looked !== undefined ? readUntil(plan, yield* statesOf(run)) : undefined
        yield* readAll(run, current, emit)
        // What was read to an end ahead of now lacks what has come since.
        if (begun !== undefined && (yield* recheck(run, current, begun, Math.max(settled, looked ?? 0), emit))) {
          looked = isAhead ? surely : undefined
        }
        yield* emit({ _tag: "Finished", manifest: yield* finish(run, current) })
        yield* Effect.sleep(pollInterval)
      }
    }))
  )
