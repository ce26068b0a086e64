/** The tables of an index in Postgres, and their versions. */
import * as StoreDatabase from "@effect-klaytn/store/Database"
import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
import * as Locks from "@effect-klaytn/store/Locks"
import * as Migrations from "@effect-klaytn/store/Migrations"
import * as Rows from "@effect-klaytn/store/Rows"
import { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { indexTables } from "../../IndexTables.js"
import type { Database } from "./Database.js"
import { released } from "./released.js"

interface IndexStatement {
  readonly table: string
  readonly index: string
  readonly create: string
}

/** The indexes besides the primary keys. */
export const indexes = (quoted: string): ReadonlyArray<IndexStatement> =>
  indexTables.flatMap(({ columns, name, options }) =>
    Object.entries(options.indexes ?? {}).map(([last, { isUnique = false, on, where }]: [string, {
      readonly isUnique?: boolean
      readonly on: ReadonlyArray<string>
      readonly where?: string
    }]) => {
      const list = on.map((field) => columns.find((one) => one.field === field)?.name).join(", ")
      const index = `${name}_${last}`
      return {
        table: name,
        index,
        create: `CREATE ${isUnique ? "UNIQUE " : ""}INDEX IF NOT EXISTS ${index} ON ${quoted}.${name} (${list})${
          where === undefined ? "" : ` WHERE ${where}`
        }`
      }
    })
  )

/**
 * The search for a contract's earlier transfers is needed while blocks are loaded. An index less also lets Postgres update a row of
 * `holdings`, `ownings` or `tokens` in its place.
 */
const isBuiltLater = ({ index }: IndexStatement): boolean => index !== "transfers_contract"

/** Drops the indexes that {@link buildIndexes} makes again. Where a session that reads keeps the tables, the load goes on with them, and is slower. */
export const dropIndexes = (database: Database): Effect.Effect<void, SqlError> =>
  database.sql.withTransaction(Effect.zipRight(
    Locks.briefly(database.sql),
    Effect.forEach(
      indexes(database.quoted).filter(isBuiltLater),
      ({ index }) => database.rows(`DROP INDEX IF EXISTS ${database.quoted}.${index}`),
      { discard: true }
    )
  )).pipe(Effect.catchIf(
    DatabaseFault.isLocked,
    () => Effect.logWarning("blocks are loaded with all indexes, which takes longer: another session keeps the tables")
  ))

/** Makes the indexes that are missing, one after the other, and brings the planner's figures up to date, without limits of time. */
export const buildIndexes = (database: Database): Effect.Effect<void, SqlError> =>
  Effect.forEach(
    [
      ...indexes(database.quoted).map(({ create }) => create),
      ...indexTables.map(({ name }) => `ANALYZE ${database.table(name)}`)
    ],
    (statement) => database.sql.withTransaction(StoreDatabase.unbounded(database.sql)(database.rows(statement))),
    { discard: true }
  )

/** The tables, with their versions. */
export const tablesOf = ({ quoted, schema }: Pick<Database, "quoted" | "schema">): Migrations.Tables => ({
  name: `the index ${schema}`,
  package: "@effect-klaytn/indexer",
  versions: "migrations",
  first: "blocks",
  schema,
  migrations: released.map(({ name, statements }) => ({
    name,
    make: Effect.flatMap(
      SqlClient,
      (sql) => Effect.forEach(statements(quoted), (statement) => sql.unsafe(statement), { discard: true })
    )
  }))
})

/**
 * Creates the schema and the tables, or brings older ones to the version of this program. Many processes may start together. A newer
 * version is refused before anything is written.
 */
export const upgrade = (database: Database): Effect.Effect<void, SqlError | Migrations.NewerTables> =>
  Effect.provideService(Effect.asVoid(Migrations.upgrade(tablesOf(database))), SqlClient, database.sql)

/** Fails if a newer program has upgraded the tables. */
export const check = (database: Database): Effect.Effect<void, SqlError | Migrations.NewerTables> =>
  Effect.flatMap(
    database.rows(`SELECT max(migration_id) AS version FROM ${database.table("migrations")}`),
    ([row]) => Rows.number(row, "version") <= released.length ? Effect.void : upgrade(database)
  )

/** The same in a transaction that writes: an error of the database. */
export const known = (database: Database): Effect.Effect<void, SqlError> =>
  Effect.mapError(check(database), (cause) => new SqlError({ cause, message: cause.message }))
