import * as OwnNode from "@effect-klaytn/core/OwnNode"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as Testing from "@effect-klaytn/core/Testing"
import * as Lease from "@effect-klaytn/store/Lease"
import * as HttpClient from "@effect/platform/HttpClient"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { createHash } from "node:crypto"
import { onPostgres, stranger } from "../../engine/test/support/databases.js"
import { SyntheticNode } from "../bench/SyntheticNode.js"
import { catchUp } from "../src/CatchUp.js"
import { indexTables } from "../src/IndexTables.js"
import * as NodeSource from "../src/NodeSource.js"
import * as PostgresBackfill from "../src/PostgresBackfill.js"
import * as PostgresIndex from "../src/PostgresIndex.js"
import { clients } from "./support/stores.js"

const schema = "loaded"

const sourceOf = (node: SyntheticNode) =>
  Effect.flatMap(ServiceClient.make("node"), (client) => NodeSource.make(client)).pipe(
    Effect.provide(OwnNode.layer({ chain: 1001, url: "http://127.0.0.1:8551" })),
    Effect.provideService(
      HttpClient.HttpClient,
      Testing.wire((sent) => Testing.text(200, node.answer(sent.body ?? ""))(sent)).client
    )
  )

/** An index with the plan of a node's chain in pieces, what folds them, and the fiber that does so. */
const planOf = (node: SyntheticNode) =>
  Effect.gen(function*() {
    const store = yield* PostgresIndex.open({ schema })
    const source = yield* sourceOf(node)
    const fold = PostgresBackfill.fold(store, source, { number: 1, guard: Effect.void }, { schema, pieceSize: 300 })
    const folding = yield* Effect.fork(fold)
    yield* Effect.repeat(PostgresBackfill.progress({ schema }), { until: Option.isSome })
    return { store, source, fold, folding }
  })

/** What each table has, in words. */
const hashes = Effect.gen(function*() {
  const sql = yield* SqlClient
  return yield* Effect.forEach(
    // What reverts blocks depends on how many were written at once.
    indexTables.filter(({ name }) => name !== "ownership_undo"),
    ({ columns, name }) =>
      Effect.map(
        sql.unsafe(`SELECT * FROM ${schema}.${name} ORDER BY ${columns.slice(0, 3).map((one) => one.name).join(", ")}`)
          .values,
        (rows) => `${name} ${rows.length} ${createHash("sha256").update(JSON.stringify(rows)).digest("hex")}`
      )
  )
})

const indexesOf = Effect.gen(function*() {
  const sql = yield* SqlClient
  const rows = yield* sql.unsafe(`SELECT indexname FROM pg_indexes WHERE schemaname = '${schema}' ORDER BY 1`).values
  return rows.flat()
})

/** Loads a chain with so many workers, of which some end soon, and follows the rest. */
const load = (node: SyntheticNode, workers: number, kills: number) =>
  Effect.scoped(Effect.gen(function*() {
    yield* PostgresIndex.open({ schema })
    const before = yield* indexesOf
    const run = Effect.fork(Effect.flatMap(SqlClient, (sql) =>
      Lease.hold({ lease: sql, writing: sql, schema, holder: "leader" }, (lease) =>
        Effect.gen(function*() {
          const store = yield* PostgresIndex.open({ schema, guard: lease.guard })
          const source = yield* sourceOf(node)
          yield* PostgresBackfill.fold(store, source, lease, { schema, pieceSize: 300 })
          yield* catchUp(store, source, { depth: 128 })
          return yield* Effect.fail("done" as const)
        }))))
    const leader = yield* run
    const worker = (name: string) =>
      Effect.gen(function*() {
        const store = yield* PostgresIndex.open({ schema })
        return yield* PostgresBackfill.work(store, yield* sourceOf(node), { schema, worker: name })
      })
    const planned = yield* Effect.repeat(PostgresBackfill.progress({ schema }), { until: Option.isSome })
    for (let kill = 0; kill < kills; kill++) {
      const fiber = yield* Effect.fork(worker("killed"))
      yield* Effect.sleep("400 millis")
      yield* Fiber.interrupt(fiber)
      // A worker that is killed does not give its piece back.
      const sql = yield* SqlClient
      yield* sql.unsafe(`UPDATE ${schema}.pieces SET until = '-infinity'`)
    }
    const loaded = yield* Effect.all(
      Array.from({ length: workers }, (_, n) =>
        worker(`worker ${n}`)),
      {
        concurrency: "unbounded"
      }
    )
    assert.strictEqual(yield* Effect.flip(Fiber.join(leader)), "done")
    assert.deepStrictEqual(yield* indexesOf, before)
    assert.isTrue(Option.isNone(yield* PostgresBackfill.progress({ schema })))
    return { hashes: yield* hashes, loaded, pieces: Option.getOrThrow(planned).pieces }
  }))

