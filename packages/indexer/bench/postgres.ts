/**
 * How many blocks of a node one second of CPU loads into Postgres, with the CPU of the server counted and shown apart; how
 * large the index is with all of its indexes; and how long pages take. The node is in this process, and its own time does not
 * count. The server is one of its own in a temporary folder. Prints one JSON line a figure:
 *
 *     npx tsx packages/indexer/bench/run.ts postgres [--blocks 3000]
 */
import * as Lease from "@effect-klaytn/store/Lease"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { temporary } from "../../../drills/engine/postgres.js"
import * as PostgresBackfill from "../src/PostgresBackfill.js"
import * as PostgresIndex from "../src/PostgresIndex.js"
import { cpuSeconds, percentile, print, rounded } from "./figures.js"
import { source } from "./following.js"
import { serverSeconds } from "./serverSeconds.js"
import { holderOf, SyntheticNode } from "./SyntheticNode.js"

const transactions = 10
/** How many pages each reader asks for. */
const pages = 200

const timed = (store: PostgresIndex.PostgresIndex, limit: number) =>
  Effect.gen(function*() {
    const times: Array<number> = []
    for (let page = 0; page < pages; page++) {
      const began = performance.now()
      yield* store.reader.transfers({ accounts: [holderOf(page % 50)], limit })
      times.push(performance.now() - began)
    }
    return times
  })

const measured = (blocks: number) =>
  Effect.gen(function*() {
    const node = new SyntheticNode(blocks + 128, transactions, 300)
    const reading = yield* source(node)
    const store = yield* PostgresIndex.open()
    const before = { own: cpuSeconds() - node.busy, server: serverSeconds("postgres"), wall: performance.now() }
    const folding = yield* Effect.fork(Effect.flatMap(SqlClient, (sql) =>
      Lease.hold({ lease: sql, writing: sql, schema: PostgresIndex.defaultSchema, holder: "bench" }, (lease) =>
        Effect.gen(function*() {
          const writing = yield* PostgresIndex.open({ guard: lease.guard })
          yield* PostgresBackfill.fold(writing, reading, lease, { pieceSize: Math.min(blocks, 2000) })
          return yield* Effect.fail("done" as const)
        }))))
    yield* Effect.repeat(PostgresBackfill.progress(), { until: Option.isSome })
    const loaded = yield* PostgresBackfill.work(store, yield* source(node), { worker: "bench" })
    yield* Effect.ignore(folding)
    const own = cpuSeconds() - node.busy - before.own
    const server = serverSeconds("postgres") - before.server
    print("blocks loaded into Postgres", {
      transactions,
      amount: loaded,
      perCpuSecond: Math.round(loaded / (own + server)),
      cpuSeconds: { own: rounded(own), server: rounded(server) },
      perSecond: Math.round(loaded / (performance.now() - before.wall) * 1000)
    })
    const sql = yield* SqlClient
    const [row] = yield* sql.unsafe(
      `SELECT sum(pg_total_relation_size(c.oid)), (SELECT count(*) FROM klaytn_index.transfers),
       (SELECT count(*) FROM klaytn_index.transactions)
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'klaytn_index' AND c.relkind = 'r'`
    ).values
    const [bytes = 0, transfers = 1, rows = 1] = (row ?? []).map(Number)
    print("size of an index in Postgres", {
      transfers,
      bytes,
      perTransfer: Math.round(bytes / transfers),
      perTransaction: Math.round(bytes / rows)
    })
    for (const limit of [100, 1000]) {
      const alone = yield* timed(store, limit)
      const many = (yield* Effect.all(
        Array.from({ length: 16 }, () =>
          timed(store, limit)),
        { concurrency: 16 }
      ))
        .flat()
      const of = (times: ReadonlyArray<number>) => ({
        p50: rounded(percentile(times, 0.5)),
        p99: rounded(percentile(times, 0.99))
      })
      print("page of transfers from Postgres, in milliseconds", {
        limit,
        transfers,
        alone: of(alone),
        with16: of(many)
      })
    }
  })

/** Nothing is measured where there is no Postgres to start. */
export const postgres = (blocks: number): Promise<void> =>
  Effect.flatMap(
    temporary,
    (url) => Effect.provideServiceEffect(measured(blocks), SqlClient, PgClient.make({ url, maxConnections: 20 }))
  ).pipe(
    Effect.catchTag("NoPostgres", ({ message }) => Effect.sync(() => process.stderr.write(`${message}\n`))),
    Effect.asVoid,
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.runPromise
  )
