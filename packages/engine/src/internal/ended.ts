/** Forgets executions that have ended: the rows of the cluster that they left. */
import * as MachineId from "@effect/cluster/MachineId"
import * as Snowflake from "@effect/cluster/Snowflake"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { EngineError } from "../EngineError.js"
import { toEngineError } from "./failure.js"

/** How many executions one transaction forgets. */
const batch = 500

/** Deletes the rows of executions of a workflow whose run was asked for before a time, and of which nothing is left to do. */
export const forget = (sql: SqlClient.SqlClient, namespace: string, database: string) => {
  const messages = sql(`${namespace}_messages`)
  const replies = sql(`${namespace}_replies`)
  const yes = sql.literal(sql.onDialectOrElse({ sqlite: () => "1", orElse: () => "TRUE" }))
  const no = sql.literal(sql.onDialectOrElse({ sqlite: () => "0", orElse: () => "FALSE" }))
  return (workflow: string, after: Duration.DurationInput): Effect.Effect<number, EngineError> =>
    Effect.gen(function*() {
      const type = `Workflow/${workflow}`
      const timestamp = (yield* Clock.currentTimeMillis) - Duration.toMillis(after)
      if (timestamp <= Snowflake.constEpochMillis) return 0
      const last = String(Snowflake.make({ machineId: MachineId.make(0), sequence: 0, timestamp }))
      let forgotten = 0
      while (true) {
        const ended = yield* sql.withTransaction(Effect.gen(function*() {
          const rows = yield* sql<{ readonly entity_id: string }>`
            SELECT DISTINCT entity_id FROM ${messages}
            WHERE entity_type = ${type} AND tag = 'run' AND processed = ${yes} AND id < ${last} AND entity_id NOT IN (
              SELECT entity_id FROM ${messages} WHERE entity_type = ${type} AND processed = ${no}
            ) LIMIT ${batch}`
          if (rows.length === 0) return 0
          const theirs = sql.and([sql`entity_type = ${type}`, sql.in("entity_id", rows.map((row) => row.entity_id))])
          yield* sql`DELETE FROM ${replies} WHERE request_id IN (SELECT id FROM ${messages} WHERE ${theirs})`
          yield* sql`DELETE FROM ${messages} WHERE ${theirs}`
          return rows.length
        }))
        forgotten += ended
        if (ended < batch) return forgotten
      }
    }).pipe(
      Effect.provideService(SqlClient.SafeIntegers, true),
      Effect.withTracerEnabled(false),
      Effect.catchAllDefect(Effect.fail),
      Effect.mapError(toEngineError("Unreachable", database))
    )
}
