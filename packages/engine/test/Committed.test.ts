import * as Committed from "@effect-klaytn/engine/Committed"
import * as Engine from "@effect-klaytn/engine/Engine"
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { assert, describe, it } from "@effect/vitest"
import * as Workflow from "@effect/workflow/Workflow"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
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
      (sql) => Committed.make({ name: "refund", error: Schema.String, execute: execute(sql) })
    )
  )

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

  it.scopedLive("dies of a statement that is wrong", () =>
    Effect.gen(function*() {
      yield* Layer.build(refunds((sql) => Effect.asVoid(sql`INSERT INTO nowhere VALUES (1)`)))
      const cause = yield* Effect.flip(Effect.sandbox(Refund.execute({ key: "a" })))
      assert.isTrue(Cause.isDie(cause))
    }).pipe(Effect.provide(inMemory)))
})
