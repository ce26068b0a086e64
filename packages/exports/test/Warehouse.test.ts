/** Parquet, and the SQL beside CSV, read by DuckDB: the exact values in the same types, whatever an export holds. */
import * as Range from "@effect-klaytn/history/Range"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FileSystem from "@effect/platform/FileSystem"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { parquetReadObjects } from "hyparquet"
import { copyFileSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as records from "../../../drills/exports/records.js"
import { HistoryService } from "../../../drills/exports/service.js"
import { onPostgres } from "../../engine/test/support/databases.js"
import * as Exports from "../src/Exports.js"
import * as FileSink from "../src/FileSink.js"
import * as Plan from "../src/Plan.js"
import type { Row } from "../src/Row.js"
import * as SqlSink from "../src/SqlSink.js"
import { duck } from "./support/duck.js"
import * as Memory from "./support/memory.js"
import * as Service from "./support/service.js"

const account = records.addressOf(0)
const largest = 2n ** 256n - 1n
const fits = 10n ** 38n - 1n

/** A history with amounts of all lengths, texts that CSV has to quote, and equal transfers. */
const history = records.make({ seed: "warehouse", transfers: 120, accounts: 1 }).map((record, index) => {
  const value = [largest, fits, fits + 1n, 0n][index]
  return value === undefined || record.kind === "nft" || record.kind === "mt"
    ? record
    : { ...record, wire: { ...record.wire, value: `0x${value.toString(16)}` } }
})

const exported = (format: "csv" | "parquet", shown = history) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const directory = yield* fs.makeTempDirectoryScoped()
    const range = yield* Range.time({ from: records.began, to: records.began + records.lasts })
    const plan = yield* Plan.make({ accounts: [account], range, windows: 3, size: 25 })
    const memory = Memory.make()
    yield* Exports.run({ plan, sink: yield* FileSink.make({ directory, format }) })
    yield* Exports.run({ plan, sink: memory.sink })
    return { directory, rows: [...memory.rows.values()].sort((a, b) => a.id < b.id ? -1 : 1) }
  }).pipe(Effect.provide(Service.of(new HistoryService(shown))), Effect.provide(NodeContext.layer))

/** Half of a surrogate pair, which a contract may have in its name, is no character in UTF-8. */
const inUtf8 = (text: string | null) => text === null ? null : new TextDecoder().decode(new TextEncoder().encode(text))

/** A row as the warehouse has it: DuckDB writes 64-bit integers as text, and times in its own way. */
const inWarehouse = (row: Row) => ({
  ...Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === "number" ? String(value) : value])
  ),
  token_name: inUtf8(row.token_name),
  token_symbol: inUtf8(row.token_symbol),
  timestamp: row.timestamp?.replace("T", " ").replace(/(?:\.000)?Z$/, "+00") ?? null,
  amount_decimal: row.amount.length <= 38 ? row.amount : null
})

const types: Readonly<Record<string, string>> = {
  block_number: "BIGINT",
  transaction_index: "BIGINT",
  equal_index: "BIGINT",
  part: "BIGINT",
  timestamp: "TIMESTAMP WITH TIME ZONE",
  unix: "BIGINT",
  token_decimals: "BIGINT",
  amount_decimal: "DECIMAL(38,0)",
  transaction_type: "BIGINT",
  fee_ratio: "BIGINT",
  window: "BIGINT"
}

const all = "SELECT * FROM transfers ORDER BY id"
const fromParquet = "SET TimeZone = 'UTC'; CREATE TABLE transfers AS SELECT * FROM read_parquet('parts/*.parquet')"

const loading = (format: "csv" | "parquet", directory: string): string =>
  format === "csv" ? readFileSync(join(directory, "load.sql"), "utf8") : fromParquet

for (const format of ["parquet", "csv"] as const) {
  describe(`an export in ${format}`, () => {
    it.scopedLive("has every value in DuckDB, in types of its own, amounts up to 2^256 - 1", () =>
      Effect.gen(function*() {
        const { directory, rows } = yield* exported(format)
        assert.isTrue(rows.some(({ amount }) => amount === String(largest)))
        const read = yield* duck(directory, loading(format, directory), all)
        assert.deepStrictEqual(read.rows, rows.map(inWarehouse))
        assert.deepStrictEqual(read.types, read.names.map((name) => types[name] ?? "VARCHAR"))
        const exact = yield* duck(
          directory,
          loading(format, directory),
          "SELECT amount, amount_decimal FROM transfers WHERE length(amount) > 37 ORDER BY length(amount), amount"
        )
        assert.deepStrictEqual(exact.rows, [
          { amount: String(fits), amount_decimal: String(fits) },
          { amount: String(fits + 1n), amount_decimal: null },
          { amount: String(largest), amount_decimal: null }
        ])
      }))

    it.scopedLive("has the same types when columns hold nothing", () =>
      Effect.gen(function*() {
        const coins = history.filter(({ kind }) => kind === "coin").slice(0, 3)
        const { directory, rows } = yield* exported(format, coins)
        assert.isTrue(rows.every(({ contract, operator, token_id }) => (contract ?? operator ?? token_id) === null))
        const { names, types: found } = yield* duck(directory, loading(format, directory), all)
        assert.deepStrictEqual(found, names.map((name) => types[name] ?? "VARCHAR"))
      }))
  })
}

describe("the parts of an export in parquet", () => {
  it.scopedLive("are read alike by hyparquet", () =>
    Effect.gen(function*() {
      const { directory, rows } = yield* exported("parquet")
      const parts = readdirSync(join(directory, "parts")).map((name) => readFileSync(join(directory, "parts", name)))
      const read = yield* Effect.promise(() =>
        Promise.all(parts.map((part) => parquetReadObjects({ file: new Uint8Array(part).buffer })))
      )
      const amounts = read.flat().map(({ amount, id }) => [id, amount]).sort()
      assert.deepStrictEqual(amounts, rows.map(({ amount, id }) => [id, amount]))
    }))
})

