/** Reads the health of an engine from its tables. */
import * as Snowflake from "@effect/cluster/Snowflake"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { EngineError } from "../EngineError.js"
import { toEngineError } from "./failure.js"

export const read = (sql: SqlClient.SqlClient, namespace: string, database: string, expiration: Duration.Duration) => {
  const seconds = sql.literal(String(Math.ceil(Duration.toSeconds(expiration))))
  const since = sql.onDialectOrElse({
    sqlite: () => sql`datetime(CURRENT_TIMESTAMP, '-${seconds} seconds')`,
    orElse: () => sql`NOW() - INTERVAL '${seconds} seconds'`
  })
  const no = sql.literal(sql.onDialectOrElse({ sqlite: () => "0", orElse: () => "FALSE" }))
  const messages = sql(`${namespace}_messages`)
  // Counts and identifiers come as text from Postgres, as a bigint from SQLite.
  type Count = string | number | bigint
  return Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const [runners] = yield* sql<{ readonly count: Count }>`
      SELECT COUNT(*) AS count FROM ${sql(`${namespace}_runners`)} WHERE last_heartbeat > ${since}`
    const [waiting] = yield* sql<{ readonly count: Count; readonly oldest: Count | null }>`
      SELECT COUNT(*) AS count, MIN(id) AS oldest FROM ${messages}
      WHERE kind = 0 AND processed = ${no} AND last_read IS NULL AND (deliver_at IS NULL OR deliver_at <= ${now})`
    const [underWay] = yield* sql<{ readonly count: Count }>`
      SELECT COUNT(*) AS count FROM ${messages} WHERE kind = 0 AND processed = ${no} AND last_read IS NOT NULL`
    return {
      runners: Number(runners?.count ?? 0),
      waiting: Number(waiting?.count ?? 0),
      oldestWaiting: Option.map(
        Option.fromNullable(waiting?.oldest),
        (id) => Duration.millis(Math.max(0, now - Snowflake.timestamp(Snowflake.Snowflake(String(id)))))
      ),
      underWay: Number(underWay?.count ?? 0)
    }
  }).pipe(
    Effect.provideService(SqlClient.SafeIntegers, true),
    Effect.withTracerEnabled(false),
    Effect.mapError(toEngineError("Unreachable", database)),
    Effect.timeoutFail({
      duration: "5 seconds",
      onTimeout: () =>
        new EngineError({
          reason: "Unreachable",
          database,
          message: `${database} has not answered for 5 seconds. Check that it is running and not overloaded.`
        })
    })
  )
}
