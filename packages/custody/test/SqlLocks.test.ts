import * as Migrations from "@effect-klaytn/store/Migrations"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { databases } from "../../engine/test/support/databases.js"
import * as CustodyTables from "../src/CustodyTables.js"
import * as GuardTables from "../src/GuardTables.js"
import * as SqlLocks from "../src/SqlLocks.js"
import * as SqlSendStore from "../src/SqlSendStore.js"
import { newSend } from "./support/newSend.js"

describe.each(databases)("locks of a wallet on %s", (_, open) => {
  /** The locks of two processes, and their database. */
  const processes = Effect.gen(function*() {
    const { layer } = yield* open
    const client = Effect.map(Layer.build(layer), Context.get(SqlClient.SqlClient))
    const sql = yield* client
    yield* Effect.provideService(Migrations.upgrade(GuardTables.make(1001)), SqlClient.SqlClient, sql)
    return { sql, one: SqlLocks.make(sql, 1001), other: SqlLocks.make(yield* client, 1001) }
  })

  it.scopedLive("let one effect of a name run at a time, in all processes, and others beside it", () =>
    Effect.gen(function*() {
      const { one, other, sql } = yield* processes
      let [running, most, done] = [0, 0, 0]
      const work = Effect.gen(function*() {
        most = Math.max(most, ++running)
        yield* Effect.sleep("5 millis")
        running--
        done++
      })
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, number) => number % 2 === 0 ? one : other),
        ({ take }) => take("account")(work),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([most, done], [1, 20])
      yield* one.take("a")(other.take("b")(Effect.void))
      assert.deepStrictEqual(yield* sql`SELECT * FROM wallet_locks_1001`, [])
    }))

  it.scopedLive("are kept while an effect runs, and released when it fails or is interrupted", () =>
    Effect.gen(function*() {
      const { one, other, sql } = yield* processes
      assert.strictEqual(yield* Effect.flip(one.take("account")(Effect.fail("no"))), "no")
      const long = yield* Effect.fork(one.take("account")(Effect.never))
      yield* Effect.sleep("200 millis")
      const waiting = yield* Effect.fork(other.take("account")(Effect.succeed("mine")))
      yield* Effect.sleep("4 seconds")
      assert.strictEqual((yield* Effect.fromNullable(long.unsafePoll()).pipe(Effect.option))._tag, "None")
      assert.isNull(waiting.unsafePoll())
      const rows = yield* sql<{ readonly until: number }>`SELECT until FROM wallet_locks_1001`
      assert.isAbove(Number(rows[0]?.until), Date.now() / 1000 + 12, "it was moved on")
      yield* Fiber.interrupt(long)
      assert.strictEqual(yield* Fiber.join(waiting), "mine")
    }))

  it.scopedLive("pass on when a process that has them is gone", () =>
    Effect.gen(function*() {
      const { one, sql } = yield* processes
      const gone = Date.now() / 1000 + 1
      yield* sql`INSERT INTO wallet_locks_1001 (name, holder, until) VALUES ('account', 'killed', ${gone})`
      yield* one.take("account")(Effect.void)
      assert.isAtLeast(Date.now() / 1000, gone - 0.1)
    }))

  it.scopedLive("that were lost let no nonce be taken", () =>
    Effect.gen(function*() {
      const { one, sql } = yield* processes
      yield* Effect.provideService(Migrations.upgrade(CustodyTables.make(1001)), SqlClient.SqlClient, sql)
      const store = SqlSendStore.make(sql, 1001)
      const take = (nonce: bigint) =>
        store.take(newSend({ account: `0x${"a1".repeat(20)}`, nonce, hash: `0x${"0".repeat(63)}${nonce}` }), 7)
      assert.isDefined(yield* one.take("account")(take(1n)))
      assert.isUndefined(yield* one.take("account")(take(1n)), "it is taken")
      const lost = yield* Effect.flip(
        one.take("account")(Effect.zipRight(
          sql`UPDATE wallet_locks_1001 SET holder = 'another'`,
          take(2n)
        ))
      )
      assert.include(lost.message, "taken over")
      // Whoever has the lock by now keeps it.
      assert.deepStrictEqual(yield* sql`SELECT holder FROM wallet_locks_1001`, [{ holder: "another" }])
      assert.lengthOf(yield* store.open, 1)
    }))
})
