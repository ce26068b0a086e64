/** What is stored is compared with what was recorded: at the start by a quick look, in a reconciliation as a whole. */
import * as Range from "@effect-klaytn/history/Range"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { fileTallies, parquetTallies, sqlTallies } from "../../../drills/exports/audit.js"
import * as records from "../../../drills/exports/records.js"
import { HistoryService } from "../../../drills/exports/service.js"
import { databases } from "../../engine/test/support/databases.js"
import * as Budget from "../src/Budget.js"
import * as Exports from "../src/Exports.js"
import * as FileSink from "../src/FileSink.js"
import { PartLength } from "../src/internal/FileSeries.js"
import * as Plan from "../src/Plan.js"
import type { Sink } from "../src/Sink.js"
import * as SqlSink from "../src/SqlSink.js"
import { clockFrom } from "./support/clock.js"
import * as Service from "./support/service.js"
import * as stores from "./support/stores.js"

const account = records.addressOf(0)
const history = records.make({ seed: "damage", transfers: 60, accounts: 2, misshapen: 0.05 })
const truth = records.expected(history, new Set([account]))

const plan = Effect.flatMap(
  Range.time({ from: records.began, to: records.began + records.lasts }),
  (range) => Plan.make({ accounts: [account], range, windows: 2, size: 10 })
)

const service = Service.of(new HistoryService(history))

const exported = (sink: Sink) =>
  Effect.flatMap(plan, (plan) => Exports.run({ plan, sink })).pipe(Effect.provide(service))

const reconciled = (sink: Sink, repair = false) =>
  Stream.runCollect(Exports.reconcile({ sink, repair })).pipe(
    Effect.map(Chunk.toReadonlyArray),
    Effect.provide(service)
  )

/** What an export says of damage when it is run again. */
const named = (sink: Sink) =>
  Stream.runCollect(Exports.events({ sink })).pipe(
    Effect.map((events) =>
      Chunk.toReadonlyArray(events).flatMap((event) => event._tag === "WindowDamaged" ? [event.problem] : [])
    ),
    Effect.provide(service)
  )

const tallies = (format: "ndjson" | "csv" | "parquet", directory: string) =>
  Effect.promise(() => format === "parquet" ? parquetTallies(directory) : Promise.resolve(fileTallies(directory)))

const whole = { missing: 0, doubled: 0 }

/** Ways to damage a file, and what is said of it. */
const damages: Readonly<Record<string, readonly [damage: (file: string) => void, problem: RegExp]>> = {
  "is gone": [unlinkSync, /is gone/],
  "is cut": [
    (file) => writeFileSync(file, readFileSync(file).subarray(0, -30)),
    /has \d+ bytes, and \d+ were recorded/
  ],
  "is longer": [(file) => appendFileSync(file, "\n"), /has \d+ bytes, and \d+ were recorded/],
  "has another byte": [(file) => {
    const bytes = readFileSync(file)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
    writeFileSync(file, bytes)
  }, /was changed: its SHA-256/]
}

for (const format of ["ndjson", "csv", "parquet"] as const) {
  describe(`a part of a directory of ${format}`, () => {
    it.scopedLive.each(Object.entries(damages))(
      "that %s is named, and read again by a repair",
      ([, [damage, problem]]) =>
        Effect.gen(function*() {
          const directory = yield* stores.temporary
          const sink = yield* FileSink.make({ directory, format })
          const { checksum } = yield* exported(sink)
          const [name = ""] = readdirSync(join(directory, "parts"))
          damage(join(directory, "parts", name))
          for (const said of [yield* named(sink), (yield* reconciled(sink)).map(({ damage = "" }) => damage)]) {
            assert.strictEqual(said.length, 1)
            assert.include(said[0], `parts/${name}`)
            assert.match(said[0] ?? "", problem)
          }
          const manifest = yield* Exports.manifest(sink)
          assert.strictEqual(manifest.complete, "no")
          assert.deepStrictEqual(manifest.windows.filter(({ status }) => status === "damaged").length, 1)
          const repaired = yield* reconciled(sink, true)
          assert.deepStrictEqual(repaired.map(({ repaired, status }) => [repaired, status]), [[true, "closed"]])
          assert.deepStrictEqual(yield* reconciled(sink), [])
          assert.deepStrictEqual(yield* named(sink), [])
          const { rows } = yield* tallies(format, directory)
          assert.deepStrictEqual(records.compare(truth.rows, rows), whole)
          assert.strictEqual((yield* Exports.manifest(sink)).checksum, checksum)
          // What is damaged may hold what the service no longer returns.
          assert.strictEqual(existsSync(join(directory, "parts", `${name}.damaged`)), !problem.test("is gone"))
        }).pipe(Effect.provide(NodeContext.layer))
    )

    it.scopedLive("that is damaged stays named if what the service no longer returns is to be removed", () =>
      Effect.gen(function*() {
        const directory = yield* stores.temporary
        const sink = yield* FileSink.make({ directory, format })
        yield* exported(sink)
        const half = Service.of(new HistoryService(history.filter((_, index) => index % 2 === 0)))
        const removed = Stream.runCollect(Exports.reconcile({ sink, remove: "all" })).pipe(
          Effect.map((all) => Chunk.toReadonlyArray(all).flatMap((one) => one.damage === undefined ? [] : one.removed)),
          Effect.provide(half)
        )
        yield* removed
        const [name = ""] = readdirSync(join(directory, "parts"))
        unlinkSync(join(directory, "parts", name))
        assert.deepStrictEqual(yield* removed, [])
        assert.match((yield* named(sink)).join(), /is gone/)
      }).pipe(Effect.provideService(PartLength, 2000), Effect.provide(NodeContext.layer)))

    it.scopedLive("that was changed behind its time is not put together with another one", () =>
      Effect.gen(function*() {
        const directory = yield* stores.temporary
        const sink = yield* FileSink.make({ directory, format })
        const until = records.began + 80 * 86_400
        const range = yield* Range.time({ from: records.began, to: until })
        const half = yield* Plan.make({ accounts: [account], range, windows: 1, size: 10 })
        yield* Exports.run({ plan: half, sink }).pipe(Effect.provide(service))
        const [name = ""] = readdirSync(join(directory, "parts"))
        const file = join(directory, "parts", name)
        const { atime, mtime } = statSync(file)
        damages["has another byte"]?.[0](file)
        utimesSync(file, atime, mtime)
        const end = records.began + 170 * 86_400
        yield* Stream.runDrain(Exports.catchUp({ sink, to: end, recheck: 0 })).pipe(
          Effect.provide(service),
          Effect.withClock(clockFrom(end + 86_400))
        )
        assert.isAbove(readdirSync(join(directory, "parts")).length, 1)
        const [difference] = yield* reconciled(sink)
        assert.include(difference?.damage, `parts/${name} was changed`)
      }).pipe(Effect.provide(NodeContext.layer)))

    it.scopedLive("that has another byte and its old time is named by a reconciliation", () =>
      Effect.gen(function*() {
        const directory = yield* stores.temporary
        const sink = yield* FileSink.make({ directory, format })
        yield* exported(sink)
        const [name = ""] = readdirSync(join(directory, "parts"))
        const file = join(directory, "parts", name)
        const { atime, mtime } = statSync(file)
        damages["has another byte"]?.[0](file)
        utimesSync(file, atime, mtime)
        const [difference] = yield* reconciled(sink)
        assert.include(difference?.damage, `parts/${name} was changed`)
      }).pipe(Effect.provide(NodeContext.layer)))
  })
}

