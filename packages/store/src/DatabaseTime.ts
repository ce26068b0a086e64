/**
 * The time of a database: on Postgres that of its server, which is one for all machines; on SQLite that of this machine.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Rows from "./Rows.js"

/**
 * The time when a statement is executed, as SQL of Postgres: Unix seconds with a fraction.
 *
 * @category expressions
 */
export const postgres = "extract(epoch FROM clock_timestamp())::float8"

/**
 * The time when a statement is executed, as a part of that statement: Unix seconds with a fraction.
 *
 * @category expressions
 */
export const seconds = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql.onDialectOrElse({
    pg: () => sql.literal(postgres),
    orElse: () => sql.literal("(julianday('now') - 2440587.5) * 86400.0")
  })

/**
 * Asks the database for its time, in whole Unix milliseconds.
 *
 * @category reading
 */
export const millis = (sql: SqlClient.SqlClient): Effect.Effect<number, SqlError> =>
  Effect.map(sql`SELECT CAST(floor(${seconds(sql)} * 1000) AS BIGINT) AS now`, ([row]) => Rows.number(row, "now"))
