/**
 * One process of the drill: runs an export and tells of each commit, until it ends or is killed. With a fault, it does
 * what an exporter must not do.
 */
import * as Range from "@effect-klaytn/history/Range"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as Budget from "../../packages/exports/src/Budget.js"
import * as Exports from "../../packages/exports/src/Exports.js"
import * as FileSink from "../../packages/exports/src/FileSink.js"
import * as Plan from "../../packages/exports/src/Plan.js"
import { type Sink, SinkError } from "../../packages/exports/src/Sink.js"
import * as SqlSink from "../../packages/exports/src/SqlSink.js"
import { budget, History, job, ownBudget, Sql, tell } from "./child.js"
import { planOf } from "./job.js"

/** Stores the state of a window before its rows, as a careless exporter would. */
const checkpointFirst = (sink: Sink): Sink => ({
  open: (plan) =>
    Effect.map(sink.open(plan), (session) => ({
      ...session,
      commit: (page) =>
        Effect.gen(function*() {
          const state = page.next(page.rows, page.rejected)
          const before = yield* session.commit({ ...page, rows: [], rejected: [], next: () => state })
          yield* Effect.sleep(50)
          return yield* session.commit({ ...page, before, next: () => before })
        })
    }))
})

/** Lets each window begin with what the older one ends with. */
const bordersTwice = (plan: Plan.Plan): Plan.Plan =>
  new Plan.Plan({
    ...plan,
    windows: plan.windows.map((window) => ({ ...window, from: Math.max(plan.from, window.from - 1) }))
  })

const work = (sink: Sink, budget: Budget.Budget) =>
  Effect.gen(function*() {
    if (job.reconcile) {
      let late = 0
      yield* Exports.reconcile({ sink, budget, repair: true }).pipe(
        Stream.runForEach(({ missing }) => Effect.sync(() => late += missing.length))
      )
      const { checksum } = yield* Exports.manifest(sink)
      return tell({ late, checksum })
    }
    const made = yield* planOf(job)
    const plan = job.fault === "border" ? bordersTwice(made) : made
    yield* Exports.events({
      plan,
      sink: job.fault === "checkpoint" ? checkpointFirst(sink) : sink,
      budget,
      concurrency: job.concurrency
    }).pipe(Stream.runForEach((event) =>
      Effect.sync(() => {
        if (event._tag === "PageStored") tell({ stored: event.rows })
        if (event._tag === "WindowClosed") tell({ closed: event.window.index })
      })
    ))
  })

const program = job.sink === "ndjson" || job.sink === "csv"
  ? Effect.gen(function*() {
    const sink = yield* FileSink.make({ directory: job.place, format: job.sink === "csv" ? "csv" : "ndjson" })
    yield* work(sink, yield* ownBudget)
  }).pipe(Effect.provide([NodeFileSystem.layer, NodePath.layer]))
  : Effect.gen(function*() {
    yield* work(yield* SqlSink.make(), yield* budget)
  }).pipe(Effect.provide(Sql))

/** How many transfers an open range has, as a program without an export reads them. */
const listed = (from: number) =>
  Effect.gen(function*() {
    const { getTransfersByEoa } = yield* TransferHistory.TransferHistory
    const range = yield* Range.time({ from })
    const [address = ""] = job.accounts
    return yield* Stream.runCount(getTransfersByEoa.items({ address, range, size: job.size }, { unreadable: "keep" }))
  })

/** The clock of this process, which may be wrong. */
const clock = (() => {
  const right = Clock.make()
  const ahead = (job.clockDays ?? 0) * 86_400_000
  const offset = BigInt(ahead) * 1_000_000n
  return Object.assign(Object.create(right), {
    currentTimeMillis: Effect.map(right.currentTimeMillis, (now) => now + ahead),
    currentTimeNanos: Effect.map(right.currentTimeNanos, (now) => now + offset),
    unsafeCurrentTimeMillis: () => right.unsafeCurrentTimeMillis() + ahead,
    unsafeCurrentTimeNanos: () => right.unsafeCurrentTimeNanos() + offset
  }) as Clock.Clock
})()

const isExhausted = (error: unknown): error is Budget.BudgetExhausted => error instanceof Budget.BudgetExhausted
const isRefused = (error: unknown): error is SinkError => error instanceof SinkError

await Effect.runPromise(
  (job.listFrom === undefined
    ? Effect.provide(
      program,
      Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => tell({ log: message })))
    )
    : Effect.map(listed(job.listFrom), (listed) => tell({ listed }))).pipe(
      Effect.catchIf(isExhausted, ({ requests }) => Effect.sync(() => tell({ requests }))),
      Effect.catchIf(isRefused, ({ problem, reason }) => Effect.sync(() => tell({ refused: reason, problem }))),
      Effect.provide(History),
      Effect.withClock(clock)
    )
)
process.exit(0)
