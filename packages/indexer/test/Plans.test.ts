/**
 * What the statements of pages read of an index with many rows: no more than their pages, whatever the planner of the database does. With
 * `INDEX_ROWS=2000000` there are that many transfers, and what took longest is printed: CONTRIBUTING.md.
 */
import type * as Driver from "@effect-klaytn/store/Driver"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { keyOf } from "../src/BlockKey.js"
import type { IndexReader } from "../src/IndexReader.js"
import * as IndexScope from "../src/IndexScope.js"
import { Database } from "../src/internal/postgres/Database.js"
import { PgTable } from "../src/internal/postgres/PgTable.js"
import { makeReader } from "../src/internal/postgres/reader.js"
import * as PostgresIndex from "../src/PostgresIndex.js"
import * as SqliteIndex from "../src/SqliteIndex.js"
import { opened } from "./support/fakeNode.js"
import * as many from "./support/manyRows.js"
import { clients } from "./support/stores.js"

const limit = 20
const middle = keyOf(many.counts.blocks / 2, 1)
const topic = `0x70${"0".repeat(62)}` as const

/** Calls of each read, of pages and of what comes after them. */
const calls: {
  readonly [K in Exclude<keyof IndexReader, "scope" | "inOneState">]: (
    reader: IndexReader
  ) => ReadonlyArray<Effect.Effect<unknown, unknown>>
} = {
  head: ({ head }) => [head],
  block: ({ block }) => [block(1_000), block(many.blockHash(1_000))],
  transaction: ({ transaction }) => [transaction(many.transactionHash(5_000))],
  transactionBySenderHash: ({ transactionBySenderHash }) => [transactionBySenderHash(many.transactionHash(5_001))],
  transactionAt: ({ transactionAt }) => [transactionAt(1_000, 2)],
  transactions: ({ transactions }) => [
    transactions({ limit }),
    transactions({ limit, before: { block: 1_000, index: 1 } }),
    transactions({ limit, block: 1_000 })
  ],
  transactionsOf: ({ transactionsOf }) => [transactionsOf(1_000)],
  logsOf: ({ logsOf }) => [logsOf(many.transactionHash(5_000))],
  logs: ({ logs }) => [
    logs({ fromBlock: 0, toBlock: 2_000, limit }),
    logs({ fromBlock: 0, toBlock: 2_000, addresses: [many.contract(7)], limit }),
    logs({ fromBlock: 0, toBlock: 2_000, topics: [[topic]], limit })
  ],
  transfers: ({ transfers }) => [
    transfers({ limit }),
    transfers({ accounts: [many.busy], limit }),
    transfers({ accounts: [many.busy], before: middle, limit }),
    transfers({ accounts: [many.busy], kinds: ["nft"], side: "from", limit }),
    transfers({ accounts: [many.busy], excludeZeroCoin: true, blocks: { from: 10, to: 1_500 }, limit }),
    transfers({ accounts: [many.busy], seconds: { from: 1_700_000_100, to: 1_700_001_000 }, limit }),
    transfers({ accounts: [many.busy], contractFilter: many.coin, limit }),
    transfers({ accounts: [many.account(9_999_999)], limit }),
    transfers({ contracts: [many.collection], limit }),
    transfers({ accounts: [many.busy, many.account(3)], contracts: [many.multi], before: middle, limit })
  ],
  transfersOf: ({ transfersOf }) => [transfersOf(many.transactionHash(5_000))],
  lastTransfersOf: ({ lastTransfersOf }) => [lastTransfersOf([1, 2, 3].map(many.transactionHash))],
  hasCreation: ({ hasCreation }) => [hasCreation(many.contract(7))],
  contract: ({ contract }) => [contract(many.coin)],
  contractsOf: ({ contractsOf }) => [contractsOf([1, 2, 3].map(many.contract))],
  contracts: ({ contracts }) => [
    contracts({ kinds: ["ft"], labelled: true, limit }),
    contracts({ kinds: ["nft"], after: { address: many.contract(1_000), blockNumber: 1_000 }, limit })
  ],
  contractSupply: ({ contractSupply }) => [contractSupply(many.coin)],
  contractHoldings: ({ contractHoldings }) => [
    contractHoldings({ owner: many.busy, limit }),
    contractHoldings({ owner: many.busy, after: { updatedBy: middle, contract: many.coin }, limit })
  ],
  ownership: ({ ownership }) => [ownership(many.collection, 1_000n, { limit })],
  token: ({ token }) => [token(many.collection, 1_000n)],
  tokens: ({ tokens }) => [
    tokens({ contract: many.collection, order: "tokenId", limit }),
    tokens({ contract: many.collection, order: "newest", limit }),
    tokens({ contract: many.collection, order: "newest", after: { updatedBy: middle, tokenId: 5n }, limit }),
    tokens({ contract: many.collection, owner: many.busy, order: "newest", limit })
  ],
  holding: ({ holding }) => [holding(many.collection, many.busy, 1_000n)],
  holdings: ({ holdings }) => [
    holdings({ owner: many.busy, labelled: true, kinds: ["ft", "nft", "mt"], limit }),
    holdings({ owner: many.busy, contracts: [many.collection], limit }),
    holdings({ owner: many.whale, kinds: ["ft"], labelled: true, limit }),
    holdings({ owner: many.whale, kinds: ["mt", "ft"], labelled: true, limit }),
    holdings({ owner: many.whale, kinds: ["nft"], labelled: true, limit }),
    holdings({ owner: many.busy, kinds: ["nft"], labelled: true, limit }),
    holdings({
      owner: many.busy,
      after: { updatedBy: middle, contract: many.collection, owner: many.busy, tokenId: 5n },
      limit
    }),
    holdings({ contracts: [many.coin], kinds: ["ft"], limit }),
    holdings({ contracts: [many.multi], tokenId: 5n, limit })
  ],
  totalBalance: ({ totalBalance }) => [totalBalance(many.coin, many.busy)],
  holderCount: ({ holderCount }) => [holderCount(many.coin)],
  isSettled: ({ isSettled }) => [isSettled],
  presets: ({ presets }) => [presets],
  preset: ({ preset }) => [preset(1)]
}

