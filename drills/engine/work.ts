/** The workflow of the drill: an activity that may be seen twice, a pause on the durable clock, and one that may not. */
import * as TransactionalActivity from "@effect-klaytn/engine/TransactionalActivity"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Activity from "@effect/workflow/Activity"
import * as DurableClock from "@effect/workflow/DurableClock"
import * as Workflow from "@effect/workflow/Workflow"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export const Order = Workflow.make({
  name: "Order",
  payload: { namespace: Schema.String, key: Schema.String, amount: Schema.Int },
  success: Schema.Int,
  idempotencyKey: ({ key }) => key
})

/** Where both kinds of activity leave a row each time they run. */
export const tables = (namespace: string) => ({ runs: `${namespace}_runs`, payments: `${namespace}_payments` })

export const OrderLayer = Order.toLayer(Effect.fnUntraced(function*({ amount, key, namespace }) {
  const sql = yield* SqlClient.SqlClient
  const names = tables(namespace)
  const write = (table: string) => sql`INSERT INTO ${sql(table)} (name, amount) VALUES (${key}, ${amount})`
  yield* Activity.make({
    name: "attempted",
    // The row is there before the result is stored: whoever dies in between leaves a second one.
    execute: Effect.zipRight(Effect.orDie(write(names.runs)), Effect.sleep("40 millis"))
  })
  // Short ones wait in memory by themselves; this one suspends the workflow.
  yield* DurableClock.sleep({ name: "pause", duration: "100 millis", inMemoryThreshold: "1 millis" })
  return yield* TransactionalActivity.make({
    name: "paid",
    success: Schema.Int,
    execute: Effect.as(write(names.payments), amount)
  })
}))
