import type * as Checkpoint from "@effect-klaytn/core/Checkpoint"
import * as IndexId from "@effect-klaytn/core/IndexId"
import * as Input from "@effect-klaytn/core/Input"
import * as ServiceTime from "@effect-klaytn/core/ServiceTime"
import { TransferHistory } from "@effect-klaytn/history/TransferHistory"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import * as Budget from "../Budget.js"
import { type ExportError, ServiceMismatch } from "../ExportError.js"
import type { Event, Options, Settings } from "../Exports.js"
import type { Manifest } from "../Manifest.js"
import * as Plan from "../Plan.js"
import * as Sink from "../Sink.js"
import * as columnsOf from "./columns.js"
import * as contents from "./contents.js"
import { flattener } from "./flatten.js"
import { type Page, withoutRepeated } from "./presentIds.js"
import { isOutOfRange, type Next, Recovery, smallerPage, WindowRecovery, withoutRetries } from "./recovery.js"
import { again, closed, nextPart, stateAfter, statusOf } from "./state.js"
import * as throttle from "./throttle.js"
import * as waiting from "./waiting.js"

export type Emit = (event: Event) => Effect.Effect<void>

export const duration = (input: Duration.DurationInput | undefined, fallback: Duration.Duration): number =>
  Duration.toMillis(Option.getOrElse(Duration.decodeUnknown(input ?? fallback), () => fallback))

/** The search of a window, from its beginning or after a checkpoint. */
const search = (plan: Plan.Plan, window: Plan.Window, resumeFrom: Checkpoint.Checkpoint | null) =>
  Stream.unwrap(Effect.gen(function*() {
    const history = yield* TransferHistory
    const range = yield* Plan.range(plan, window)
    const common = { kinds: plan.kinds, range, size: plan.size }
    const options = { unreadable: "keep", resumeFrom: resumeFrom ?? undefined } as const
    const source = plan.sources[window.source]
    return source?._tag === "Account"
      ? history.getTransfersByEoa.checkpoints(
        { ...common, address: source.address, contract: source.contract },
        options
      )
      : history.getTransfers.checkpoints({ ...common, presets: source?.presets ?? [] }, options)
  }))

const count = Input.Count
const time = Schema.optional(Input.duration("expected a duration such as \"10 minutes\""))
const finite = Schema.optional(
  Input.duration("expected a finite duration such as \"10 minutes\"", Duration.isFinite)
)
const place = Schema.optional(Input.wholeNumber("expected a Unix second or a block: a whole number, 0 or more"))

const runOptions = {
  concurrency: Schema.optionalWith(count, { default: () => 16 }),
  giveUpAfter: time,
  ahead: Schema.optional(count),
  recheck: time,
  indexLag: finite,
  pollInterval: finite,
  from: place,
  to: place
}

const names = Struct.keys(runOptions)

const readOptions = Input.decode("exports.run", Schema.Struct(runOptions))

/** The options of all ways to run an export: one way has some of them. */
type RunOptions = Settings & Partial<Schema.Struct.Encoded<Omit<typeof runOptions, keyof Settings>>>

/** What makes the requests of an export: all of them wait for a place, in the budget too, and say the service's time. */
export const requestsOf = Effect.fnUntraced(function*(options: Omit<RunOptions, "sink">) {
  const { budget = Budget.unlimited, giveUpAfter } = options
  const { concurrency: maxConcurrency } = yield* readOptions(Struct.pick(options, ...names))
  const gate = yield* throttle.make(maxConcurrency)
  const patienceMillis = duration(giveUpAfter, Duration.minutes(10))
  const untilAnswered = waiting.untilAnswered(patienceMillis)
  const serviceTime = ServiceTime.agreed()
  let index: IndexId.IndexId | undefined
  const observe = (id: IndexId.IndexId): void => {
    index = id
  }
  return {
    maxConcurrency,
    patienceMillis,
    serviceTime,
    /** The ID of the index that answered last, if it says one. */
    index: () => index,
    recovery: new Recovery(gate, patienceMillis),
    /** Makes a request in its turn. */
    turn: <A, E, R>(request: Effect.Effect<A, E, R>) =>
      gate.run(
        Effect.zipRight(
          untilAnswered(budget.take),
          ServiceTime.observed(serviceTime)(Effect.provideService(request, IndexId.Observer, observe))
        )
      )
  }
})

