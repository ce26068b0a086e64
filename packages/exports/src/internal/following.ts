/** Exports that are extended by what is new: once, and for as long as they run. */
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { TransferHistory } from "@effect-klaytn/history/TransferHistory"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { ExportError } from "../ExportError.js"
import type { CatchUpOptions, Event, Options, TailOptions } from "../Exports.js"
import * as Plan from "../Plan.js"
import { isSameSelection, type Sink, SinkError } from "../Sink.js"
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

/** Looks for records that were indexed late, after `settled`, in what was read of windows before this run. */
const recheck = Effect.fnUntraced(function*(
  run: Run,
  plan: Plan.Plan,
  begun: ReadonlyMap<number, number>,
  settled: number,
  emit: Emit
) {
  const states = yield* statesOf(run)
  yield* Effect.forEach(
    plan.windows,
    (window) => {
      const state = states.get(window.index)
      const to = begun.get(window.index)
      if (to === undefined || to <= settled || state?.status !== "closed") return Effect.void
      return Effect.flatMap(
        recheckWindow(run, plan, window, state, { from: Math.max(window.from, settled + 1), to }),
        (late) => emit({ _tag: "WindowRechecked", window, ...late })
      )
    },
    { concurrency: run.maxConcurrency, discard: true }
  )
})

const catchUpOnce = (options: CatchUpOptions, emit: Emit): Effect.Effect<
  void,
  ExportError | InvalidInput,
  TransferHistory
> =>
  Effect.scoped(Effect.gen(function*() {
    const run = yield* startContinued(options)
    const plan = yield* emitStarted(run, emit)
    const states = yield* statesOf(run)
    const begun = new Map(plan.windows.flatMap((window) => {
      const state = states.get(window.index)
      // A reading that was stopped has seen the newest records of its part long ago.
      return state === undefined
        ? []
        : [[window.index, untilOf(window, state) ?? state.reading?.to ?? window.planned ?? window.to] as const]
    }))
    if (plan.unit === "block" && options.to === undefined) {
      return yield* inBlocks("catchUp", "an open range of blocks has no end to plan for; give the last block")
    }
    const latest = plan.unit === "block"
      ? Number.POSITIVE_INFINITY
      : yield* yield* settledBy(run, plan, options.indexLag, emit)
    const settled = Math.min(plan.settled ?? plan.to, settledBefore(plan, latest, options.recheck))
    const longer = yield* Plan.extend(plan, Math.min(options.to ?? latest, latest))
    const open = plan.open === true || options.to === undefined
    // Stored with the new windows: a run that is killed leaves to the next one what it did not recheck.
    const stored = yield* store(run, plan, new Plan.Plan({ ...longer, open, settled }), emit)
    yield* readAll(run, stored, emit)
    yield* recheck(run, stored, begun, settled, emit)
    yield* run.session.extend(new Plan.Plan({ ...stored, settled: settledBefore(stored, latest, options.recheck) }))
    yield* emit({ _tag: "Finished", manifest: yield* finish(run) })
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
      const begun = yield* emitStarted(run, emit)
      if (begun.unit === "block") return yield* refused
      const settledNow = yield* settledBy(run, begun, options.indexLag, emit)
      for (;;) {
        const plan = yield* run.session.plan
        const latest = yield* settledNow
        const longer = yield* Plan.extend(plan, latest)
        const settled = plan.settled ?? settledBefore(plan, latest, defaultRecheck)
        const stored = longer === plan ? plan : yield* store(run, plan, new Plan.Plan({ ...longer, settled }), emit)
        yield* readAll(run, stored, emit)
        yield* emit({ _tag: "Finished", manifest: yield* finish(run) })
        yield* Effect.sleep(pollInterval)
      }
    }))
  )
