import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
import * as Lease from "@effect-klaytn/store/Lease"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as PostgresIndex from "../src/PostgresIndex.js"
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
        assert.match(failure.message, /another process has taken the lease/)
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
})
