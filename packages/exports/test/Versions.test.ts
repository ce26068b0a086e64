/** The versions of columns, plans and tables: what is frozen, and what programs of different versions do with each other's exports. */
import * as Range from "@effect-klaytn/history/Range"
import type { TransferHistory } from "@effect-klaytn/history/TransferHistory"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import { hash } from "node:crypto"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as records from "../../../drills/exports/records.js"
import { HistoryService } from "../../../drills/exports/service.js"
import { databases } from "../../store/test/support/databases.js"
import { compare as compareMigrations } from "../../store/test/support/frozen.js"
import * as recipe from "../../store/test/support/recipe.js"
import * as Exports from "../src/Exports.js"
import * as FileSink from "../src/FileSink.js"
import { at, type Column, type Columns, Known, newest } from "../src/internal/columns.js"
import * as migrations from "../src/internal/migrations.js"
import * as sqlSchema from "../src/internal/sqlSchema.js"
import * as tables from "../src/internal/tables.js"
import * as Manifest from "../src/Manifest.js"
import * as Plan from "../src/Plan.js"
import type { Sink } from "../src/Sink.js"
import * as SqlSink from "../src/SqlSink.js"
import * as Memory from "./support/memory.js"
import * as Service from "./support/service.js"
import * as stores from "./support/stores.js"
import * as trial from "./support/trial.js"

const accounts = [0, 1].map(records.addressOf)
const planned = Effect.flatMap(
  Range.time({ from: records.began, to: records.began + records.lasts }),
  (range) => Plan.make({ accounts, range, windows: 3, size: 20 })
)
const History = Service.of(new HistoryService(stores.readHistory()))

/** What a version is, as the file of all released versions has it. */
const frozen = <A>(name: string): Readonly<Record<string, A>> =>
  // The file is compared with the code below.
  JSON.parse(readFileSync(join(stores.folder, name), "utf8")) as Readonly<Record<string, A>>

const described = <A>(columns: ReadonlyArray<Column<A>>): ReadonlyArray<string> =>
  columns.map(({ isOptional, name, type }) => `${name} ${type}${isOptional ? "" : " not null"}`)

const dialects = ["sqlite", "pg"] as const

/** The SHA-256 of SQL in both dialects. */
const digestOf = (statements: (dialect: (typeof dialects)[number]) => ReadonlyArray<string>): string =>
  hash("sha256", JSON.stringify(dialects.map(statements)), "hex")

const describeColumns = (columns: Columns) => ({
  transfers: described(columns.transfers),
  rejected: described(columns.rejected),
  sql: digestOf((dialect) => sqlSchema.tables(dialect, "p_", columns))
})

const tablesVersion = tables.migrations.length

/** The views and indexes of the newest version. Another text of one needs a migration that replaces the old one. */
const views = digestOf((dialect) => sqlSchema.views(dialect, "p_"))

/** Checks that every released version is what it was, and that there is no other one. */
const compare = (version: number, file: string, now: (version: number) => unknown) => {
  const released = frozen<unknown>(file)
  const advice = `what a version holds never changes: raise the version, and add the new one to test/stores/${file}`
  assert.deepStrictEqual(
    Object.keys(released),
    Array.from({ length: version }, (_, index) => String(index + 1)),
    advice
  )
  for (const [number, held] of Object.entries(released)) {
    assert.deepStrictEqual(JSON.parse(JSON.stringify(now(Number(number)))), held, advice)
  }
}

describe("a version", () => {
  it("of the columns is what it was when it was released", () => {
    compare(newest.version, "columns.json", (version) => describeColumns(at(newest, version)))
    const added = [...newest.transfers, ...newest.rejected].map(({ since }) => since)
    assert.strictEqual(Math.max(...added), newest.version)
  })

  it("of the views is what it was when it was released", () => {
    assert.strictEqual(views, frozen<string>("views.json")[tablesVersion])
  })

  it.effect("of the tables is what it was when it was released", () =>
    compareMigrations(migrations.tables("p_", tables.migrations), join(import.meta.dirname, "migrations")))

  it("that gets a column or loses its number is found", () => {
    const inVersion = (version: number) => ({ ...trial.columns, version })
    const planted = [
      // A column that is as old as the others.
      { ...newest, transfers: trial.columns.transfers.map((column) => ({ ...column, since: 1 })) },
      // A new version that no file has.
      inVersion(trial.columns.version),
      // A column of another type, and one that is gone.
      { ...newest, transfers: newest.transfers.map((column) => ({ ...column, type: "text" as const })) },
      { ...newest, transfers: newest.transfers.slice(1) }
    ]
    for (const columns of planted) {
      assert.throws(() => compare(columns.version, "columns.json", (version) => describeColumns(at(columns, version))))
    }
  })
})