export type Requests = Effect.Effect.Success<ReturnType<typeof requestsOf>>

/** Where an export is read. */
interface Origin {
  readonly chain: Checkpoint.Checkpoint["chain"]
  readonly host: string
  /** The ID of its index, if the service says one. */
  readonly index: IndexId.IndexId | undefined
}

/** Where the windows of an export were read so far: it may have gone on at another address, or got another index of the chain. */
const originsOf = (states: ReadonlyArray<Sink.WindowState>): Map<string, Origin> => {
  const origins = new Map<string, Origin>()
  for (const { checkpoint, index } of states) {
    if (checkpoint === null) continue
    const origin = { ...Struct.pick(checkpoint, "chain", "host"), index }
    origins.set(nameOf(origin), origin)
  }
  return origins
}

const nameOf = ({ chain, host, index }: Origin): string =>
  `chain ${chain} at ${host}${index === undefined ? "" : `, index ${index}`}`

/** An address may get another index of the same chain; another address must have the same index. */
const isKnown = (origins: ReadonlyArray<Origin>, { chain, host, index }: Origin): boolean => {
  if (origins.some((one) => one.chain !== chain)) return false
  if (index !== undefined && origins.some((one) => one.index === index)) return true
  const here = origins.filter((one) => one.host === host)
  const indexes = here.flatMap((one) => one.index ?? [])
  return here.length > 0 &&
    (index === undefined || indexes.length === 0 || indexes.some((one) => IndexId.isSameChain(one, index)))
}

/** Everything that one run of an export shares. A bad option is refused before the sink is opened. */
export const start = Effect.fnUntraced(function*(
  options: RunOptions,
  newPlan: Plan.Plan | undefined
) {
  const requests = yield* requestsOf(options)
  const { patienceMillis, recovery, turn } = requests
  // Columns that this program does not know are refused before the sink is opened.
  if (newPlan !== undefined) yield* columnsOf.ofPlan(newPlan)
  const opening = waiting.untilAnswered(patienceMillis)(options.sink.open(newPlan))
  const session = waiting.waiting(yield* opening, patienceMillis)
  const columns = yield* columnsOf.ofPlan(yield* session.plan)
  const states = yield* session.states
  const damaged = contents.damagedOf(yield* session.damages)
  const origins = originsOf(states)

  /** An export stays on the chain and the index that it was begun on, which several addresses may have. */
  const checkOrigin = ({ checkpoint: { chain, host } }: Page): Effect.Effect<void, ServiceMismatch> => {
    const actual = { chain, host, index: requests.index() }
    const name = nameOf(actual)
    if (!origins.has(name) && origins.size > 0 && !isKnown([...origins.values()], actual)) {
      return new ServiceMismatch({ expected: [...origins.keys()].join(", or "), actual: name })
    }
    origins.set(name, actual)
    return Effect.void
  }

  /** Pulls the pages of a window one at a time, each in its turn at the gate, and passes them to `use`. */
  const eachPage = <E, R>(
    plan: Plan.Plan,
    window: Plan.Window,
    from: Checkpoint.Checkpoint | null,
    use: (page: Page) => Effect.Effect<void, E, R>
  ): Effect.Effect<void, E | ExportError, R | TransferHistory> =>
    Effect.scoped(Effect.gen(function*() {
      const pull = yield* Stream.toPull(withoutRetries(search(plan, window, from)))
      let finished = false
      while (!finished) {
        const pages = yield* turn(recovery.timed(window, pull))
        for (const page of pages) {
          yield* checkOrigin(page)
          yield* use(page)
          finished = page.checkpoint.finished
        }
      }
    }))

  return {
    ...requests,
    session,
    columns,
    eachPage,
    /** What is wrong with windows that are damaged. */
    damaged,
    /** When this run last asked for each window that the service refuses. */
    asked: new Map<number, number>()
  }
})

