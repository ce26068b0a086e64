import * as Database from "@effect-klaytn/engine/Database"
import * as Range from "@effect-klaytn/history/Range"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { createHash } from "node:crypto"
import { duckRows, fileTallies, parquetTallies, sqlTallies } from "../../../drills/exports/audit.js"
import * as records from "../../../drills/exports/records.js"
import { HistoryService } from "../../../drills/exports/service.js"
import * as Budget from "../src/Budget.js"
import * as CsvCell from "../src/CsvCell.js"
import * as Exports from "../src/Exports.js"
import * as FileSink from "../src/FileSink.js"
import * as Plan from "../src/Plan.js"
import type { Sink } from "../src/Sink.js"
import * as SqlSink from "../src/SqlSink.js"
import * as Service from "./support/service.js"

const accounts = [0, 1].map(records.addressOf)
const history = records.make({ seed: "sinks", transfers: 800, accounts: 3, misshapen: 0.01 })
const truth = records.expected(history, new Set(accounts))
const range = Either.getOrThrow(Range.time({ from: records.began, to: records.began + records.lasts }))
const planned = Plan.make({ accounts, range, size: 40, windows: 5 })

type Tallies = {
  readonly rows: ReadonlyMap<string, number>
  readonly rejected: ReadonlyMap<string, number>
}

const nothingWrong = { rows: { missing: 0, doubled: 0 }, rejected: { missing: 0, doubled: 0 } }

const audit = (found: Tallies) => ({
  rows: records.compare(truth.rows, found.rows),
  rejected: records.compare(truth.rejected, found.rejected)
})

const temporary = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())

interface Case {
  readonly name: string
  readonly run: <A, E>(
    use: (
      sink: Sink,
      found: Effect.Effect<Tallies>
    ) => Effect.Effect<A, E, FileSystem.FileSystem | Path.Path | Scope.Scope>
  ) => Effect.Effect<A, unknown>
}

const file = (format: "ndjson" | "csv" | "parquet"): Case => ({
  name: format,
  run: (use) =>
    Effect.gen(function*() {
      const directory = yield* temporary
      const sink = yield* FileSink.make({ directory, format })
      const found = format === "parquet"
        ? Effect.promise(() => parquetTallies(directory))
        : Effect.sync(() => fileTallies(directory))
      return yield* use(sink, found)
    }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))
})

const sqlite: Case = {
  name: "SQLite",
  run: (use) =>
    Effect.gen(function*() {
      const directory = yield* temporary
      return yield* Effect.gen(function*() {
        const sql = yield* SqlClient
        const sink = yield* SqlSink.make()
        return yield* use(sink, Effect.orDie(sqlTallies(sql)))
      }).pipe(Effect.provide(Database.layerSqlite({ file: `${directory}/export.db` })))
    }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))
}

const checksum = Effect.gen(function*() {
  const sink = yield* FileSink.make({ directory: yield* temporary })
  return (yield* Exports.run({ plan: yield* planned, sink })).checksum
}).pipe(Effect.scoped, Effect.provide(Layer.merge(NodeContext.layer, Service.of(new HistoryService(history)))))

for (const { name, run } of [file("ndjson"), file("csv"), file("parquet"), sqlite]) {
  describe(`an export into ${name}`, () => {
    it.effect("holds every record once, and the checksum of every other sink", () =>
      run((sink, found) =>
        Effect.gen(function*() {
          const manifest = yield* Exports.run({ plan: yield* planned, sink })
          assert.deepStrictEqual(audit(yield* found), nothingWrong)
          assert.strictEqual(manifest.complete, "except-rejected")
          assert.strictEqual(manifest.checksum, yield* checksum)
          assert.deepStrictEqual(yield* Exports.manifest(sink), manifest)
        }).pipe(Effect.provide(Service.of(new HistoryService(history))))
      ))

    it.effect("goes on where it stopped, however often, over cursors that die", () =>
      run((sink, found) =>
        Effect.gen(function*() {
          const service = new HistoryService(history, { dying: 0.1, random: records.random(name) })
          const plan = yield* planned
          for (let runs = 0; runs < 60; runs++) {
            const budget = yield* Budget.make({ perRun: 9 })
            const done = yield* Exports.run({ plan, sink, budget, concurrency: 2 }).pipe(
              Effect.provide(Service.of(service)),
              Effect.either
            )
            if (Either.isRight(done)) break
            assert.strictEqual(done.left._tag, "BudgetExhausted")
          }
          assert.deepStrictEqual(audit(yield* found), nothingWrong)
          assert.strictEqual((yield* Exports.manifest(sink)).complete, "except-rejected")
        })
      ))

    it.effect("is not mixed with another export", () =>
      run((sink) =>
        Effect.gen(function*() {
          yield* Exports.run({ plan: yield* planned, sink })
          const other = yield* Plan.make({ accounts, range, size: 41, windows: 5 })
          const failed = yield* Effect.flip(Exports.run({ plan: other, sink }))
          assert.strictEqual(failed._tag === "SinkError" && failed.reason, "stored")
        }).pipe(Effect.provide(Service.of(new HistoryService(history))))
      ))

    it.effect("needs a plan only the first time", () =>
      run((sink) =>
        Effect.gen(function*() {
          const failed = yield* Effect.flip(Exports.run({ sink }))
          assert.strictEqual(failed._tag === "SinkError" && failed.reason, "stored")
        }).pipe(Effect.provide(Service.of(new HistoryService(history))))
      ))

    it.effect("gets a late record by reconcile", () =>
      run((sink, found) =>
        Effect.gen(function*() {
          const late = history.filter(({ from, misshapen }) => !misshapen && from === accounts[1])[100]
          const early = new HistoryService(history.filter((record) => record !== late))
          yield* Exports.run({ plan: yield* planned, sink }).pipe(Effect.provide(Service.of(early)))
          assert.isAbove(audit(yield* found).rows.missing, 0)
          const differences = yield* Stream.runCollect(Exports.reconcile({ sink, repair: true })).pipe(
            Effect.provide(Service.of(new HistoryService(history)))
          )
          assert.deepStrictEqual(Chunk.toReadonlyArray(differences).map(({ repaired }) => repaired), [true])
          assert.deepStrictEqual(audit(yield* found), nothingWrong)
        })
      ))
  })
}

