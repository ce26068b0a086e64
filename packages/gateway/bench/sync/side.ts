/**
 * One side of the bench of a first sync, as a process of its own: the floor, which fetches all blocks and receipts and parses them, or
 * an index in SQLite or Postgres. It sends what it took, once it is at the node's newest block.
 */
import * as OwnNode from "@effect-klaytn/core/OwnNode"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import { catchUp } from "@effect-klaytn/indexer/CatchUp"
import { indexVersion } from "@effect-klaytn/indexer/IndexTables"
import * as NodeSource from "@effect-klaytn/indexer/NodeSource"
import * as PostgresBackfill from "@effect-klaytn/indexer/PostgresBackfill"
import * as PostgresIndex from "@effect-klaytn/indexer/PostgresIndex"
import * as SqliteIndex from "@effect-klaytn/indexer/SqliteIndex"
import * as DatabaseFile from "@effect-klaytn/store/DatabaseFile"
import * as Lease from "@effect-klaytn/store/Lease"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

/** What a side is started with. */
export interface SideJob {
  readonly side: "floor" | "sqlite" | "postgres"
  readonly url: string
  /** The height of the node. */
  readonly height: number
  /** A file, or the address of a database. */
  readonly database: string
}

/** What a side took. */
export interface SideTaken {
  /** CPU seconds of its process. */
  readonly cpu: number
  readonly seconds: number
  /** The most memory that it had, in megabytes. */
  readonly memory: number
  readonly transactions: number
  readonly transfers: number
}

// Written by the parent.
const { database, height, side, url } = JSON.parse(process.env["BENCH_JOB"] ?? "{}") as SideJob

const chainId = 1001
/** As many blocks as a gateway is able to revert. */
const depth = 128
/** Calls in a request of the floor. */
const callsAtOnce = 20

const quantity = (value: number): string => `0x${value.toString(16)}`

/** Fetches blocks and receipts in batches, one after the other, and parses them. */
const floor = async (): Promise<Pick<SideTaken, "transactions" | "transfers">> => {
  const ask = async (calls: ReadonlyArray<readonly [method: string, ...params: ReadonlyArray<unknown>]>) => {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(calls.map(([method, ...params], id) => ({ jsonrpc: "2.0", id, method, params })))
    })
    // A node's answer to a batch.
    return JSON.parse(await answer.text()) as ReadonlyArray<{
      readonly result: { readonly hash: string; readonly transactions: ReadonlyArray<unknown> }
    }>
  }
  let transactions = 0
  for (let from = 0; from <= height; from += callsAtOnce) {
    const numbers = Array.from({ length: Math.min(callsAtOnce, height + 1 - from) }, (_, at) => from + at)
    const blocks = await ask(numbers.map((number) => ["kaia_getBlockByNumber", quantity(number), true]))
    const filled = blocks.filter(({ result }) => result.transactions.length > 0)
    if (filled.length > 0) await ask(filled.map(({ result }) => ["kaia_getBlockReceipts", result.hash]))
    transactions += filled.reduce((sum, { result }) => sum + result.transactions.length, 0)
  }
  return { transactions, transfers: 0 }
}

const source = Effect.flatMap(ServiceClient.make("node"), (client) => NodeSource.make(client)).pipe(
  Effect.provide(OwnNode.layer({ chain: chainId, url, attemptTimeout: "30 seconds", deadline: "2 minutes" })),
  Effect.provide(FetchHttpClient.layer)
)

const counts = () => {
  const sums = { transactions: 0, transfers: 0 }
  const onBlock = (block: { readonly transactionCount: number; readonly transferCount: number }) =>
    Effect.sync(() => {
      sums.transactions += block.transactionCount
      sums.transfers += block.transferCount
    })
  return { sums, onBlock }
}

const sqlite = Effect.gen(function*() {
  const driver = DatabaseFile.open(database, {
    program: "bench",
    applicationId: 1,
    version: indexVersion,
    upgrade: (driver) => SqliteIndex.ensureTables(driver, chainId)
  })
  const { onBlock, sums } = counts()
  yield* catchUp(SqliteIndex.make(driver, chainId), yield* source, { depth, shrinks: false, onBlock })
  return sums
})

/** Loads and folds in this process, and then follows. */
const postgres = Effect.gen(function*() {
  const sql = yield* SqlClient
  const reading = yield* source
  const { onBlock, sums } = counts()
  const store = yield* PostgresIndex.open()
  yield* Lease.hold(
    { lease: sql, writing: sql, schema: PostgresIndex.defaultSchema, holder: "bench" },
    (lease) =>
      Effect.gen(function*() {
        const writing = yield* PostgresIndex.open({ guard: lease.guard })
        const folding = yield* Effect.fork(PostgresBackfill.fold(writing, reading, lease))
        yield* Effect.repeat(Effect.delay(PostgresBackfill.progress(), "20 millis"), { until: Option.isSome })
        yield* PostgresBackfill.work(store, yield* source, { worker: "bench" })
        yield* folding
        yield* catchUp(writing, reading, { depth, shrinks: false, onBlock })
        return yield* Effect.fail("done" as const)
      })
  ).pipe(Effect.catchAll((failure) => failure === "done" ? Effect.void : Effect.die(failure)))
  const [row] = yield* sql.unsafe(
    "SELECT (SELECT count(*) FROM klaytn_index.transactions), (SELECT count(*) FROM klaytn_index.transfers)"
  ).values
  const [transactions = 0, transfers = 0] = (row ?? []).map(Number)
  return { ...sums, transactions, transfers }
}).pipe(
  Effect.provideServiceEffect(
    SqlClient,
    PgClient.make({ url: Redacted.make(database), maxConnections: 10 })
  ),
  Effect.provide(Reactivity.layer)
)

const run = (): Promise<Pick<SideTaken, "transactions" | "transfers">> => {
  switch (side) {
    case "floor":
      return floor()
    case "sqlite":
      return Effect.runPromise(Effect.scoped(sqlite))
    case "postgres":
      return Effect.runPromise(Effect.scoped(postgres))
  }
}

const began = performance.now()
const before = process.cpuUsage()
const sums = await run()
const { system, user } = process.cpuUsage(before)
const taken: SideTaken = {
  ...sums,
  cpu: (system + user) / 1e6,
  seconds: (performance.now() - began) / 1000,
  memory: process.resourceUsage().maxRSS / 1024
}
process.send?.(taken, undefined, undefined, () => process.exit(0))
