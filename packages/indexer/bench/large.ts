/**
 * Pages of transfers of both stores, among as many as one asks for: a million or more, which a load of blocks would take hours
 * for. The databases make the rows themselves, by the same rules, in the tables and with the indexes of the store; a transfer a
 * transaction, four of ten of coin. Prints the size, and what pages take, alone and with 16 readers, as JSON lines:
 *
 *     npx tsx packages/indexer/bench/run.ts large [--transfers 1000000]
 */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { temporary } from "../../../drills/engine/postgres.js"
import type { IndexStore } from "../src/IndexStore.js"
import { indexTables } from "../src/IndexTables.js"
import { Database } from "../src/internal/postgres/Database.js"
import * as tables from "../src/internal/postgres/tables.js"
import * as PostgresIndex from "../src/PostgresIndex.js"
import * as SqliteIndex from "../src/SqliteIndex.js"
import { cpuSeconds, percentile, print, rounded } from "./figures.js"
import { chainId, type IndexFile, open } from "./IndexFile.js"

const transactionsOfBlock = 100
const holders = 5000

/** How a database says what the rows are made of. */
interface Words {
  /** A table by its name. */
  readonly table: (name: string) => string
  /** The numbers from 0 to below a limit, as a table `series` with a column `n`. */
  readonly series: (limit: number) => string
  /** Bytes of so many hex digits that end with a number. */
  readonly bytes: (number: string, digits: number) => string
  readonly amount: (number: string) => string
}

/** Numbers that look random, below a limit; the lower ones are more frequent if it is a holder's. */
const random = (seed: number, limit: number): string => `((n * 7919 + ${seed}) % 104729 % ${limit})`
const holder = (seed: number): string =>
  `(${random(seed, 1000)} * ${random(seed, 1000)} / 1000 * ${random(seed, 1000)} * ${holders} / 1000000)`
const contract = `(1000000 + ${random(5, 55)})`

/** The statements that fill the tables of a store. */
const fill = ({ amount, bytes, series, table }: Words, transfers: number): ReadonlyArray<string> => {
  const id = `(n / ${transactionsOfBlock} * 1048576 + n % ${transactionsOfBlock})`
  const address = (number: string) => bytes(number, 40)
  const isToken = "n % 10 >= 4"
  return [
    `INSERT INTO ${table("contracts")} (address, kind, standard, name, symbol, decimals, block, supply, holders)
     SELECT ${address("1000000 + n")}, 'ft', 'KIP-7', 'Token', 'TOK', 18, 0, ${amount("0")}, 0 FROM ${series(55)}`,
    `INSERT INTO ${table("blocks")} (number, hash, parent, timestamp, gas_used, bloom, state_root, transactions_root,
       receipts_root, size, transactions, transfers)
     SELECT n, ${bytes("n + 1", 64)}, ${bytes("n", 64)}, 1700000000 + n, 0, ${bytes("0", 0)}, ${bytes("n", 64)},
       ${bytes("n", 64)}, ${bytes("n", 64)}, 2000, ${transactionsOfBlock}, ${transactionsOfBlock}
     FROM ${series(Math.ceil(transfers / transactionsOfBlock))}`,
    `INSERT INTO ${table("transactions")} (id, hash, type, sender, recipient, value, nonce, gas, gas_price, gas_used,
       cumulative_gas, fee, status, raw, first_log, logs, first_transfer, transfers)
     SELECT ${id}, ${bytes("n", 64)}, 48, ${address(holder(1))}, ${address(holder(3))}, ${amount("n")}, n, 200000,
       ${amount("25000000000")}, 45000, 45000 * (n % ${transactionsOfBlock} + 1), ${amount("1125000000000000")}, 1,
       ${bytes("0", 0)}, ${id}, 0, ${id}, 1 FROM ${series(transfers)}`,
    `INSERT INTO ${table("transfers")} (id, tx, class, src, dst, contract, amount)
     SELECT ${id}, ${id}, CASE WHEN ${isToken} THEN 1 ELSE 0 END, ${address(holder(1))}, ${address(holder(3))},
       CASE WHEN ${isToken} THEN ${address(contract)} END, ${amount("n * 1000000007")} FROM ${series(transfers)}`
  ]
}

/** A holder that has transfers; the first ones have most. */
const someHolder = (page: number): number => {
  const part = page * 5 % 1000
  return Math.floor(Math.floor(part * part / 1000) * part * holders / 1_000_000)
}

const addressOf = (number: number): `0x${string}` => `0x${number.toString(16).padStart(40, "0")}`

