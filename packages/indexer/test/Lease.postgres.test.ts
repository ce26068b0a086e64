import * as Database from "@effect-klaytn/store/Database"
import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
import * as Lease from "@effect-klaytn/store/Lease"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import { onPostgres } from "../../engine/test/support/databases.js"
import { catchUp } from "../src/CatchUp.js"
import * as PostgresIndex from "../src/PostgresIndex.js"
import { FakeNode } from "./support/fakeNode.js"
import { clients } from "./support/stores.js"

const schema = "leased"

describe.each(clients.map((client) => ["Postgres", client] as const))("the lease of an index on %s", (_, client) => {
  const on = <A, E, R>(effect: Effect.Effect<A, E, R | SqlClient>) =>
    Effect.provideServiceEffect(effect, SqlClient, client)

  /** Holds the lease until it is lost, and gives it out. */
  const held = (holder: string) =>
    Effect.gen(function*() {
      const lease = yield* Deferred.make<Lease.Lease>()
      const fiber = yield* Effect.forkScoped(
        Effect.flatMap(SqlClient, (sql) =>
          Lease.hold(
            { lease: sql, writing: sql, schema, holder },
            (one) => Effect.zipRight(Deferred.succeed(lease, one), Effect.never)
          ))
      )
      return { fiber, lease: yield* Deferred.await(lease) }
    })

  it.scopedLive(
    "lets the holder write, and nobody whose lease another process has taken",
    () =>
      on(Effect.gen(function*() {
        const sql = yield* SqlClient
        yield* PostgresIndex.open({ schema })
        const first = yield* held("first")
        const isWriting = yield* Deferred.make<void>()
        const writing = yield* PostgresIndex.open({ schema, guard: first.lease.guard })
        yield* writing.revert(5)
        // As if the first one was frozen: its lease runs out, and it does not notice.
        yield* Fiber.interruptFork(first.fiber)
        yield* sql.unsafe(`UPDATE ${schema}.lease SET until = '-infinity'`)
        // It is also in the middle of a write, which has rows that the second one will write.
        const stuck = yield* Effect.fork(Effect.flip(sql.withTransaction(
          Effect.zipRight(
            first.lease.guard,
            Effect.zipRight(
              Deferred.succeed(isWriting, undefined),
              Effect.flatMap(
                Effect.sleep("9 seconds"),
                () => sql.unsafe("SELECT 1")
              )
            )
          )
        )))
        yield* Deferred.await(isWriting)
        const second = yield* held("second")
        assert.strictEqual(DatabaseFault.of(yield* Fiber.join(stuck)).kind, "Passing")
        assert.isAbove(second.lease.number, first.lease.number)
        const failure = yield* Effect.flip(writing.revert(5))
        assert.match(failure.message, /another process has taken the lease \d+, or its database was started anew/)
        yield* (yield* PostgresIndex.open({ schema, guard: second.lease.guard })).revert(5)
      })),
    30_000
  )

  it.scopedLive("passes to another process when its holder ends", () =>
    on(Effect.gen(function*() {
      yield* PostgresIndex.open({ schema })
      const first = yield* held("first")
      const waiting = yield* Effect.forkScoped(held("second"))
      yield* Effect.sleep("1500 millis")
      assert.isNull(waiting.unsafePoll())
      yield* Fiber.interrupt(first.fiber)
      assert.strictEqual((yield* Fiber.join(waiting)).lease.number, first.lease.number + 1)
    })), 30_000)

  it.scopedLive(
    "ends with the run of its server: what was stored last may be missing in the next one",
    () =>
      Effect.gen(function*() {
        const [, open] = onPostgres[0] ?? assert.fail("there is no server")
        const url = (yield* open).url
        // Here servers are started by a row.
        const sql = yield* Database.makePostgres({ url, schema: "servers,pg_catalog" })
        for (
          const statement of [
            "CREATE SCHEMA servers",
            "CREATE TABLE servers.started (at TIMESTAMPTZ)",
            "INSERT INTO servers.started VALUES (now())",
            "CREATE FUNCTION servers.pg_postmaster_start_time() RETURNS TIMESTAMPTZ LANGUAGE sql AS 'SELECT at FROM servers.started'"
          ]
        ) yield* sql.unsafe(statement)
        yield* Effect.gen(function*() {
          yield* PostgresIndex.open({ schema })
          const leases = yield* Queue.unbounded<Lease.Lease>()
          yield* Effect.forkScoped(
            Lease.hold(
              { lease: sql, writing: sql, schema, holder: "first" },
              (one) => Effect.zipRight(Queue.offer(leases, one), Effect.never)
            )
          )
          const first = yield* Queue.take(leases)
          const writing = yield* PostgresIndex.open({ schema, guard: first.guard })
          yield* writing.revert(5)
          yield* sql`UPDATE servers.started SET at = at + interval '1 minute'`
          assert.match((yield* Effect.flip(first.guard)).message, /its database was started anew/)
          const second = yield* Queue.take(leases)
          yield* (yield* PostgresIndex.open({ schema, guard: second.guard })).revert(5)
          // A database that went back gives the number to another process.
          yield* sql`UPDATE ${sql(schema)}.lease SET holder = 'other'`
          assert.match((yield* Effect.flip(second.guard)).message, /another process has taken the lease/)
        }).pipe(Effect.provideService(SqlClient, sql))
      }),
    30_000
  )

  it.scopedLive("is not kept from writing by whoever may connect to the database", () =>
    on(Effect.gen(function*() {
      const sql = yield* SqlClient
      yield* PostgresIndex.open({ schema })
      const { lease } = yield* held("first")
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`SELECT pg_advisory_xact_lock(7164, hashtext(${schema}))`
        const writing = yield* PostgresIndex.open({ schema, guard: lease.guard })
        yield* Effect.provideService(
          Effect.forkDaemon(writing.revert(5)).pipe(Effect.flatMap(Fiber.join), Effect.timeout("5 seconds")),
          SqlClient,
          sql
        )
      }))
    })), 30_000)

  it.scoped("stores a block on its parent alone: a database that goes back meanwhile gets its blocks again", () =>
    on(Effect.gen(function*() {
      const sql = yield* SqlClient
      const node = new FakeNode(20)
      const source = yield* node.source({ namespace: "eth" })
      const index = yield* PostgresIndex.open({ schema })
      const another = yield* PostgresIndex.open({ schema })
      yield* catchUp(index, source)
      node.height = 22
      const goingBack = {
        ...source,
        block: (height: number) =>
          Effect.zipLeft(source.block(height), height === 21 ? another.revert(15) : Effect.void)
      }
      const { message } = yield* Effect.flip(catchUp(index, goingBack))
      assert.include(message, "block 21 does not follow the newest block of the index")
      yield* catchUp(index, source)
      const [row] = yield* sql<{ readonly blocks: number }>`SELECT count(*)::int AS blocks FROM ${sql(schema)}.blocks`
      assert.deepStrictEqual(row, { blocks: 23 })
    })))

  it.scoped("has a gap of an earlier program closed, or named where it is too deep", () =>
    on(Effect.gen(function*() {
      const sql = yield* SqlClient
      const node = new FakeNode(40)
      const source = yield* node.source({ namespace: "eth" })
      const index = yield* PostgresIndex.open({ schema })
      yield* catchUp(index, source)
      const close = (depth: number) => PostgresIndex.closeGap(index, { schema, depth })
      yield* close(1)
      yield* sql`DELETE FROM ${sql(schema)}.blocks WHERE number IN (20, 21, 30)`
      const { message } = yield* Effect.flip(close(20))
      assert.match(message, /^block 22 .* the index lacks the block before it/)
      yield* close(128)
      assert.strictEqual((yield* index.reader.head).number, 19)
      yield* catchUp(index, source)
      yield* close(1)
      assert.strictEqual((yield* index.reader.head).number, 40)
    })))
})
