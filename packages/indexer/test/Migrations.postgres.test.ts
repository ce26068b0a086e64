import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { onPostgres } from "../../store/test/support/databases.js"
import * as recipe from "../../store/test/support/recipe.js"
import { tablesOf } from "../src/internal/postgres/tables.js"
import * as PostgresIndex from "../src/PostgresIndex.js"
import { clients } from "./support/stores.js"

const schema = "older"

/** Makes the tables what version 1 made of them. */
const downgrade = Effect.gen(function*() {
  const sql = yield* SqlClient
  for (
    const statement of [
      `ALTER TABLE older.transfers ALTER COLUMN class TYPE bigint`,
      `ALTER TABLE older.transactions ALTER COLUMN type TYPE bigint, ALTER COLUMN status TYPE bigint`,
      `ALTER TABLE older.drafts ALTER COLUMN blocks SET STORAGE EXTENDED`,
      `ALTER TABLE older.callers DROP COLUMN rights, DROP COLUMN pools, DROP COLUMN limits`,
      `DELETE FROM older.migrations WHERE migration_id > 1`,
      `INSERT INTO older.blocks (number, hash, parent, timestamp, gas_used, bloom, state_root, transactions_root,
         receipts_root, size, transactions, transfers)
       VALUES (1, '\\x01', '\\x00', 5, 0, '', '', '', '', 0, 0, 0)`
    ]
  ) yield* sql.unsafe(statement)
})

const cell = (query: string) =>
  Effect.flatMap(SqlClient, (sql) => Effect.map(sql.unsafe(query).values, ([row]) => row?.[0]))

const typeOfClass = cell(
  `SELECT data_type FROM information_schema.columns
   WHERE table_schema = 'older' AND table_name = 'transfers' AND column_name = 'class'`
)

describe.each(clients.map((client) => ["Postgres", client] as const))("an older index on %s", (_, client) => {
  it.scopedLive("keeps its blocks, in narrower columns", () =>
    Effect.provideServiceEffect(
      Effect.gen(function*() {
        yield* PostgresIndex.open({ schema })
        yield* downgrade
        assert.strictEqual(yield* typeOfClass, "bigint")
        const { newest } = yield* PostgresIndex.open({ schema })
        assert.strictEqual(Option.getOrThrow(yield* newest).number, 1)
        assert.strictEqual(yield* typeOfClass, "smallint")
      }),
      SqlClient,
      client
    ))

  it.scopedLive("begins a load again that was not finished", () =>
    Effect.provideServiceEffect(
      Effect.gen(function*() {
        yield* PostgresIndex.open({ schema })
        yield* downgrade
        const sql = yield* SqlClient
        yield* sql.unsafe(`INSERT INTO older.pieces VALUES (1, 2, 2, 1, '', '-infinity', false)`)
        yield* sql.unsafe(`INSERT INTO older.drafts VALUES (1, 1, '[{"header":{}}]')`)
        yield* sql.unsafe(`INSERT INTO older.facts VALUES ('folded', '1'), ('chain', '1001')`)
        const { newest } = yield* PostgresIndex.open({ schema })
        assert.isTrue(Option.isNone(yield* newest))
        assert.strictEqual(yield* cell(`SELECT count(*) FROM older.pieces`), "0")
        assert.strictEqual(yield* cell(`SELECT count(*) FROM older.drafts`), "0")
        assert.strictEqual(yield* cell(`SELECT string_agg(name, ',') FROM older.facts`), "chain")
      }),
      SqlClient,
      client
    ))
})

describe.each(onPostgres)("the tables of an index on %s", (_, open) => {
  it.scopedLive("get a column by one more migration, whatever version they have", () =>
    recipe.check(open, tablesOf({ schema: "s", quoted: "\"s\"" }), "s.transfers"))
})