/** Everything in a directory. */
const everything = (directory: string): ReadonlyArray<readonly [string, string]> =>
  readdirSync(directory, { recursive: true }).map(String).sort().flatMap((name) =>
    statSync(join(directory, name)).isFile()
      ? [[name, readFileSync(join(directory, name)).toString("hex")] as const]
      : []
  )

const versionsIn = (problem: string): ReadonlyArray<string> => problem.match(/version \d+|versions up to \d+/g) ?? []

/** An older program tries to continue, to catch up, to read the manifest, and to begin the same export. */
const attempts = (sink: Sink) =>
  Effect.gen(function*() {
    const plan = yield* planned
    return yield* Effect.forEach([
      Effect.asVoid(Exports.run({ sink })),
      Effect.asVoid(Exports.run({ sink, plan })),
      Effect.asVoid(Exports.manifest(sink)),
      Effect.asVoid(Effect.scoped(sink.open()))
    ], Effect.flip)
  }).pipe(Effect.provide(History))

describe.each(["ndjson", "csv", "parquet"] as const)("an export in newer columns, %s", (format) => {
  it.scopedLive("has them in every part, and an older program refuses it and changes nothing", () =>
    Effect.gen(function*() {
      const directory = yield* stores.temporary
      const sink = yield* FileSink.make({ directory, format })
      const plan = trial.planned(yield* planned)
      const manifest = yield* trial.withColumns(Exports.run({ sink, plan }))
      const names = trial.columns.transfers.map(({ name }) => name)
      assert.deepStrictEqual(manifest.columns, { version: 2, names })
      const { headers, rejected, rows } = stores.reader(format, directory)
      for (const header of yield* headers) assert.deepStrictEqual(header, names)
      for (const row of yield* rows) assert.strictEqual(row["day"], dayOf(row["timestamp"]))
      for (const one of yield* rejected) assert.strictEqual(one["place"], Number(one["position"]) + 1)
      if (format === "csv") {
        assert.include(readFileSync(join(directory, "load.sql"), "utf8"), "-- The columns have version 2.")
      }

      const before = everything(directory)
      for (const error of yield* attempts(sink)) {
        assert.strictEqual(error._tag === "SinkError" && error.reason, "newer")
        assert.deepStrictEqual(versionsIn(error.message), ["version 2", "versions up to 1"])
        assert.include(error.message, "install")
      }
      assert.deepStrictEqual(everything(directory), before)
    }).pipe(Effect.provide([History, NodeContext.layer])))
})

/** The day of a time as text, or as Parquet has it. */
const dayOf = (timestamp: unknown): unknown =>
  timestamp instanceof Date
    ? timestamp.toISOString().slice(0, 10)
    : typeof timestamp === "string"
    ? timestamp.slice(0, 10)
    : null

describe("a plan", () => {
  it.scopedLive("of a version that is not known, or in newer columns, is refused by every sink before anything is written", () =>
    Effect.gen(function*() {
      const directory = yield* stores.temporary
      const sink = yield* FileSink.make({ directory, format: "csv" })
      const plan = trial.planned(yield* planned)
      const memory = Memory.make()
      for (const one of [sink, memory.sink]) {
        const error = yield* Effect.flip(Exports.run({ sink: one, plan }))
        assert.strictEqual(error._tag === "SinkError" && error.reason, "newer")
      }
      assert.deepStrictEqual(everything(directory), [])
      assert.throws(() => Schema.decodeUnknownSync(Plan.Plan)({ ...Schema.encodeSync(Plan.Plan)(plan), version: 4 }))

      yield* Exports.run({ sink, plan: yield* planned })
      const file = join(directory, "plan.json")
      const text = readFileSync(file, "utf8")
      writeFileSync(file, text.replace("\"version\":1", "\"version\":4"))
      const before = everything(directory)
      for (const error of yield* attempts(sink)) {
        assert.strictEqual(error._tag === "SinkError" && error.reason, "newer")
        assert.deepStrictEqual(versionsIn(error.message), ["version 4", "versions up to 3"])
      }
      assert.deepStrictEqual(everything(directory), before)
    }).pipe(Effect.provide([History, NodeContext.layer])))

  it.effect("does not name the first version, as older programs did not", () =>
    Effect.gen(function*() {
      const plan = yield* planned
      assert.notProperty(Schema.encodeSync(Plan.Plan)(plan), "columns")
      assert.strictEqual(plan.version, 1)
      assert.strictEqual(Manifest.make(plan, []).columns.version, 1)
    }))
})

/** All tables, with what is in them. */
const contents = Effect.gen(function*() {
  const sql = yield* SqlClient
  const names = yield* sql.onDialectOrElse({
    pg: () =>
      sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1`,
    orElse: () => sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1`
  })
  return yield* Effect.forEach(
    names,
    ({ name }) =>
      Effect.map(sql.unsafe(`SELECT * FROM ${name}`).values, (rows) => [
        name,
        rows.map((row) => row.map(String)).sort()
      ])
  )
})

