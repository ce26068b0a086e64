/** The databases that a test of an index runs on: SQLite always, and Postgres where `TEST_POSTGRES` has a server's address. */
import type { NewerTables } from "@effect-klaytn/store/Migrations"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { onPostgres } from "../../../engine/test/support/databases.js"
import type { StoreFailure } from "../../src/IndexError.js"
import type * as IndexScope from "../../src/IndexScope.js"
import type { IndexStore } from "../../src/IndexStore.js"
import * as PostgresIndex from "../../src/PostgresIndex.js"
import * as SqliteIndex from "../../src/SqliteIndex.js"
import { opened } from "./fakeNode.js"

/** An index in a database of its own. */
export interface TestStore extends IndexStore {
  /** Opens the same index again. */
  readonly open: (
    scope?: IndexScope.IndexScope
  ) => Effect.Effect<IndexStore, StoreFailure | NewerTables | IndexScope.ScopeMismatch>
  /** What a query of columns and a table answers: numbers, texts, and bytes as hex. */
  readonly cells: (
    columns: string,
    table: string,
    rest?: string
  ) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>>
}

const plain = (cell: unknown): unknown =>
  cell instanceof Uint8Array
    ? Buffer.from(cell).toString("hex")
    : typeof cell === "string" && /^\d+$/.test(cell)
    ? Number(cell)
    : cell

/** The schema of the tests. */
export const schema = "chain_1001"

/** A client of an empty database, once if there is a server. */
export const clients: ReadonlyArray<Effect.Effect<SqlClient.SqlClient, never, Scope.Scope>> = onPostgres.map(
  ([, open]) =>
    Effect.map(
      Effect.orDie(Effect.flatMap(open, ({ layer }) => Layer.build(layer))),
      (context) => Context.get(context, SqlClient.SqlClient)
    )
)

type Open = (scope?: IndexScope.IndexScope) => Effect.Effect<TestStore, never, Scope.Scope>

const sqlite: Open = (scope) =>
  Effect.orDie(Effect.gen(function*() {
    const driver = yield* opened
    return {
      ...yield* SqliteIndex.open(driver, 1001, scope),
      open: (scope) => SqliteIndex.open(driver, 1001, scope),
      cells: (columns, table, rest = "") =>
        Effect.sync(() =>
          driver.prepare(`SELECT ${columns} FROM ${table}_1001 ${rest}`).all().map((row) => row.map(plain))
        )
    }
  }))

const postgres = (client: Effect.Effect<SqlClient.SqlClient, never, Scope.Scope>): Open => (scope) =>
  Effect.orDie(Effect.gen(function*() {
    const sql = yield* client
    const open: TestStore["open"] = (scope) =>
      Effect.provideService(PostgresIndex.open({ schema, scope }), SqlClient.SqlClient, sql)
    return {
      ...yield* open(scope),
      open,
      cells: (columns, table, rest = "") =>
        Effect.orDie(
          Effect.map(
            sql.unsafe(`SELECT ${columns} FROM ${schema}.${table} ${rest}`).values,
            (rows) => rows.map((row) => row.map(plain))
          )
        )
    }
  }))

/** The databases of this run by name, each with an effect that opens an empty index for as long as its scope. */
export const stores: ReadonlyArray<readonly [name: "SQLite" | "Postgres", open: Open]> = [
  ["SQLite", sqlite],
  ...clients.map((client) => ["Postgres", postgres(client)] as const)
]