export type Run = Effect.Effect.Success<ReturnType<typeof start>>

/** Says that this machine's clock differs from the service's. */
export const tellSkew = ({ serviceTime }: Requests, emit: Emit): Effect.Effect<void> =>
  Effect.suspend(() => {
    const seconds = ServiceTime.skewSeconds(serviceTime.reading())
    return seconds === undefined ? Effect.void : emit({ _tag: "ClockDiffers", seconds })
  })

const isConflict = (error: ExportError): boolean => error._tag === "SinkError" && error.reason === "conflict"

/** Why a window is read: for the first time, because the service refused it before, or because it lacks something. */
type Reason = "new" | "refused" | "repair"

/** Records that the service refuses the range of a window. A window that is repaired was closed, and stays closed. */
const recordUnreachable = Effect.fnUntraced(function*(
  run: Run,
  window: Plan.Window,
  before: Sink.WindowState,
  note: string,
  reason: Reason
) {
  if (reason === "repair") {
    // A sink that keeps the pages of a window apart discards those of the repair, and still has the closed window.
    yield* run.session.restart(before)
    if ((yield* statesOf(run)).get(window.index)?.status !== "open") return
  }
  const end = reason === "repair" ? closed(before, "closed", null) : closed(before, "unreachable", note)
  yield* run.session.commit({ window, before, rows: [], rejected: [], next: () => end })
})

/** Reads a window to its end, and returns how that ended. `Conflict`: another process works on the window. */
export const readWindow = Effect.fnUntraced(function*(
  run: Run,
  plan: Plan.Plan,
  window: Plan.Window,
  begin: Sink.WindowState,
  emit: Emit,
  reason: Reason = "new",
  asked?: Sink.Part
) {
  const { columns, eachPage, recovery, session } = run
  const toRows = flattener(plan, window)
  const progress = new WindowRecovery(recovery, window, emit)
  let part = asked ?? nextPart(window, begin)
  let state: Sink.WindowState = { ...(begin.status === "open" ? begin : again(begin)), reading: part }
  let { size } = plan
  const store = (page: Page): Effect.Effect<void, ExportError, TransferHistory> =>
    Effect.gen(function*() {
      const before = state
      const index = run.index()
      const made = yield* withoutRepeated(run, plan, window, toRows(page.items, before))
      state = yield* session.commit({
        window,
        before,
        rows: made.rows,
        rejected: made.rejected,
        next: (rows, rejected) => ({
          ...stateAfter(columns, before, page.checkpoint, made, rows, rejected),
          ...(index === undefined ? {} : { index })
        })
      })
      yield* progress.advanced()
      yield* emit({
        _tag: "PageStored",
        window,
        rows: state.rows - before.rows,
        rejected: state.rejected - before.rejected,
        skipped: state.skipped - before.skipped,
        at: (plan.unit === "second" ? state.last?.unix : state.last?.block_number) ?? undefined
      })
    })
  while (state.status === "open") {
    const next = yield* Effect.suspend(() =>
      eachPage(new Plan.Plan({ ...plan, size }), { ...window, ...part }, state.checkpoint, store)
    ).pipe(
      Effect.as<"done" | Next>("done"),
      Effect.catchAll((error) => {
        const smaller = smallerPage(error, size)
        if (smaller === undefined) return progress.recover(error, state)
        size = smaller
        return Effect.as(emit({ _tag: "WindowRestarted", window, reason: error.message }), "restart" as const)
      })
    )
    if (next === "restart") state = { ...yield* session.restart(state), reading: part }
    if (next === "unreachable") {
      const note = progress.note ?? ""
      run.asked.set(window.index, yield* Clock.currentTimeMillis)
      // Refused as before: what is recorded is still so.
      if (reason !== "refused" || state.pages !== begin.pages) {
        yield* recordUnreachable(run, window, state, note, reason)
      }
      yield* emit({ _tag: "WindowUnreachable", window, note })
      return { _tag: "Unreachable" as const, note }
    }
    if (asked === undefined && statusOf(window, state) === "open" && state.status === "closed") {
      // It has grown since the part was begun.
      part = nextPart(window, state)
      state = { ...again(state), reading: part }
    }
  }
  yield* emit({ _tag: "WindowClosed", window, rows: state.rows, rejected: state.rejected })
  return { _tag: "Closed" as const }
}, Effect.catchIf(isConflict, () => Effect.succeed({ _tag: "Conflict" as const })))

