/** The recipe of a column: a migration at the end of the list, which tables of every version before get. */
import * as Migrations from "@effect-klaytn/store/Migrations"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { TestDatabase } from "./databases.js"

/** All columns and indexes of a database. */
const shape = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.onDialectOrElse({
    pg: () =>
      sql`SELECT table_schema, table_name, ordinal_position, column_name, data_type, character_maximum_length, is_nullable,
        column_default, generation_expression FROM information_schema.columns
        WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2, 3`,
    orElse: () =>
      sql`SELECT m.name AS "table", x.* FROM sqlite_master m, pragma_table_xinfo(m.name) x WHERE m.type = 'table'
        ORDER BY m.name, x.cid`
  })
  const indexes = sql.onDialectOrElse({
    pg: () => sql`SELECT indexdef FROM pg_indexes WHERE schemaname NOT IN ('pg_catalog') ORDER BY 1`,
    orElse: () => sql`SELECT name, sql FROM sqlite_master WHERE type = 'index' ORDER BY 1`
  })
  return { columns: yield* columns, indexes: yield* indexes }
})

/** Adds a column to a table of every version, and compares the columns and indexes with those of new tables. */
export const check = <E, R>(
  open: Effect.Effect<TestDatabase, E, R>,
  tables: Migrations.Tables,
  table: string,
  before: Effect.Effect<unknown, unknown, SqlClient.SqlClient> = Effect.void
) =>
  Effect.gen(function*() {
    const column: Migrations.Migration = {
      name: "added",
      make: Effect.flatMap(SqlClient.SqlClient, (sql) => sql`ALTER TABLE ${sql(table)} ADD COLUMN added TEXT`)
    }
    const { length } = tables.migrations
    const next = { ...tables, migrations: [...tables.migrations, column] }
    const upgraded = (version: number) =>
      Effect.flatMap(open, ({ layer }) =>
        Effect.gen(function*() {
          yield* before
          if (version > 0) yield* Migrations.upgrade({ ...tables, migrations: tables.migrations.slice(0, version) })
          assert.deepInclude(yield* Migrations.upgrade(next), { from: version, to: length + 1 })
          return yield* shape
        }).pipe(Effect.provide(layer)))
    const fresh = yield* upgraded(0)
    assert.isAbove(fresh.columns.length, 0)
    for (const version of new Set([1, length])) assert.deepStrictEqual(yield* upgraded(version), fresh)
  })