/** The longest times of a test, in milliseconds. */
const slowest = (times: ReadonlyArray<readonly [string, number]>) =>
  many.isLarge
    ? Effect.log(
      times.toSorted(([, a], [, b]) => b - a).slice(0, 12).map(([name, time]) => `${name} ${time.toFixed(1)} ms`)
    )
    : Effect.void

/** How long an effect takes, by a clock that a test does not set. */
const timed = (effect: Effect.Effect<unknown, unknown>) =>
  Effect.suspend(() => {
    const since = performance.now()
    return Effect.map(effect, () => performance.now() - since)
  })

/** How long a test may take. */
const timeout = many.isLarge ? 3_000_000 : 120_000

/** Runs all calls, with what `explain` finds in the statements of each. */
const problems = <E, R>(
  reader: IndexReader,
  explain: (name: string, call: Effect.Effect<unknown, unknown>) => Effect.Effect<ReadonlyArray<string>, E, R>
) =>
  Effect.map(
    Effect.forEach(Object.entries(calls), ([name, of]) =>
      Effect.forEach(of(reader), (call, at) =>
        Effect.map(explain(name, call), (found) =>
          found.map((one) => `${name} ${at}: ${one}`)))),
    (all) =>
      all.flat(2)
  )

/** How many rows a page of this size may read: of each of ten searches, one for each table that it joins, and some that it passes over. */
const mostRows = 60 * limit

/** A node of a plan that ran. */
interface PlanNode {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly Plans?: ReadonlyArray<PlanNode>
}

/** The rows that a plan has read of tables and indexes. */
const rowsRead = (node: PlanNode): number =>
  (node.Plans ?? []).reduce(
    (sum, one) => sum + rowsRead(one),
    node["Node Type"].endsWith(" Scan")
      ? (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]
      : 0
  )

