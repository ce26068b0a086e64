import * as Database from "@effect-klaytn/engine/Database"
import * as Engine from "@effect-klaytn/engine/Engine"
import * as TransactionalActivity from "@effect-klaytn/engine/TransactionalActivity"
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { assert, describe, it } from "@effect/vitest"
import * as Workflow from "@effect/workflow/Workflow"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { createPayments, Order, orders, payments } from "./support/orders.js"

/** As if the process had died after all of the work, and before any result was stored. */
const loseResults = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.zipRight(
    sql`DELETE FROM klaytn_replies`,
    sql`UPDATE klaytn_messages SET processed = 0, last_read = NULL, last_reply_id = NULL`
  ))

const Refund = Workflow.make({
  name: "Refund",
  payload: { key: Schema.String },
  success: Schema.Void,
  error: Schema.String,
  idempotencyKey: ({ key }) => key
})

const refunds = (execute: (sql: SqlClient.SqlClient) => Effect.Effect<void, string | SqlError>) =>
  Refund.toLayer(() =>
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => TransactionalActivity.make({ name: "refund", error: Schema.String, execute: execute(sql) })
    )
  )

/**
 * A database in memory, whose client loses the commit of one transaction, after `lose` was called in it, and tells it in the
 * way of `@effect/sql`: as a defect.
 */
const losingCommit = (isMade: boolean) => {
  let isLost = false
  const fail = Effect.suspend(() => {
    if (!isLost) return Effect.void
    isLost = false
    return Effect.die(new SqlError({ cause: { code: "ECONNRESET" }, message: "Failed to execute statement" }))
  })
  const client = Layer.effect(
    SqlClient.SqlClient,
    Effect.map(SqlClient.SqlClient, (sql) =>
      new Proxy(sql, {
        get: (target, name, receiver) =>
          name !== "withTransaction"
            ? Reflect.get(target, name, receiver)
            : <A, E, R>(work: Effect.Effect<A, E, R>) =>
              isMade
                ? Effect.zipLeft(target.withTransaction(work), fail)
                : target.withTransaction(Effect.zipLeft(work, fail))
      }))
  ).pipe(Layer.provide(Database.layerSqlite({ file: ":memory:" })))
  const layer = Layer.effectDiscard(createPayments).pipe(
    Layer.provideMerge(Engine.layerRunner({ pollInterval: "20 millis", shutdownTimeout: "1 second" })),
    Layer.provideMerge(client)
  )
  return { layer, lose: Effect.sync(() => void (isLost = true)) }
}

const inMemory = Layer.effectDiscard(createPayments).pipe(Layer.provideMerge(Engine.layerMemory))

describe("a committed activity", () => {
  it.scopedLive("that runs again finds its result and writes nothing", () =>
    Effect.gen(function*() {
      const work = orders()
      yield* Layer.build(work.layer)
      assert.strictEqual(yield* Order.execute({ key: "a", amount: 9 }), 9)
      yield* loseResults
      assert.strictEqual(yield* Order.execute({ key: "a", amount: 9 }), 9)
      assert.deepStrictEqual(work.seen, { reserve: 2, wait: 2 })
      assert.deepStrictEqual(yield* payments, [{ name: "a", amount: 9 }])
    }).pipe(Effect.provide(inMemory)))

  it.scopedLive("that fails commits nothing, and its failure is the result", () =>
    Effect.gen(function*() {
      yield* Layer.build(
        refunds((sql) => Effect.zipRight(sql`INSERT INTO payments VALUES ('a', 1)`, Effect.fail("no such order")))
      )
      assert.strictEqual(yield* Effect.flip(Refund.execute({ key: "a" })), "no such order")
      assert.deepStrictEqual(yield* payments, [])
    }).pipe(Effect.provide(inMemory)))

  it.scopedLive("runs its whole transaction again when the database asks for it", () =>
    Effect.gen(function*() {
      let attempts = 0
      yield* Layer.build(refunds((sql) =>
        Effect.zipRight(
          sql`INSERT INTO payments VALUES ('a', 1)`,
          Effect.suspend(() =>
            attempts++ === 0
              ? Effect.fail(new SqlError({ cause: { code: "40001" }, message: "serialization" }))
              : Effect.void
          )
        )
      ))
      yield* Refund.execute({ key: "a" })
      assert.strictEqual(attempts, 2)
      assert.deepStrictEqual(yield* payments, [{ name: "a", amount: 1 }])
    }).pipe(Effect.provide(inMemory)))

  for (const isMade of [true, false]) {
    it.scopedLive(`without an answer to its commit writes once, ${isMade ? "where the commit" : "where none"} was made`, () => {
      const { layer, lose } = losingCommit(isMade)
      let attempts = 0
      return Effect.gen(function*() {
        yield* Layer.build(
          refunds((sql) =>
            Effect.zipRight(
              sql`INSERT INTO payments VALUES ('a', 1)`,
              Effect.suspend(() => attempts++ === 0 ? lose : Effect.void)
            )
          )
        )
        yield* Refund.execute({ key: "a" })
        assert.strictEqual(attempts, isMade ? 1 : 2)
        assert.deepStrictEqual(yield* payments, [{ name: "a", amount: 1 }])
      }).pipe(Effect.provide(layer))
    })
  }

  it.scopedLive("waits where the database is full, and tells it by `failure`", () =>
    Effect.gen(function*() {
      const mended = yield* Deferred.make<void>()
      const full = new SqlError({ cause: { code: "SQLITE_FULL" }, message: "Failed to execute statement" })
      yield* Layer.build(
        refunds(() => Effect.flatMap(Deferred.isDone(mended), (isMended) => isMended ? Effect.void : Effect.fail(full)))
      )
      const asked = yield* Effect.fork(Refund.execute({ key: "a" }))
      const { failure } = yield* Engine.Engine
      assert.deepInclude(yield* Effect.flip(failure), { reason: "Unusable", database: ":memory:" })
      yield* Deferred.succeed(mended, undefined)
      yield* Fiber.join(asked)
    }).pipe(Effect.provide(inMemory)))

  it.scopedLive("dies of a statement that is wrong", () =>
    Effect.gen(function*() {
      yield* Layer.build(refunds((sql) => Effect.asVoid(sql`INSERT INTO nowhere VALUES (1)`)))
      const cause = yield* Effect.flip(Effect.sandbox(Refund.execute({ key: "a" })))
      assert.isTrue(Cause.isDie(cause))
    }).pipe(Effect.provide(inMemory)))
})
