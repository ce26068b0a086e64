import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { indexTables } from "../src/IndexTables.js"
import { typeOf } from "../src/internal/postgres/cells.js"
import { indexes } from "../src/internal/postgres/tables.js"
import * as PostgresIndex from "../src/PostgresIndex.js"
import { clients } from "./support/stores.js"

/** Of Postgres alone: what reverts blocks is read in the order in which it was written. */
const own = new Set(["ownership_undo.place"])

describe.each(clients.map((client) => ["Postgres", client] as const))("the tables of an index on %s", (_, client) => {
  it.scopedLive("have the columns and indexes that are declared: what is added needs a migration, too", () =>
    Effect.provideServiceEffect(
      Effect.gen(function*() {
        const sql = yield* SqlClient
        // Postgres reserves this word.
        yield* PostgresIndex.open({ schema: "user" })
        const found = yield* sql<{ readonly name: string; readonly type: string; readonly required: boolean }>`
          SELECT relname || '.' || attname AS name, replace(format_type(atttypid, atttypmod), ',', ', ') AS type,
            attnotnull AS required
          FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
          WHERE nspname = 'user' AND relkind = 'r' AND attnum > 0 AND NOT attisdropped`
        const declared = indexTables.flatMap(({ columns, name: table }) =>
          columns.map(({ column, name }) => ({
            name: `${table}.${name}`,
            type: typeOf(column),
            required: column.isNullable !== true
          }))
        )
        const names = new Set<string>(indexTables.map(({ name }) => name))
        assert.sameDeepMembers(
          found.filter(({ name }) => names.has(name.split(".")[0] ?? "") && !own.has(name)),
          declared
        )
        const made = yield* sql<{ readonly name: string }>`
          SELECT indexname AS name FROM pg_indexes WHERE schemaname = 'user' AND indexname NOT LIKE '%_pkey'
            AND tablename NOT IN ('callers')`
        assert.sameMembers(made.map(({ name }) => name), indexes("user").map(({ index }) => index))
      }),
      SqlClient,
      client
    ))
})