/** The states of the windows that were begun, by window. */
export const statesOf = ({ session }: Run) =>
  Effect.map(session.states, (states) => new Map(states.map((state) => [state.window, state])))

/** How long to leave a window to another process that works on it. */
export const conflictPause = Duration.seconds(1)

/** How long a range that the service refused is left before the same run asks for it again. */
const refusedPause = 86_400_000

/**
 * The windows that the service refused, which may pass: each run asks for them again, a long one once a day, and as soon as they
 * have grown.
 */
const dueAgain = (run: Run, plan: Plan.Plan, states: ReadonlyMap<number, Sink.WindowState>, now: number) =>
  plan.windows.filter(({ index, planned, to }) => {
    const state = states.get(index)
    return state?.status === "unreachable" && (to > (state.reading?.to ?? planned ?? to) ||
      now - (run.asked.get(index) ?? Number.NEGATIVE_INFINITY) >= refusedPause)
  })

/** Reads a window that the service refused from its beginning. */
export const readRefused = Effect.fnUntraced(function*(
  run: Run,
  plan: Plan.Plan,
  window: Plan.Window,
  refused: Sink.WindowState,
  emit: Emit
) {
  return yield* readWindow(run, plan, window, yield* run.session.restart(refused), emit, "refused")
})

/** Whether a failure says nothing of other windows. */
const isOfWindow = ({ _tag }: ExportError): boolean =>
  _tag === "BudgetExhausted" || _tag === "CursorLost" || _tag === "MalformedResponse" || _tag === "Rejected"

/** Reads all windows of a plan that are open, and then those that the service refused. */
export const readOpen = Effect.fnUntraced(function*(run: Run, plan: Plan.Plan, emit: Emit) {
  for (;;) {
    const states = yield* statesOf(run)
    const isOpen = (window: Plan.Window) => statusOf(window, states.get(window.index)) === "open"
    const ends = yield* Effect.forEach(
      [...plan.windows.filter(isOpen), ...dueAgain(run, plan, states, yield* Clock.currentTimeMillis)],
      (window) =>
        (isOpen(window)
          ? readWindow(run, plan, window, states.get(window.index) ?? Sink.fresh(window), emit)
          : readRefused(run, plan, window, states.get(window.index) ?? Sink.fresh(window), emit)).pipe(
            // The others go on: requests that have their place in the budget are still made, and an account that can't be read
            // keeps none from being stored.
            Effect.catchIf(isOfWindow, (error) => Effect.succeed({ _tag: "Failed" as const, error }))
          ),
      { concurrency: run.maxConcurrency }
    )
    const [failure] = ends.flatMap((end) => end._tag === "Failed" ? [end.error] : [])
    if (failure !== undefined) return yield* Effect.fail(failure)
    if (ends.every((end) => end._tag !== "Conflict")) return
    yield* Effect.sleep(conflictPause)
  }
})

const manifestOf = Effect.fnUntraced(function*(
  session: Sink.Session,
  damaged: ReadonlyMap<number, string>,
  plan: Plan.Plan
) {
  const { length: extra } = yield* session.extras
  return contents.make(yield* columnsOf.ofPlan(plan), plan, yield* session.states, { damaged, extra })
})