describe.each(clients.map((client) => ["Postgres", client] as const))(
  "the first load of an index on %s",
  (_, client) => {
    it.scopedLive(
      "ends while a session of a role that may only read keeps what it has read",
      () =>
        Effect.flatMap(onPostgres[0]?.[1] ?? Effect.die("there is no server"), (database) =>
          Effect.gen(function*() {
            yield* PostgresIndex.open({ schema })
            yield* stranger(
              database,
              `BEGIN; SELECT 1 FROM ${["drafts", "pieces", "transfers"].map((table) => `${schema}.${table}`).join()}`,
              (role) => [
                `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
                `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}`
              ]
            )
            assert.strictEqual((yield* load(new SyntheticNode(700, 1), 1, 0)).pieces, 2)
          }).pipe(Effect.provide(database.layer))),
      60_000
    )

    it.scopedLive(
      "loads again what a worker has loaded from a node on another branch",
      () =>
        Effect.provideServiceEffect(
          Effect.gen(function*() {
            const node = new SyntheticNode(700, 1)
            const right = yield* load(node, 1, 0)
            const sql = yield* SqlClient
            yield* sql.unsafe(`DROP SCHEMA ${schema} CASCADE`)
            const { folding, source, store } = yield* planOf(node)
            const progress = PostgresBackfill.progress({ schema })
            const same = yield* sourceOf(node)
            const other = (hash: string) => `0xff${hash.slice(4)}` as const
            /** From the second piece on another branch. */
            const branch = {
              ...same,
              headerHash: (height: number) =>
                Effect.map(same.headerHash(height), (hash) => hash === undefined || height < 300 ? hash : other(hash)),
              block: (height: number) =>
                Effect.map(same.block(height), (block) => {
                  if (block === undefined || height < 300) return block
                  const { hash, parentHash } = block.header
                  const header = {
                    ...block.header,
                    hash: other(hash),
                    parentHash: height === 300 ? parentHash : other(parentHash)
                  }
                  return { ...block, header }
                })
            }
            const wrong = PostgresBackfill.work(store, branch, { schema, worker: "wrong" })
            yield* wrong
            // Once the fold has found it, that worker takes no piece any more.
            const refusal = yield* Effect.flip(Effect.repeat(wrong, Schedule.spaced("100 millis")))
            assert.strictEqual(
              refusal.message,
              "block 300 of the source: the node of the process that folds the blocks has another one: look which of the two nodes is on the chain"
            )
            yield* Effect.repeat(
              Effect.zipRight(
                PostgresBackfill.work(store, yield* sourceOf(node), { schema, worker: "right" }),
                progress
              ),
              { until: Option.isNone, schedule: Schedule.spaced("100 millis") }
            )
            yield* Fiber.join(folding)
            yield* catchUp(store, source, { depth: 128 })
            assert.deepStrictEqual(yield* hashes, right.hashes)
          }),
          SqlClient,
          client
        ),
      120_000
    )

    it.scopedLive("takes a piece from a worker that was frozen while it wrote the piece", () =>
      Effect.provideServiceEffect(
        Effect.gen(function*() {
          const sql = yield* SqlClient
          const { store } = yield* planOf(new SyntheticNode(700, 1))
          yield* sql.unsafe(`UPDATE ${schema}.pieces SET until = clock_timestamp() - interval '30 seconds'`)
          const isHeld = yield* Effect.makeLatch()
          yield* Effect.fork(sql.withTransaction(
            sql.unsafe(`UPDATE ${schema}.pieces SET next_block = 1 WHERE first_block = 0`).pipe(
              Effect.zipRight(isHeld.open),
              Effect.zipRight(Effect.never)
            )
          ))
          yield* isHeld.await
          const work = PostgresBackfill.work(store, yield* sourceOf(new SyntheticNode(700, 1)), {
            schema,
            worker: "other"
          })
          const first = yield* work
          yield* Effect.sleep("100 millis")
          assert.strictEqual(first + (yield* work), 700 - 128 + 1)
        }),
        SqlClient,
        client
      ))

    it.scopedLive("loads again what a database that went back has lost", () =>
      Effect.provideServiceEffect(
        Effect.gen(function*() {
          const sql = yield* SqlClient
          const node = new SyntheticNode(700, 1)
          const { store } = yield* planOf(node)
          let isLost = false
          const load = PostgresBackfill.work(store, yield* sourceOf(node), {
            schema,
            worker: "one",
            onBlocks: () => {
              if (isLost) return Effect.void
              isLost = true
              return Effect.orDie(sql.withTransaction(Effect.forEach([
                `UPDATE ${schema}.pieces SET next_block = first_block WHERE first_block = 0`,
                `DELETE FROM ${schema}.drafts`,
                ...["transactions", "transfers", "logs", "blocks"].map((table) => `DELETE FROM ${schema}.${table}`)
              ], (statement) => sql.unsafe(statement))))
            }
          })
          yield* load
          yield* load
          const blocks = sql.unsafe<{ readonly blocks: number }>(`SELECT count(*)::int AS blocks FROM ${schema}.blocks`)
          assert.deepStrictEqual([...yield* blocks], [{ blocks: 700 - 128 + 1 }])
        }),
        SqlClient,
        client
      ), 60_000)

    it.scopedLive(
      "has blocks loaded again whose drafts are missing",
      () =>
        Effect.provideServiceEffect(
          Effect.gen(function*() {
            const sql = yield* SqlClient
            const node = new SyntheticNode(700, 1)
            const { fold, folding: planning, source, store } = yield* planOf(node)
            yield* Fiber.interrupt(planning)
            const work = PostgresBackfill.work(store, yield* sourceOf(node), { schema, worker: "one" })
            yield* work
            yield* sql.unsafe(`DELETE FROM ${schema}.drafts WHERE first_block > 0`)
            const folding = yield* Effect.fork(fold)
            yield* Effect.repeat(Effect.zipRight(work, PostgresBackfill.progress({ schema })), {
              until: Option.isNone,
              schedule: Schedule.spaced("200 millis")
            })
            yield* Fiber.join(folding)
            yield* catchUp(store, source, { depth: 128 })
            assert.strictEqual((yield* store.reader.head).number, 700)
            yield* PostgresIndex.closeGap(store, { schema, depth: 1 })
          }),
          SqlClient,
          client
        ),
      60_000
    )

    it.scopedLive(
      "is not gone on with by a worker that does not know the tables any more",
      () =>
        Effect.provideServiceEffect(
          Effect.gen(function*() {
            const sql = yield* SqlClient
            const node = new SyntheticNode(700, 1)
            const { store } = yield* planOf(node)
            const work = PostgresBackfill.work(store, yield* sourceOf(node), {
              schema,
              worker: "old",
              onBlocks: () =>
                Effect.orDie(sql.unsafe(
                  `INSERT INTO ${schema}.migrations (migration_id, name) VALUES (1000, 'newer') ON CONFLICT DO NOTHING`
                ))
            })
            const before = "the tables of the index loaded have version 1000"
            assert.include((yield* Effect.flip(work)).message.toLowerCase(), before)
            const stored = yield* sql.unsafe<{ readonly blocks: number }>(
              `SELECT sum(next_block - first_block)::int AS blocks FROM ${schema}.pieces`
            )
            assert.isBelow(stored[0]?.blocks ?? 300, 300)
            assert.include((yield* Effect.flip(work)).message.toLowerCase(), before)
          }),
          SqlClient,
          client
        ),
      60_000
    )

    it.scopedLive("refuses pieces of no block before anything is asked", () =>
      Effect.gen(function*() {
        const sql = yield* client
        for (const pieceSize of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
          const error = yield* Effect.provideService(
            Effect.gen(function*() {
              const store = yield* PostgresIndex.open({ schema })
              const lease = { number: 1, guard: Effect.void }
              const source = yield* sourceOf(new SyntheticNode(10, 1))
              return yield* Effect.flip(PostgresBackfill.fold(store, source, lease, { pieceSize }))
            }),
            SqlClient,
            sql
          )
          assert.strictEqual(error._tag, "InvalidInput", `${pieceSize}`)
        }
      }))

    it.scopedLive("stores what a slow node gave in a second, keeps the piece meanwhile, and gives the piece back at the end", () =>
      Effect.provideServiceEffect(
        Effect.gen(function*() {
          const sql = yield* SqlClient
          const { source, store } = yield* planOf(new SyntheticNode(700, 1))
          const progress = PostgresBackfill.progress({ schema })
          const loaded = Effect.map(progress, (found) => Option.isSome(found) ? found.value.blocksLoaded : 0)
          const pieces = Effect.map(
            sql.unsafe(
              `SELECT next_block, until > clock_timestamp(), extract(epoch FROM until)::float8 FROM ${schema}.pieces
               WHERE number > 0 ORDER BY first_block`
            ).values,
            (rows) => rows.map(([next, isHeld, until]) => ({ next: Number(next), isHeld, until: Number(until) }))
          )
          /** Gives 30 blocks, slowly, and then no more. */
          const slow = {
            ...source,
            block: (height: number) => height < 30 ? Effect.delay(source.block(height), "50 millis") : Effect.never
          }
          const worker = yield* Effect.fork(PostgresBackfill.work(store, slow, { schema, worker: "slow" }))
          yield* Effect.repeat(loaded, { until: (count) => count > 0 })
          const [first] = yield* pieces
          assert.isBelow(first?.next ?? 0, 30)
          // Its time is moved although no block comes any more.
          let kept = first
          yield* Effect.repeat(pieces, {
            until: ([now]) => {
              if (now?.next === kept?.next) return (now?.until ?? 0) > (kept?.until ?? 0) + 1
              kept = now
              return false
            },
            schedule: Schedule.spaced("100 millis")
          })
          assert.isTrue(kept?.isHeld)
          yield* Fiber.interrupt(worker)
          const [free] = yield* pieces
          assert.deepStrictEqual([free?.next, free?.isHeld], [kept?.next, false])
          const rest = yield* PostgresBackfill.work(store, source, { schema, worker: "other" })
          assert.strictEqual(rest + (kept?.next ?? 0), 700 - 128 + 1)
        }),
        SqlClient,
        client
      ))

    it.scopedLive("refuses blocks that workers have loaded from two branches of the chain", () =>
      Effect.provideServiceEffect(
        Effect.gen(function*() {
          const { folding: leader, source, store } = yield* planOf(new SyntheticNode(1000, 1))
          /** The second piece begins with another branch. */
          const other = {
            ...source,
            block: (height: number) =>
              Effect.map(source.block(height), (block) =>
                block === undefined || height !== 300
                  ? block
                  : { ...block, header: { ...block.header, parentHash: block.header.hash } })
          }
          yield* PostgresBackfill.work(store, other, { schema, worker: "of two branches" })
          const error = yield* Effect.flip(Fiber.join(leader))
          assert.deepInclude(error, { _tag: "SourceMismatch", height: 300 })
        }),
        SqlClient,
        client
      ))

    it.scopedLive(
      "has the same tables whatever the number of workers, and after workers were killed",
      () =>
        Effect.gen(function*() {
          const made = () => new SyntheticNode(1400, 3)
          const alone = yield* Effect.provideServiceEffect(
            Effect.gen(function*() {
              const store = yield* PostgresIndex.open({ schema })
              yield* catchUp(store, yield* sourceOf(made()), { depth: 128 })
              return yield* hashes
            }),
            SqlClient,
            client
          )
          for (const [workers, kills] of [[1, 0], [3, 0], [2, 3]] as const) {
            const found = yield* Effect.provideServiceEffect(load(made(), workers, kills), SqlClient, client)
            assert.deepStrictEqual(found.hashes, alone, `${workers} workers`)
            assert.strictEqual(found.pieces, 5)
            if (kills === 0) assert.strictEqual(found.loaded.reduce((sum, one) => sum + one, 0), 1400 - 128 + 1)
          }
        }),
      300_000
    )
  }
)
