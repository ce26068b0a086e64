/**
 * Activities that write exactly once.
 *
 * **Details**
 *
 * An activity of `@effect/workflow` runs at least once: if its process dies before the result is stored, it runs again,
 * and if a runner was only slow, two may run at the same time. An activity of this module writes its rows and its
 * result in one transaction of the engine's database. When it runs again, it finds the result and writes nothing; if
 * two run at the same time, the second waits for the first and returns its result.
 *
 * **Gotchas**
 *
 * Only writes in that transaction are made once. A request to a service may be sent again: send it in an earlier
 * activity, or make it safe to repeat.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Activity from "@effect/workflow/Activity"
import { type WorkflowEngine, WorkflowInstance } from "@effect/workflow/WorkflowEngine"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Engine } from "./Engine.js"

/**
 * Makes an activity whose writes and result are committed together, once for each execution of its workflow.
 *
 * **Details**
 *
 * A failure commits nothing, and is the activity's result. A `SqlError` is not: while the database does not answer or
 * can't be used, or when it requires that the transaction be repeated, the whole of `execute` runs again, and each
 * repetition is logged. A wrong statement is a defect.
 *
 * @category constructors
 */
export const make = <
  R,
  Success extends Schema.Schema.Any = typeof Schema.Void,
  Error extends Schema.Schema.All = typeof Schema.Never
>(options: {
  /** Its name, which no other activity of the workflow has. */
  readonly name: string
  readonly success?: Success | undefined
  readonly error?: Error | undefined
  /** Writes with the `SqlClient` of the engine's database. */
  readonly execute: Effect.Effect<Success["Type"], Error["Type"] | SqlError, R>
}): Activity.Activity<
  Success,
  Error,
  Exclude<R | Success["Context"] | SqlClient.SqlClient | Engine, WorkflowInstance | WorkflowEngine | Scope.Scope>
> => {
  // A cast, as in Activity.make: without a schema, `Success` is the type of the default.
  const success = (options.success ?? Schema.Void) as Success
  const once = Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { namespace } = yield* Engine
    const { executionId } = yield* WorkflowInstance
    const table = sql(`${namespace}_commits`)
    const transaction = Effect.gen(function*() {
      // Another transaction that has inserted the same row, and is still open, is waited for here.
      const inserted = yield* sql`
        INSERT INTO ${table} (execution_id, activity) VALUES (${executionId}, ${options.name})
        ON CONFLICT DO NOTHING RETURNING activity`
      if (inserted.length === 0) {
        const [row] = yield* sql<{ readonly result: string | null }>`
          SELECT result FROM ${table} WHERE execution_id = ${executionId} AND activity = ${options.name}`
        const stored: unknown = typeof row?.result === "string" ? JSON.parse(row.result) : undefined
        return yield* Effect.orDie(Schema.decodeUnknown(success)(stored))
      }
      const value = yield* options.execute
      const encoded = yield* Effect.orDie(Schema.encode(success)(value))
      yield* sql`
        UPDATE ${table} SET result = ${encoded === undefined ? null : JSON.stringify(encoded)}
        WHERE execution_id = ${executionId} AND activity = ${options.name}`
      return value
    })
    return yield* sql.withTransaction(transaction)
  })
  return Activity.make({
    ...options,
    success,
    execute: once.pipe(
      // A commit that fails is a defect of the client. The next attempt sees by the row whether it was made.
      Effect.catchSomeDefect((defect) => defect instanceof SqlError ? Option.some(Effect.fail(defect)) : Option.none()),
      (attempt) => Effect.flatMap(Engine, ({ untilDatabaseAnswers }) => untilDatabaseAnswers(attempt)),
      Effect.catchAll((error) => error instanceof SqlError ? Effect.die(error) : Effect.fail(error))
    )
  })
}