describe.each(databases)("the tables of an export on %s", (_, open) => {
  it.scopedLive("get a column by one more migration, whatever version they have", () =>
    recipe.check(open, migrations.tables("p_", tables.migrations), "p_export_windows"))

  const inDatabase = <A, E>(
    test: Effect.Effect<A, E, SqlClient | TransferHistory>
  ) => Effect.flatMap(open, ({ layer }) => Effect.provide(test, [layer, History]))

  it.scopedLive("are refused by an older program, which changes nothing", () =>
    inDatabase(Effect.gen(function*() {
      const sink = yield* SqlSink.make()
      yield* trial.withMigrations(Exports.run({ sink, plan: yield* planned }))
      const before = yield* contents
      const errors = [
        ...yield* attempts(sink),
        yield* Effect.flip(SqlSink.upgrade()),
        yield* Effect.flip(SqlSink.budget({ perDay: 1 }))
      ]
      for (const error of errors) {
        assert.strictEqual(error._tag === "SinkError" && error.reason, "newer")
        assert.deepStrictEqual(versionsIn(error.message), [
          `version ${tablesVersion + 2}`,
          `versions up to ${tablesVersion}`
        ])
      }
      assert.deepStrictEqual(yield* contents, before)
    })))

  it.scopedLive("hold rows in newer columns, which an older program refuses and does not change", () =>
    inDatabase(Effect.gen(function*() {
      const sql = yield* SqlClient
      const sink = yield* SqlSink.make()
      const manifest = yield* trial.withColumns(Exports.run({ sink, plan: trial.planned(yield* planned) }))
      assert.strictEqual(manifest.columns.version, 2)
      const days = yield* sql<{ day: string }>`SELECT DISTINCT day FROM transfers`
      assert.isAbove(days.length, 30)
      const before = yield* contents
      for (const error of yield* attempts(sink)) {
        assert.strictEqual(error._tag === "SinkError" && error.reason, "newer")
        assert.deepStrictEqual(versionsIn(error.message), ["version 2", "versions up to 1"])
      }
      assert.deepStrictEqual(yield* contents, before)
    })))

  it.scopedLive("hold the state of a window in a newer form, which an older program refuses", () =>
    inDatabase(Effect.gen(function*() {
      const sql = yield* SqlClient
      const sink = yield* SqlSink.make()
      const plan = yield* planned
      yield* Exports.run({ sink, plan })
      yield* sql`UPDATE export_windows SET state = replace(state, '"version":1,', '"version":2,') WHERE "window" = 1`
      const error = yield* Effect.flip(Exports.run({ sink, plan }))
      assert.include(error.message, "the stored export can't be read; was it written by another version?")
    })))

  it.scopedLive("get the newer columns if an older program made them and stored no plan", () =>
    inDatabase(Effect.gen(function*() {
      const sql = yield* SqlClient
      const dialect = sql.onDialectOrElse({ pg: () => "pg" as const, orElse: () => "sqlite" as const })
      for (const statement of sqlSchema.tables(dialect, "", at(newest, 1))) yield* sql.unsafe(statement)
      const sink = yield* SqlSink.make()
      const manifest = yield* trial.withColumns(Exports.run({ sink, plan: trial.planned(yield* planned) }))
      const [found] = yield* sql<{ rows: number }>`SELECT count(day) AS rows FROM transfers`
      assert.strictEqual(Number(found?.rows), manifest.rows)
    })))

  it.scopedLive("are upgraded once, which is logged, and an upgrade that fails leaves them as they were", () =>
    inDatabase(Effect.gen(function*() {
      const sink = yield* SqlSink.make()
      const logs: Array<string> = []
      const logger = Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => void logs.push(String(message))))
      const logged = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, logger)
      yield* logged(Exports.run({ sink, plan: yield* planned }))
      assert.deepStrictEqual(logs, [])
      const before = yield* contents
      const failing = [...tables.migrations, { name: "bad", statements: () => ["INSERT INTO nothing VALUES (1)"] }]
      const error = yield* Effect.flip(
        SqlSink.upgrade().pipe(Effect.provideService(tables.Known, failing))
      )
      assert.strictEqual(error._tag, "SinkError")
      assert.deepStrictEqual(yield* contents, before)

      yield* logged(trial.withMigrations(Exports.run({ sink })))
      assert.deepStrictEqual(logs, [
        `exports: the tables export_* were upgraded from version ${tablesVersion} to ${trial.migrations.length}`
      ])
      assert.deepStrictEqual(yield* trial.withMigrations(SqlSink.upgrade()), {
        from: trial.migrations.length,
        to: trial.migrations.length
      })
      assert.deepStrictEqual(yield* trial.withMigrations(SqlSink.upgrade({ prefix: "new_" })), {
        from: 0,
        to: trial.migrations.length
      })
    })))
})

describe("the columns that a program knows", () => {
  it.effect("are the newest ones", () => Effect.map(Known, (known) => assert.strictEqual(known, newest)))
})