describe("the files of an export", () => {
  it.effect("are as long and have the SHA-256 that is recorded, and nothing else is left", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* temporary
      const sink = yield* FileSink.make({ directory, format: "csv" })
      yield* Exports.run({ plan: yield* planned, sink })
      const lines = (yield* fs.readFileString(`${directory}/windows.ndjson`)).trim().split("\n")
      const File = Schema.Struct({ name: Schema.String, sha256: Schema.String, bytes: Schema.Int })
      const Line = Schema.parseJson(
        Schema.Struct({ parts: Schema.optionalWith(Schema.Array(File), { default: () => [] }) })
      )
      const parts = new Set<string>()
      for (const line of lines) {
        for (const { bytes, name, sha256 } of Schema.decodeSync(Line)(line).parts) {
          const content = yield* fs.readFile(`${directory}/${name}`)
          assert.strictEqual(content.length, bytes)
          assert.strictEqual(createHash("sha256").update(content).digest("hex"), sha256)
          parts.add(name.replace("parts/", ""))
        }
      }
      assert.deepStrictEqual(new Set(yield* fs.readDirectory(`${directory}/parts`)), parts)
    }).pipe(
      Effect.scoped,
      Effect.provide(Layer.merge(NodeContext.layer, Service.of(new HistoryService(history))))
    ))

  it.effect("lose a torn line and what was not recorded, and are made again", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* temporary
      const sink = yield* FileSink.make({ directory })
      yield* Exports.run({ plan: yield* planned, sink })
      const recorded = yield* fs.readFileString(`${directory}/windows.ndjson`)
      const torn = recorded.slice(0, recorded.length - 40)
      yield* fs.writeFileString(`${directory}/windows.ndjson`, torn)
      yield* fs.writeFileString(`${directory}/parts/000003-9.ndjson.partial`, "{\"id\":\"ha")
      const manifest = yield* Exports.run({ sink })
      assert.strictEqual(manifest.complete, "except-rejected")
      assert.deepStrictEqual(audit(fileTallies(directory)), nothingWrong)
    }).pipe(
      Effect.scoped,
      Effect.provide(Layer.merge(NodeContext.layer, Service.of(new HistoryService(history))))
    ))
})

