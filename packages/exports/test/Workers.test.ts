import * as Database from "@effect-klaytn/engine/Database"
import * as Engine from "@effect-klaytn/engine/Engine"
import * as Range from "@effect-klaytn/history/Range"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FileSystem from "@effect/platform/FileSystem"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { sqlTallies } from "../../../drills/exports/audit.js"
import * as records from "../../../drills/exports/records.js"
import { type Answer, HistoryService, type Troubles } from "../../../drills/exports/service.js"
import * as Budget from "../src/Budget.js"
import * as Exports from "../src/Exports.js"
import * as Plan from "../src/Plan.js"
import * as SqlSink from "../src/SqlSink.js"
import * as Workers from "../src/Workers.js"
import * as Memory from "./support/memory.js"
import * as Service from "./support/service.js"

const accounts = [0, 1].map(records.addressOf)
const history = records.make({ seed: "workers", transfers: 800, accounts: 3, misshapen: 0.01 })
const truth = records.expected(history, new Set(accounts))
const range = Either.getOrThrow(Range.time({ from: records.began, to: records.began + records.lasts }))
const planned = Plan.make({ accounts, range, size: 40, windows: 5 })
const nothingWrong = { rows: { missing: 0, doubled: 0 }, rejected: { missing: 0, doubled: 0 } }

const audited = Effect.gen(function*() {
  const found = yield* sqlTallies(yield* SqlClient)
  return {
    rows: records.compare(truth.rows, found.rows),
    rejected: records.compare(truth.rejected, found.rejected)
  }
})

const checksum = Effect.gen(function*() {
  const manifest = yield* Exports.run({ plan: yield* planned, sink: Memory.make().sink })
  return manifest.checksum
}).pipe(Effect.provide(Service.of(new HistoryService(history))))

const temporaryFile = Effect.map(
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped()),
  (directory) => `${directory}/work.db`
).pipe(Effect.provide(NodeContext.layer))

/** A process that does the work on a file. */
const worker = (file: string, answer: (target: string) => Answer, settings?: Parameters<typeof Workers.layer>[0]) =>
  Effect.provide(
    Workers.layer(settings).pipe(
      Layer.provideMerge(Engine.layerRunner({ pollInterval: "20 millis", shutdownTimeout: "50 millis" })),
      Layer.provideMerge(Database.layerSqlite({ file })),
      Layer.provide(Service.layer(Service.wire(answer)))
    )
  )

const serving = (troubles: Troubles = {}) => {
  const service = new HistoryService(history, troubles)
  return { service, answer: (target: string) => service.answer(target) }
}

