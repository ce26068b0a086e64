/**
 * One process of the drill: runs an export and tells of each commit, until it ends or is killed. With a fault, it does
 * what an exporter must not do.
 */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as Database from "@effect-klaytn/engine/Database"
import * as Range from "@effect-klaytn/history/Range"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Budget from "../src/Budget.js"
import * as Exports from "../src/Exports.js"
import * as FileSink from "../src/FileSink.js"
import * as Plan from "../src/Plan.js"
import type { Sink } from "../src/Sink.js"
import * as SqlSink from "../src/SqlSink.js"
import type { Job } from "./exportRuns.js"

// Written by the parent.
const job = JSON.parse(process.argv[2] ?? "{}") as Job

const History = TransferHistory.layer().pipe(
  Layer.provide(ClientConfig.layer({
    chain: 1001,
    credentials: Effect.suspend(() =>
      Credentials.fromPair({ accessKeyId: "KASK0EXAMPLE", secretAccessKey: Redacted.make("not-a-secret") })
    ),
    endpoints: { history: job.url }
  })),
  Layer.provide(FetchHttpClient.layer)
)

const Files = Layer.merge(NodeFileSystem.layer, NodePath.layer)

const Sql: Layer.Layer<SqlClient, unknown> = job.sink === "postgres"
  ? PgClient.layer({ url: Redacted.make(job.place), maxConnections: 3 })
  : Database.layerSqlite({ file: `${job.place}/export.db` })

/** Stores the state of a window before its rows, as a careless exporter would. */
const checkpointFirst = (sink: Sink): Sink => ({
  open: (plan) =>
    Effect.map(sink.open(plan), (session) => ({
      ...session,
      commit: (page) =>
        Effect.gen(function*() {
          const state = page.next(page.rows, page.rejected)
          const before = yield* session.commit({ ...page, rows: [], rejected: [], next: () => state })
          yield* Effect.sleep(20)
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

const tell = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

const work = (sink: Sink, budget: Budget.Budget) =>
  Effect.gen(function*() {
    if (job.reconcile) {
      let late = 0
      yield* Exports.reconcile({ sink, budget, repair: true }).pipe(
        Stream.runForEach(({ missing }) => Effect.sync(() => late += missing.length))
      )
      return tell({ late })
    }
    const range = yield* job.blocks === undefined ? Range.time(job.range) : Range.blocks(job.blocks)
    const made = yield* Plan.make({ accounts: job.accounts, range, windows: job.windows, size: job.size })
    const plan = job.fault === "border" ? bordersTwice(made) : made
    yield* Exports.events({
      plan,
      sink: job.fault === "checkpoint" ? checkpointFirst(sink) : sink,
      budget,
      concurrency: job.concurrency
    }).pipe(Stream.runForEach((event) =>
      Effect.sync(() => {
        if (event._tag === "PageStored") tell({ rows: event.rows })
        if (event._tag === "Finished") {
          const { checksum, complete, rejected, rows } = event.manifest
          tell({ complete, rows, rejected, checksum })
        }
      })
    ))
  })

const limits = { perDay: job.perDay }

const program = job.sink === "ndjson" || job.sink === "csv"
  ? Effect.gen(function*() {
    const sink = yield* FileSink.make({ directory: job.place, format: job.sink === "csv" ? "csv" : "ndjson" })
    yield* work(sink, yield* Budget.make(limits))
  }).pipe(Effect.provide(Files))
  : Effect.gen(function*() {
    const budget = yield* job.fault === "budget" ? Budget.make(limits) : SqlSink.budget(limits)
    yield* work(yield* SqlSink.make(), budget)
  }).pipe(Effect.provide(Sql))

const isExhausted = (error: unknown): error is Budget.BudgetExhausted => error instanceof Budget.BudgetExhausted

await Effect.runPromise(
  program.pipe(
    Effect.catchIf(isExhausted, ({ requests }) => Effect.sync(() => tell({ requests }))),
    Effect.provide(History)
  )
)
process.exit(0)