describe.each(clients.map((client) => ["Postgres", client] as const))("an index with many rows on %s", (_, client) => {
  it.scopedLive("is read by pages, and no further", () =>
    Effect.gen(function*() {
      const sql = yield* client
      yield* Effect.provideService(PostgresIndex.open({ schema: "many" }), SqlClient, sql)
      const database = new Database(sql, "many")
      for (const [table, rows] of many.rows) yield* new PgTable(database, table).insert(rows)
      yield* sql.unsafe("VACUUM ANALYZE")
      const statements: Array<readonly [string, ReadonlyArray<unknown>]> = []
      const recording = Object.assign(Object.create(sql), {
        // Some statements are made with the reader.
        unsafe: (text: string, values: ReadonlyArray<unknown> = []) =>
          Effect.suspend(() => {
            statements.push([text, values])
            return sql.unsafe(text, values)
          })
      })
      const reader = makeReader(new Database(recording, "many"), IndexScope.filter(IndexScope.whole))
      const times: Array<readonly [string, number]> = []
      const found = yield* problems(reader, (name, call) =>
        Effect.gen(function*() {
          yield* call
          statements.length = 0
          times.push([name, yield* timed(call)])
          assert.isAbove(statements.length, 0)
          return yield* Effect.forEach(statements, ([text, values]) =>
            Effect.map(
              sql.unsafe<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: PlanNode }> }>(
                `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
                values
              ),
              ([row]) => row?.["QUERY PLAN"].reduce((sum, { Plan }) => sum + rowsRead(Plan), 0) ?? Infinity
            ))
        }).pipe(Effect.map((read) => read.filter((rows) => rows > mostRows).map((rows) => `reads ${rows} rows`))))
      yield* slowest(times)
      assert.deepStrictEqual(found, [])
    }), timeout)
})

/** Steps of a plan of SQLite that read a table from its beginning, or sort all that they have read, and not what is level. */
const isWhole = (step: string): boolean =>
  /^SCAN (?!json_each|j\b|CONSTANT|\()|^USE TEMP B-TREE FOR (?!RIGHT PART)/.test(step)

/** One row of a table in the order of its key, all presets, pages that are made of the pages of some scans, and few rows that are sorted. */
const isBounded = (step: string): boolean =>
  /^(head|isSettled) 0: SCAN|^presets 0: SCAN p$|^(transfers|lastTransfersOf) \d+: USE TEMP|^holdings [23]: (SCAN few|USE TEMP)/
    .test(step)

/** What a plan reads beyond a page: to scan, or to sort, the rows of a page that was read before is not that. */
const wholes = (rows: ReadonlyArray<Driver.Row>): ReadonlyArray<string> => {
  const steps = rows.map(([id, parent, , detail]) => ({ id, parent, detail: String(detail) }))
  const pages = steps.filter(({ detail }) => /^(CO-ROUTINE|MATERIALIZE) /.test(detail))
  // What is few is looked up, and not found among all that an owner has.
  const few = steps.find(({ detail }) => detail === "CO-ROUTINE few")?.id
  return steps.filter(({ detail, parent }) =>
    parent === few && /^SEARCH h USING (?!PRIMARY KEY \(contract=\? AND owner=\?\))/.test(detail) ||
    isWhole(detail) && (pages.length === 0 || pages.some(({ id }) => id === parent) ||
        (detail.startsWith("SCAN ") && !pages.some((page) => page.detail.split(" ")[1] === detail.split(" ")[1])))
  ).map(({ detail }) => detail)
}

describe("an index with many rows on SQLite", () => {
  it.scopedLive("is read by pages, and no further", () =>
    Effect.gen(function*() {
      const driver = yield* opened
      const statements = new Set<string>()
      const recording: Driver.Driver = {
        ...driver,
        prepare: (text) => {
          const prepared = driver.prepare(text)
          return {
            ...prepared,
            all: (...values) => {
              statements.add(text)
              return prepared.all(...values)
            },
            first: (...values) => {
              statements.add(text)
              return prepared.first(...values)
            }
          }
        }
      }
      yield* SqliteIndex.open(driver, 1001)
      driver.exec("BEGIN")
      for (const [table, rows] of many.rows) {
        // A cast: the rows are of the table, and not of one of the others.
        const insert = table.of(1001).insert(driver) as (row: object) => void
        let count = 0
        for (const row of rows) {
          insert(row)
          if (++count % 10_000 === 0) yield* Effect.sleep("1 millis")
        }
      }
      driver.exec("COMMIT")
      const times: Array<readonly [string, number]> = []
      const found = yield* problems(SqliteIndex.make(recording, 1001).reader, (name, call) => {
        statements.clear()
        return Effect.map(Effect.zipRight(call, timed(call)), (time) => {
          times.push([name, time])
          return [...statements].flatMap((text) => wholes(driver.prepare(`EXPLAIN QUERY PLAN ${text}`).all()))
        })
      })
      yield* slowest(times)
      assert.deepStrictEqual(
        found.filter((step) => !isBounded(step)),
        []
      )
    }), timeout)
})