describe("the tables of an export", () => {
  const inDatabase = <A, E>(use: Effect.Effect<A, E, SqlClient | FileSystem.FileSystem>) =>
    Effect.gen(function*() {
      const directory = yield* temporary
      return yield* Effect.provide(use, Database.layerSqlite({ file: `${directory}/export.db` }))
    }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))

  it.live("say that a range is refused also if two processes find that out together", () =>
    sqlite.run((sink) =>
      Effect.gen(function*() {
        const plan = yield* planned
        let other = true
        const two: Sink = {
          open: (given) =>
            Effect.map(sink.open(given), (session) => ({
              ...session,
              commit: (page) => {
                if (!other) return session.commit(page)
                other = false
                return Effect.zipRight(session.commit(page), session.commit(page))
              }
            }))
        }
        const manifest = yield* Exports.run({ plan, sink: two, concurrency: 1 })
        assert.isTrue(manifest.windows.every(({ status }) => status === "unreachable"))
      }).pipe(Effect.provide(Service.of(new HistoryService(history, { reach: records.began + records.lasts + 1 }))))
    ))

  it.live("keep a window closed whose range is refused in the middle of its repair", () =>
    sqlite.run((sink, found) =>
      Effect.gen(function*() {
        const plan = yield* Plan.make({ accounts, range, size: 40, windows: 1 })
        const late = history.findLast(({ from, misshapen }) => !misshapen && accounts.slice(0, 1).includes(from))
        const early = new HistoryService(history.filter((record) => record !== late))
        const before = yield* Exports.run({ plan, sink }).pipe(Effect.provide(Service.of(early)))
        const whole = new HistoryService(history)
        const asked = new Set<string>()
        let isRepair = false
        const wire = Service.wire((target) => {
          if (isRepair && target.includes("cursor=")) {
            return { status: 400, body: JSON.stringify({ code: 1040011, message: "out of range" }) }
          }
          if (asked.has(target)) isRepair = true
          asked.add(target)
          return whole.answer(target)
        })
        const differences = yield* Stream.runCollect(Exports.reconcile({ sink, repair: true })).pipe(
          Effect.provide(Service.layer(wire))
        )
        assert.isTrue([...differences].every(({ repaired }) => !repaired) && differences.length > 0)
        const after = yield* Exports.manifest(sink)
        assert.deepStrictEqual(after.windows.map(({ status }) => status), before.windows.map(({ status }) => status))
        yield* Stream.runDrain(Exports.reconcile({ sink, repair: true })).pipe(Effect.provide(Service.of(whole)))
        assert.deepStrictEqual(audit(yield* found), nothingWrong)
      })
    ))

  it.effect("have views that add exactly, above 2^64 and below zero", () =>
    inDatabase(
      Effect.gen(function*() {
        const sql = yield* SqlClient
        yield* Exports.run({ plan: yield* planned, sink: yield* SqlSink.make({ prefix: "kas_" }) })
        const rows = yield* sql<Record<string, string | null>>`SELECT * FROM kas_transfers`
        const balances = new Map<string, bigint>()
        for (const row of rows) {
          if (row["status"] === "failure") continue
          for (const [side, sign] of [["to_address", 1n], ["from_address", -1n]] as const) {
            const account = row[side]
            if (account === null || account === undefined || !accounts.includes(account)) continue
            const key = JSON.stringify([account, row["kind"], row["contract"], row["token_id"]])
            balances.set(key, (balances.get(key) ?? 0n) + sign * BigInt(row["amount"] ?? 0))
          }
        }
        const found = yield* sql<Record<string, string | null>>`SELECT * FROM kas_balances`
        assert.deepStrictEqual(
          new Map(found.map((row) => [
            JSON.stringify([row["account"], row["kind"], row["contract"], row["token_id"]]),
            BigInt(row["balance"] ?? "none")
          ])),
          balances
        )
        for (const row of found) {
          assert.strictEqual(BigInt(row["received"] ?? 0) - BigInt(row["sent"] ?? 0), BigInt(row["balance"] ?? 0))
        }
        assert.isTrue([...balances.values()].some((balance) => balance < -(2n ** 64n)))
        const daily = yield* sql<Record<string, string | null>>`SELECT * FROM kas_daily`
        const sum = (all: ReadonlyArray<Record<string, string | null>>) =>
          all.reduce((total, row) => total + BigInt(row["balance"] ?? 0), 0n)
        assert.strictEqual(sum(daily), sum(found))
      }).pipe(Effect.provide(Service.of(new HistoryService(history))))
    ))

  it.effect("share a budget among the sinks of one database", () =>
    inDatabase(Effect.gen(function*() {
      const one = yield* SqlSink.budget({ perDay: 5 })
      const other = yield* SqlSink.budget({ perDay: 5 })
      for (const budget of [one, other, one, other, one]) yield* budget.take
      const failed = yield* Effect.flip(other.take)
      assert.strictEqual(failed._tag, "BudgetExhausted")
    })))

  it.effect("count no request in a budget for which the database did not answer", () =>
    inDatabase(Effect.gen(function*() {
      const sql = yield* SqlClient
      const budget = yield* SqlSink.budget({ perRun: 2 })
      yield* sql`ALTER TABLE export_budget RENAME TO away`
      for (let asked = 0; asked < 3; asked++) {
        assert.strictEqual((yield* Effect.flip(budget.take))._tag, "SinkError")
      }
      yield* sql`ALTER TABLE away RENAME TO export_budget`
      yield* budget.take
      yield* budget.take
      assert.strictEqual((yield* Effect.flip(budget.take))._tag, "BudgetExhausted")
    })))

  it.effect("space the requests of all budgets of one name, and no others", () =>
    inDatabase(Effect.gen(function*() {
      const one = yield* SqlSink.budget({ perSecond: 4 })
      const other = yield* SqlSink.budget({ perSecond: 4 })
      const apart = yield* SqlSink.budget({ perSecond: 4 }, { name: "apart" })
      const taken = (budget: Budget.Budget) => Effect.zipRight(budget.take, Clock.currentTimeMillis)
      const fiber = yield* Effect.fork(
        Effect.all([one, other, one, other, one, other, apart].map(taken), { concurrency: "unbounded" })
      )
      while ((yield* Fiber.poll(fiber))._tag === "None") {
        yield* TestClock.adjust("50 millis")
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      const times = yield* Fiber.join(fiber)
      const shared = times.slice(0, 6).sort((a, b) => a - b)
      shared.forEach((time, place) => {
        const before = shared[place - 1]
        if (before !== undefined) assert.isAtLeast(time - before, 250)
      })
      assert.isAtMost((shared[5] ?? 0) - (shared[0] ?? 0), 5 * 250 + 200)
      assert.isAtMost(times[6] ?? 0, (shared[0] ?? 0) + 200)
    })))

  it.effect("refuse a prefix that is no name", () =>
    inDatabase(Effect.gen(function*() {
      assert.deepStrictEqual((yield* Effect.flip(SqlSink.make({ prefix: "a; DROP" }))).path, ["prefix"])
    })))
})