/** Stores the manifest of a plan: of the stored one, unless that ends ahead of now. */
export const finish = Effect.fnUntraced(function*({ damaged, session }: Run, plan?: Plan.Plan) {
  const manifest = yield* manifestOf(session, damaged, plan ?? (yield* session.plan))
  yield* session.finish(manifest)
  return manifest
})

export const emitStarted = Effect.fnUntraced(function*(run: Run, emit: Emit) {
  const plan = yield* run.session.plan
  const states = yield* run.session.states
  yield* emit({
    _tag: "Started",
    windows: plan.windows.length,
    closed: states.filter(({ status }) => status === "closed").length,
    rows: states.reduce((sum, { rows }) => sum + rows, 0),
    columns: { version: run.columns.version, newest: (yield* columnsOf.Known).version }
  })
  for (const window of plan.windows) {
    const problem = run.damaged.get(window.index)
    if (problem !== undefined) yield* emit({ _tag: "WindowDamaged", window, problem })
  }
  return plan
})

/** Reads what is open. The manifest is also stored when that fails: it says how far the export came. */
export const readAll = (run: Run, plan: Plan.Plan, emit: Emit): Effect.Effect<void, ExportError, TransferHistory> =>
  Effect.tapErrorCause(readOpen(run, plan, emit), () => Effect.ignoreLogged(finish(run, plan)))

const toEnd = (options: Options, emit: Emit): Effect.Effect<Manifest, ExportError, TransferHistory> =>
  Effect.scoped(Effect.gen(function*() {
    const run = yield* start(options, options.plan)
    const plan = yield* emitStarted(run, emit)
    yield* readAll(run, plan, emit)
    yield* tellSkew(run, emit)
    const manifest = yield* finish(run)
    yield* emit({ _tag: "Finished", manifest })
    return manifest
  }))

export const eventsOf = <E, R>(work: (emit: Emit) => Effect.Effect<unknown, E, R>): Stream.Stream<Event, E, R> =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const mailbox = yield* Mailbox.make<Event, E>({ capacity: 16, strategy: "suspend" })
    yield* Effect.forkScoped(Mailbox.into(work((event) => mailbox.offer(event)), mailbox))
    return Mailbox.toStream(mailbox)
  }))

export const run = (options: Options): Effect.Effect<Manifest, ExportError, TransferHistory> =>
  toEnd(options, () => Effect.void)

export const events = (options: Options): Stream.Stream<Event, ExportError, TransferHistory> =>
  eventsOf((emit) => toEnd(options, emit))

export const manifest = (sink: Sink.Sink): Effect.Effect<Manifest, Sink.SinkError> =>
  Effect.scoped(Effect.gen(function*() {
    const session = yield* sink.open()
    return yield* manifestOf(session, contents.damagedOf(yield* session.damages), yield* session.plan)
  }))

export const unreachable = Effect.fnUntraced(function*(
  plan: Plan.Plan,
  { budget = Budget.unlimited }: { readonly budget?: Budget.Budget | undefined } = {}
) {
  const periods = plan.windows.filter(({ source }) => source === 0).sort((a, b) => b.from - a.from)
  const isRefused = (window: Plan.Window) =>
    Effect.zipRight(
      budget.take,
      search(new Plan.Plan({ ...plan, size: 1 }), window, null).pipe(
        Stream.take(1),
        Stream.runDrain,
        Effect.as(false),
        Effect.catchIf(isOutOfRange, () => Effect.succeed(true))
      )
    )
  let reached = 0
  let refused = periods.length
  while (reached < refused) {
    const middle = Math.floor((reached + refused) / 2)
    const window = periods[middle]
    if (window !== undefined && (yield* isRefused(window))) refused = middle
    else reached = middle + 1
  }
  const border = periods[refused]?.to
  return border === undefined ? [] : plan.windows.filter(({ to }) => to <= border)
})