/** Ways to damage the rows of a table. */
const edits = {
  "changed amount": "UPDATE transfers SET amount = 999 WHERE id = (SELECT MIN(id) FROM transfers)",
  "changed time": "UPDATE transfers SET unix = unix + 1 WHERE id = (SELECT MIN(id) FROM transfers)",
  "removed row": "DELETE FROM transfers WHERE id = (SELECT MIN(id) FROM transfers)",
  "removed record": "DELETE FROM rejected WHERE id = (SELECT MIN(id) FROM rejected)"
}

describe.each(databases)("a table of an export on %s", (_, open) => {
  it.scopedLive.each(Object.entries(edits))(
    "with a %s is named, and read again by a repair",
    ([name, statement]) =>
      Effect.gen(function*() {
        const context = yield* Layer.build((yield* open).layer)
        yield* Effect.gen(function*() {
          const sql = yield* SqlClient
          const sink = yield* SqlSink.make()
          const { checksum, rejected } = yield* exported(sink)
          yield* sql.unsafe(statement)
          // A quick look counts rows.
          assert.strictEqual((yield* named(sink)).length, name === "removed row" ? 1 : 0)
          const [difference, ...others] = yield* reconciled(sink)
          assert.deepStrictEqual([difference?.status, others.length], ["damaged", 0])
          const repaired = yield* reconciled(sink, true)
          assert.deepStrictEqual(repaired.map(({ repaired, status }) => [repaired, status]), [[true, "closed"]])
          assert.deepStrictEqual(yield* reconciled(sink), [])
          const { rows } = yield* sqlTallies(sql)
          assert.deepStrictEqual(records.compare(truth.rows, rows), whole)
          const manifest = yield* Exports.manifest(sink)
          assert.deepStrictEqual([manifest.checksum, manifest.rejected], [checksum, rejected])
        }).pipe(Effect.provide(context))
      })
  )

  it.scopedLive("that was read again by a repair counts what a later run stores of it, also one that is stopped", () =>
    Effect.gen(function*() {
      const context = yield* Layer.build((yield* open).layer)
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient
        const sink = yield* SqlSink.make()
        const to = records.began + Math.floor(records.lasts / 2)
        const range = yield* Range.time({ from: records.began, to })
        const begun = yield* Plan.make({ accounts: [account], range, windows: 1, size: 5 })
        yield* Exports.run({ plan: begun, sink }).pipe(Effect.provide(service))
        yield* sql.unsafe(edits["removed row"])
        assert.deepStrictEqual((yield* reconciled(sink, true)).map(({ repaired }) => repaired), [true])
        const later = (sink: Sink, budget = Budget.unlimited) =>
          Stream.runDrain(Exports.catchUp({ sink, budget, to: to + 60 * 86_400, recheck: 0 })).pipe(
            Effect.provide(service),
            Effect.withClock(clockFrom(to + 90 * 86_400))
          )
        const stopped = yield* Effect.flip(later(sink, yield* Budget.make({ perRun: 2 })))
        assert.strictEqual(stopped._tag, "BudgetExhausted")
        yield* later(yield* SqlSink.make())
        assert.deepStrictEqual(yield* named(sink), [])
        assert.deepStrictEqual(yield* reconciled(sink), [])
      }).pipe(Effect.provide(context))
    }))
})