describe("CSV", () => {
  it("puts an apostrophe wherever some spreadsheet would begin a formula, and takes it away again", () => {
    const cells = {
      "＝1+1": "'＝1+1",
      "＠SUM(1)": "'＠SUM(1)",
      "x;=1+1": "x;'=1+1",
      "x;;－1|+1": "x;;'－1|'+1",
      "x;\"=1+1\"": "x;'\"=1+1\"",
      "x\t\"\"@a": "x\t'\"\"@a",
      "x;\"a\"": "x;\"a\"",
      "a\n=1\t@b": "a\n'=1\t'@b",
      "\t=1": "'\t'=1",
      "it's; a - b": "it's; a - b"
    }
    for (const [text, cell] of Object.entries(cells)) assert.strictEqual(CsvCell.of(text), cell)
    const pieces = FastCheck.array(FastCheck.constantFrom("'", "\"", ";", "=", "-", "＋", "\t", "\r\n", "|", "a", " "))
    FastCheck.assert(FastCheck.property(pieces, (some) => CsvCell.textOf(CsvCell.of(some.join(""))) === some.join("")))
  })

  it("is read by DuckDB as it was, apostrophes and all", async () => {
    const texts = ["＝1", "x;=1+1", ";';''=1", "'\t'=1", "\t=;-", "a", "|'a", "\n\n@b'", ";\"=1", ";'\"\"=1", "\"=;\"a"]
    const sql = texts.map((text) => `SELECT ${CsvCell.textSql(`'${CsvCell.of(text).replaceAll("'", "''")}'`)} AS found`)
    const rows = await duckRows(sql.join(" UNION ALL "))
    assert.deepStrictEqual(rows.map(({ found }) => found), texts)
  })

  it("is written by one function, with a line of names and either end of a line, and tells an empty text from nothing", () => {
    const rows = [["a;=1", 2, null], ["", undefined, "b,\"c\""]]
    assert.strictEqual(CsvCell.lines(rows), "a;'=1,2,\r\n\"\",,\"b,\"\"c\"\"\"\r\n")
    const named = CsvCell.lines(rows.slice(0, 1), { header: ["x", "y", "z"], lineEnd: "\n" })
    assert.strictEqual(named, "x,y,z\na;'=1,2,\n")
  })

  it("quotes by RFC 4180, and puts an apostrophe before what could be a formula", () => {
    const [row] = [...texts]
    assert.include(row, "\"'=SUM(A1:A9), \"\"quoted\"\"\",\"'+EVIL\r\nrow\",18,,")
  })
})

const hash = `0x${"1".repeat(64)}`

/** A row with the texts of an attacker. */
const texts = [
  FileSink.csvLine(
    {
      id: "a-0-0",
      kind: "ft",
      block_number: 1,
      transaction_index: null,
      transaction_hash: hash,
      equal_index: 0,
      part: 0,
      timestamp: null,
      unix: null,
      from_address: accounts[0],
      to_address: accounts[1],
      contract: accounts[0],
      token_name: "=SUM(A1:A9), \"quoted\"",
      token_symbol: "+EVIL\r\nrow",
      token_decimals: 18,
      token_id: null,
      amount: "1",
      amount_decimal: "0.000000000000000001",
      status: "success",
      operator: null,
      sender: accounts[0],
      transaction_type: 48,
      fee: "0",
      fee_payer: null,
      fee_ratio: 0,
      account: null,
      window: 0
      // Brands are not what this test is about.
    } as unknown as Parameters<typeof FileSink.csvLine>[0]
  )
]