describe("DuckDB", () => {
  it.scopedLive("loses digits of amounts whose types it guesses: why there is a load.sql", () =>
    Effect.gen(function*() {
      const { directory } = yield* exported("csv")
      const guessed = "CREATE TABLE transfers AS SELECT * FROM read_csv('parts/*.csv')"
      const { types: [type] } = yield* duck(directory, guessed, "SELECT amount FROM transfers")
      assert.strictEqual(type, "DOUBLE")
    }))

  it.scopedLive("gets an empty table of an export without rows", () =>
    Effect.gen(function*() {
      const { directory } = yield* exported("csv", [])
      const { names, rows, types: found } = yield* duck(directory, loading("csv", directory), all)
      assert.deepStrictEqual(rows, [])
      assert.deepStrictEqual(found, names.map((name) => types[name] ?? "VARCHAR"))
    }))
})

const guide = readFileSync(new URL("../../../docs/guides/warehouse.md", import.meta.url), "utf8")

/** The SQL of the guide for a database, in order. */
const sqlOfGuide = (database: "DuckDB" | "Postgres"): ReadonlyArray<string> =>
  [...guide.matchAll(/```sql\n-- (\w+)\n(.+?)```/gs)].flatMap(([, name, sql = ""]) => name === database ? [sql] : [])

const month = (row: Row): string => `${row.timestamp?.slice(0, 7)}`

describe("the guide", () => {
  it.scopedLive("loads Parquet into DuckDB, the parts that count alone, and adds exactly", () =>
    Effect.gen(function*() {
      const { directory, rows } = yield* exported("parquet")
      // A part that was begun and is not recorded, as a killed run leaves it.
      const [part = ""] = readdirSync(join(directory, "parts"))
      copyFileSync(join(directory, "parts", part), join(directory, "parts", "999999-1.parquet"))
      const [load = "", sums = ""] = sqlOfGuide("DuckDB").map((sql) => sql.replaceAll("lake/", `${directory}/`))
      const read = yield* duck(directory, load, sums)
      const expected = new Map<string, { transfers: number; received: bigint; tooLarge: number }>()
      for (const row of rows.filter((one) => one.to_address === account && one.status === "success")) {
        const key = `${month(row)} ${inUtf8(row.token_symbol) ?? "KLAY"}`
        const sum = expected.get(key) ?? { transfers: 0, received: 0n, tooLarge: 0 }
        sum.transfers++
        if (row.amount.length <= 38) sum.received += BigInt(row.amount)
        else sum.tooLarge++
        expected.set(key, sum)
      }
      assert.isAbove(expected.size, 3)
      assert.deepStrictEqual(
        new Map(read.rows.map((row) => [`${String(row["month"]).slice(0, 7)} ${String(row["token"])}`, {
          transfers: Number(row["transfers"]),
          received: BigInt(String(row["received"] ?? 0)),
          tooLarge: Number(row["too_large"])
        }])),
        expected
      )
    }))
})

describe.each(onPostgres)("the guide, on %s", (_, open) => {
  it.scopedLive("counts each fee once", () =>
    Effect.gen(function*() {
      const { layer } = yield* open
      const { rows } = yield* exported("parquet")
      const range = yield* Range.time({ from: records.began, to: records.began + records.lasts })
      const plan = yield* Plan.make({ accounts: [account], range })
      const found = yield* Effect.gen(function*() {
        yield* Exports.run({ plan, sink: yield* SqlSink.make({ prefix: "klay_" }) })
        const sql = yield* SqlClient
        const [fees = ""] = sqlOfGuide("Postgres")
        return yield* sql.unsafe<{ readonly month: Date; readonly klay: string }>(fees)
      }).pipe(Effect.provide(layer), Effect.provide(Service.of(new HistoryService(history))))
      const fees = new Map(
        rows.filter(({ fee_payer, sender }) => sender === account && fee_payer === null)
          .map((row) => [row.transaction_hash, [month(row), BigInt(row.fee)] as const])
      )
      const expected = new Map<string, bigint>()
      for (const [name, fee] of fees.values()) expected.set(name, (expected.get(name) ?? 0n) + fee)
      assert.deepStrictEqual(
        found.map(({ klay, month }) => [
          new Date(month).toISOString().slice(0, 7),
          BigDecimal.scale(BigDecimal.unsafeFromString(klay), 18).value
        ]),
        [...expected].sort(([a], [b]) => a < b ? -1 : 1)
      )
    }))
})

describe("the format of a directory", () => {
  it.scopedLive("is that of its parts, also if a later run does not name it, and no other", () =>
    Effect.gen(function*() {
      const { directory } = yield* exported("parquet")
      const range = yield* Range.time({ from: records.began, to: records.began + records.lasts })
      const plan = yield* Plan.make({ accounts: [account], range, windows: 3, size: 25 })
      const other = yield* FileSink.make({ directory, format: "csv" })
      const refused = yield* Effect.flip(Exports.run({ plan, sink: other }))
      assert.strictEqual(refused._tag === "SinkError" && refused.reason, "stored")
      const same = yield* FileSink.make({ directory })
      yield* Effect.scoped(Effect.gen(function*() {
        const session = yield* same.open()
        const [window] = (yield* session.plan).windows
        if (window === undefined) return assert.fail("the plan has windows")
        assert.isAbove((yield* Stream.runCollect(session.ids(window))).length, 0)
      }))
    }).pipe(Effect.provide(Service.of(new HistoryService(history))), Effect.provide(NodeContext.layer)))
})
