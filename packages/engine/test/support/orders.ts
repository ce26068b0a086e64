/** A workflow of two activities for tests, and what it was seen to do. */
import * as TransactionalActivity from "@effect-klaytn/engine/TransactionalActivity"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Activity from "@effect/workflow/Activity"
import * as Workflow from "@effect/workflow/Workflow"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export const Order = Workflow.make({
  name: "Order",
  payload: { key: Schema.String, amount: Schema.Int },
  success: Schema.Int,
  idempotencyKey: ({ key }) => key
})

/**
 * `reserve` is counted in memory; `pay` commits a row of the table `payments`; `wait` runs between the two, and is
 * counted too.
 */
export const orders = (wait: Effect.Effect<void> = Effect.void) => {
  const seen = { reserve: 0, wait: 0 }
  const counted = (name: keyof typeof seen, execute: Effect.Effect<void>) =>
    Activity.make({ name, execute: Effect.zipRight(Effect.sync(() => void seen[name]++), execute) })
  const layer = Order.toLayer(Effect.fnUntraced(function*({ amount, key }) {
    const sql = yield* SqlClient.SqlClient
    yield* counted("reserve", Effect.void)
    yield* counted("wait", wait)
    return yield* TransactionalActivity.make({
      name: "pay",
      success: Schema.Int,
      execute: Effect.as(sql`INSERT INTO payments (name, amount) VALUES (${key}, ${amount})`, amount)
    })
  }))
  return { layer, seen }
}

export const createPayments = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`CREATE TABLE IF NOT EXISTS payments (name TEXT NOT NULL, amount INTEGER NOT NULL)`
)

export const payments = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly name: string; readonly amount: number }>`SELECT name, amount FROM payments ORDER BY name`
)

/** Reads again until it is so. */
export const until = <A, E, R>(read: Effect.Effect<A, E, R>, so: (value: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.repeat(Effect.zipLeft(read, Effect.sleep("10 millis")), { until: so })
