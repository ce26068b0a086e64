/** A table of texts by key, and how rows are locked and times are compared. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** The clause that locks the rows of a query until the transaction ends. SQLite's transactions lock the whole file. */
export const forUpdate = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({ pg: () => sql`FOR UPDATE`, orElse: () => sql`` })

/** A column of whole numbers. Postgres' driver returns large ones, and counts, as text. */
export const Whole = Schema.Union(Schema.Int, Schema.NumberFromString)

/** The values of a namespace, as text. */
export type Values = ReturnType<typeof make>

export const make = (sql: SqlClient.SqlClient, namespace: string) => {
  const table = sql(`${namespace}_values`)
  const read = (key: string, lock: Statement.Fragment) =>
    Effect.map(
      sql<{ readonly value: string }>`SELECT value FROM ${table} WHERE id = ${key} ${lock}`,
      // The empty text stands for none: the row was inserted only to be locked.
      ([row]) => Option.filter(Option.fromNullable(row?.value), (text) => text !== "")
    )
  const insert = (key: string) => sql`INSERT INTO ${table} (id, value) VALUES (${key}, '') ON CONFLICT DO NOTHING`
  const take = (key: string) => sql`SELECT id FROM ${table} WHERE id = ${key} FOR UPDATE`
  return {
    get: (key: string) => read(key, sql``),
    /** Inside a transaction: one transaction at a time has a key that has no value. SQLite has one writer at a time. */
    turn: (key: string): Effect.Effect<void, SqlError> =>
      sql.onDialectOrElse({
        pg: () =>
          Effect.flatMap(take(key), ([row]) =>
            row === undefined ? Effect.asVoid(Effect.zipRight(insert(key), take(key))) : Effect.void),
        orElse: () =>
          Effect.void
      }),
    /** Inside a transaction: no other transaction reads or writes this key until it ends, whether or not it has a value. */
    lock: (key: string) => Effect.zipRight(insert(key), read(key, forUpdate(sql))),
    /** Sets the value of a key that has none. */
    add: (key: string, text: string) =>
      Effect.asVoid(sql`INSERT INTO ${table} (id, value) VALUES (${key}, ${text}) ON CONFLICT DO NOTHING`),
    set: (key: string, text: string) => Effect.asVoid(sql`UPDATE ${table} SET value = ${text} WHERE id = ${key}`)
  }
}