describe("an export that is submitted", () => {
  it.scopedLive("comes to the manifest and the checksum of one that is run, over throttling, outages and lost cursors", () =>
    Effect.gen(function*() {
      const { answer } = serving({ dying: 0.03, failing: 0.02, throttled: 0.02, random: records.random("workers") })
      yield* Effect.gen(function*() {
        const manifest = yield* Workers.submit({ plan: yield* planned })
        assert.strictEqual(manifest.windows.length, 10)
        assert.strictEqual(manifest.complete, "except-rejected")
        assert.strictEqual(manifest.checksum, yield* checksum)
        assert.deepStrictEqual(yield* Exports.manifest(yield* SqlSink.make()), manifest)
        assert.deepStrictEqual(yield* audited, nothingWrong)
      }).pipe(worker(yield* temporaryFile, answer))
    }))

  it.scopedLive("goes on in another process where one was closed in the middle, with nothing missing or doubled", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const plan = yield* planned
      const early = serving()
      const reached = yield* Deferred.make<void>()
      const interrupted = yield* Workers.submit({ plan }).pipe(
        Effect.raceFirst(Effect.as(Deferred.await(reached), "closed" as const)),
        worker(file, (target) => {
          const answered = early.answer(target)
          // From here on this process only waits.
          if (early.service.requests < 20) return answered
          Deferred.unsafeDone(reached, Effect.void)
          return { status: 429, body: "", headers: { "retry-after": "60" } }
        }, { concurrency: 2 })
      )
      assert.strictEqual(interrupted, "closed")
      const late = serving()
      yield* Effect.gen(function*() {
        const sink = yield* SqlSink.make()
        const manifest = yield* Workers.submit({ plan })
        assert.strictEqual(manifest.complete, "except-rejected")
        assert.strictEqual(manifest.checksum, yield* checksum)
        assert.deepStrictEqual(yield* Exports.manifest(sink), manifest)
        assert.deepStrictEqual(yield* audited, nothingWrong)
      }).pipe(worker(file, late.answer))
      const whole = serving()
      yield* Exports.run({ plan, sink: Memory.make().sink }).pipe(Effect.provide(Service.of(whole.service)))
      // What was committed before is not requested again.
      assert.isBelow(late.service.requests, whole.service.requests)
    }))

  it.scopedLive("twice is one, at the same time and after a restart", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const plan = yield* planned
      const alone = serving()
      yield* Exports.run({ plan, sink: Memory.make().sink }).pipe(Effect.provide(Service.of(alone.service)))
      const { answer, service } = serving()
      const [one, other] = yield* Effect.all([Workers.submit({ plan }), Workers.submit({ plan })], {
        concurrency: 2
      }).pipe(worker(file, answer))
      assert.deepStrictEqual(one, other)
      assert.strictEqual(service.requests, alone.service.requests)
      const again = serving()
      assert.deepStrictEqual(yield* Workers.submit({ plan }).pipe(worker(file, again.answer)), one)
      assert.strictEqual(again.service.requests, 0)
    }))

  it.scopedLive("that failed stays failed, and its next attempt goes on", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const plan = yield* planned
      const { answer, service } = serving()
      let isRefused = true
      yield* Effect.gen(function*() {
        const failed = yield* Effect.flip(Workers.submit({ plan }))
        assert.strictEqual(failed._tag === "ExportFailed" && failed.reason, "Unauthorized")
        isRefused = false
        const requests = service.requests
        assert.strictEqual((yield* Effect.flip(Workers.submit({ plan }))).message, failed.message)
        assert.strictEqual(service.requests, requests)
        const manifest = yield* Workers.submit({ plan, attempt: 1 })
        assert.strictEqual(manifest.checksum, yield* checksum)
        assert.deepStrictEqual(yield* audited, nothingWrong)
      }).pipe(worker(file, (target) => {
        const answered = answer(target)
        return isRefused && service.requests > 20
          ? { status: 401, body: JSON.stringify({ code: 1010009, message: "refused" }) }
          : answered
      }))
    }))

  it.scopedLive("waits for the next day of a budget, and fails for one that has none", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const plan = yield* planned
      const { answer, service } = serving()
      let taken = 0
      let nextDay = 0
      let early = 0
      const daily: Budget.Budget = {
        take: Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (++taken <= 12 || nextDay > 0 && now >= nextDay) return Effect.void
          if (nextDay === 0) nextDay = Math.ceil(now / 1000) * 1000 + 1000
          early = service.requests
          return new Budget.BudgetExhausted({ limit: "day", requests: 12, until: nextDay / 1000 })
        })
      }
      yield* Effect.gen(function*() {
        const manifest = yield* Workers.submit({ plan })
        assert.strictEqual(manifest.checksum, yield* checksum)
        assert.isAtLeast(yield* Clock.currentTimeMillis, nextDay)
        assert.isAtMost(early, 12)
        assert.isAbove(early, 0)
        assert.isAbove(service.requests, 12)
        assert.deepStrictEqual(yield* audited, nothingWrong)
      }).pipe(worker(file, answer, { budget: daily }))
      yield* Effect.gen(function*() {
        const failed = yield* Effect.flip(Workers.submit({ plan, prefix: "run_" }))
        assert.strictEqual(failed._tag === "ExportFailed" && failed.reason, "BudgetExhausted")
      }).pipe(worker(file, answer, { budget: yield* Budget.make({ perRun: 5 }) }))
    }))

  it.scopedLive("ends at once when its database takes no more rows, and goes on with the next attempt", () =>
    Effect.gen(function*() {
      const { answer } = serving()
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient
        const plan = yield* planned
        yield* Effect.scoped(Effect.flatMap(SqlSink.make(), (sink) => sink.open(plan)))
        yield* sql.unsafe(`CREATE TRIGGER full BEFORE INSERT ON export_windows
          WHEN (SELECT COUNT(*) FROM transfers) > 100 BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`)
        const failed = yield* Effect.flip(Workers.submit({ plan }))
        assert.strictEqual(failed._tag === "ExportFailed" && failed.reason, "SinkError")
        assert.include(failed.message, "the disk is full")
        const stored = yield* sql<{ readonly rows: number }>`
          SELECT (SELECT COUNT(*) FROM transfers) - (SELECT COALESCE(SUM(rows_stored), 0) FROM export_windows) AS rows`
        assert.deepStrictEqual(stored, [{ rows: 0 }])
        yield* sql.unsafe("DROP TRIGGER full")
        const manifest = yield* Workers.submit({ plan, attempt: 1 })
        assert.strictEqual(manifest.checksum, yield* checksum)
        assert.deepStrictEqual(yield* audited, nothingWrong)
      }).pipe(worker(yield* temporaryFile, answer))
    }))

  it.scopedLive("has its own prefix: another plan under it is refused, and so is a prefix that can't be one", () =>
    Effect.gen(function*() {
      const { answer } = serving()
      yield* Effect.gen(function*() {
        yield* Workers.submit({ plan: yield* planned, prefix: "one_" })
        const other = yield* Plan.make({ accounts, range, size: 41, windows: 5 })
        const stored = yield* Effect.flip(Workers.submit({ plan: other, prefix: "one_" }))
        assert.strictEqual(stored._tag === "ExportFailed" && stored.reason, "SinkError")
        assert.strictEqual((yield* Workers.submit({ plan: other, prefix: "two_" })).checksum, yield* checksum)
        const refused = yield* Effect.flip(Workers.submit({ plan: other, prefix: "Two-" }))
        assert.deepInclude(refused, { _tag: "InvalidInput", path: ["prefix"] })
      }).pipe(worker(yield* temporaryFile, answer))
    }))
})
