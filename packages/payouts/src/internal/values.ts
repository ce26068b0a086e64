/** A table of texts by key, and how tables are created where many processes start at once. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Postgres' locks by number are one space for all programs of a database. */
const setupLock = 7_164_491_124

/**
 * Creates tables if the named one is missing, all or none, one process at a time: two that create the same table at once
 * both fail in Postgres. If they exist, nothing is locked that others write to.
 */
export const createTables = <A, E>(
  sql: SqlClient.SqlClient,
  table: string,
  create: Effect.Effect<A, E>
): Effect.Effect<void, E | SqlError> => {
  const isThere = Effect.map(
    sql.onDialectOrElse({
      pg: () => sql<{ readonly name: string | null }>`SELECT to_regclass(${table})::text AS name`,
      orElse: () => sql<{ readonly name: string | null }>`SELECT name FROM sqlite_master WHERE name = ${table}`
    }),
    ([row]) => typeof row?.name === "string"
  )
  const lock = sql.onDialectOrElse({
    pg: () => Effect.asVoid(sql`SELECT pg_advisory_xact_lock(${setupLock})`),
    orElse: () => Effect.void
  })
  return sql.withTransaction(Effect.zipRight(lock, Effect.unlessEffect(create, isThere))).pipe(
    Effect.unlessEffect(isThere),
    Effect.asVoid
  )
}

/** The clause that locks the rows of a query until the transaction ends. SQLite's transactions lock the whole file. */
export const forUpdate = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({ pg: () => sql`FOR UPDATE`, orElse: () => sql`` })

/** A column of whole numbers. Postgres' driver returns large ones, and counts, as text. */
export const Whole = Schema.Union(Schema.Int, Schema.NumberFromString)

/** The values of a namespace, as text. */
export type Values = Effect.Effect.Success<ReturnType<typeof make>>

export const make = (sql: SqlClient.SqlClient, namespace: string) => {
  const table = sql(`${namespace}_values`)
  const valueOf = (rows: ReadonlyArray<{ readonly value: string }>): Option.Option<string> =>
    // The empty text stands for none: a row that was made to be locked.
    Option.filter(Option.fromNullable(rows[0]?.value), (text) => text !== "")
  const values = {
    get: (key: string) =>
      Effect.map(sql<{ readonly value: string }>`SELECT value FROM ${table} WHERE id = ${key}`, valueOf),
    /** Inside a transaction: no other transaction reads or writes this key until it ends, whether or not it has a value. */
    lock: (key: string) =>
      Effect.zipRight(
        sql`INSERT INTO ${table} (id, value) VALUES (${key}, '') ON CONFLICT DO NOTHING`,
        Effect.map(
          sql<{ readonly value: string }>`SELECT value FROM ${table} WHERE id = ${key} ${forUpdate(sql)}`,
          valueOf
        )
      ),
    set: (key: string, text: string) => Effect.asVoid(sql`UPDATE ${table} SET value = ${text} WHERE id = ${key}`)
  }
  return Effect.as(
    createTables(
      sql,
      `${namespace}_values`,
      sql`CREATE TABLE IF NOT EXISTS ${table} (id VARCHAR(255) PRIMARY KEY, value TEXT NOT NULL)`
    ),
    values
  )
}