/** Milliseconds of pages of the busiest holders and of others, of which each continues once. */
const timed = ({ reader }: IndexStore, limit: number, pages: number) =>
  Effect.gen(function*() {
    const times: Array<number> = []
    let count = 0
    for (let page = 0; page < pages; page += 2) {
      const query = { accounts: [addressOf(someHolder(page))], limit }
      let before: number | undefined
      for (let turn = 0; turn < 2; turn++) {
        const began = performance.now()
        const found: ReadonlyArray<{ readonly id: number }> = yield* reader.transfers({
          ...query,
          ...(before !== undefined && { before })
        })
        times.push(performance.now() - began)
        count += found.length
        before = found.at(-1)?.id
      }
    }
    return { times, found: Math.round(count / pages) }
  })

const measure = (store: IndexStore, name: string, transfers: number) =>
  Effect.gen(function*() {
    const of = (times: ReadonlyArray<number>) => ({
      p50: rounded(percentile(times, 0.5)),
      p99: rounded(percentile(times, 0.99))
    })
    yield* timed(store, 100, 40)
    for (const limit of [100, 1000]) {
      const before = cpuSeconds()
      const alone = yield* timed(store, limit, 200)
      const own = (cpuSeconds() - before) * 1000 / alone.times.length
      const many = yield* Effect.all(Array.from({ length: 16 }, () => timed(store, limit, 40)), { concurrency: 16 })
      print(`page of ${limit} transfers among ${transfers}`, {
        store: name,
        limit,
        transfers,
        found: alone.found,
        milliseconds: of(alone.times),
        cpuMilliseconds: rounded(own),
        with16: of(many.flatMap(({ times }) => times))
      })
    }
  })

/** Texts of a database that makes bytes by padding hex. */
const sqlite: Words = {
  table: (name) => `${name}_${chainId}`,
  series: (limit) =>
    `(WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < ${limit - 1})
    SELECT n FROM s) series`,
  bytes: (number, digits) => digits === 0 ? "x''" : `unhex(printf('%0${digits}x', ${number}))`,
  amount: (number) => number === "0" ? "x''" : `unhex(printf('%016x', ${number}))`
}

const inSqlite = (transfers: number) =>
  Effect.gen(function*() {
    const index: IndexFile = yield* Effect.acquireRelease(Effect.sync(open), (one) => Effect.sync(() => one.remove()))
    const before = cpuSeconds()
    for (const { columns: _, name, options } of indexTables) {
      for (const last of Object.keys(options.indexes ?? {})) {
        index.driver.exec(`DROP INDEX ${name}_${last}_${chainId}`)
      }
    }
    index.driver.exec("BEGIN")
    for (const statement of fill(sqlite, transfers)) index.driver.exec(statement)
    index.driver.exec("COMMIT")
    SqliteIndex.ensureTables(index.driver, chainId)
    print("rows made", {
      store: "SQLite",
      transfers,
      bytesOfTransfer: Math.round(index.size() / transfers),
      cpuSeconds: rounded(cpuSeconds() - before, 0)
    })
    yield* measure(index, "SQLite", transfers)
  }).pipe(Effect.scoped)

const postgres: Words = {
  table: (name) => `${PostgresIndex.defaultSchema}.${name}`,
  series: (limit) => `generate_series(0::bigint, ${limit - 1}) series (n)`,
  bytes: (number, digits) => digits === 0 ? "''::bytea" : `decode(lpad(to_hex(${number}), ${digits}, '0'), 'hex')`,
  amount: (number) => number
}

const inPostgres = (transfers: number) =>
  Effect.gen(function*() {
    const store = yield* PostgresIndex.open()
    const sql = yield* SqlClient
    const database = new Database(sql.withoutTransforms(), PostgresIndex.defaultSchema)
    yield* tables.dropIndexes(database)
    for (const statement of fill(postgres, transfers)) yield* sql.unsafe(statement)
    yield* tables.buildIndexes(database)
    const [row] = yield* sql.unsafe(
      `SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = '${PostgresIndex.defaultSchema}' AND c.relkind = 'r'`
    ).values
    print("rows made", { store: "Postgres", transfers, bytesOfTransfer: Math.round(Number(row?.[0]) / transfers) })
    yield* measure(store, "Postgres", transfers)
  })

/** Both stores, one after the other. */
export const large = (transfers: number): Promise<void> =>
  Effect.gen(function*() {
    yield* inSqlite(transfers)
    const url = yield* temporary
    yield* Effect.provideServiceEffect(inPostgres(transfers), SqlClient, PgClient.make({ url, maxConnections: 20 }))
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.runPromise)
