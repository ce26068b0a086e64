/** The tables `export_*` of a prefix, and their migrations. */
import * as Migrations from "@effect-klaytn/store/Migrations"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type { SinkError } from "../Sink.js"
import { newer } from "./newer.js"

export type Dialect = "sqlite" | "pg"

export const dialectOf = (sql: SqlClient): Dialect =>
  sql.onDialectOrElse({ pg: () => "pg" as const, orElse: () => "sqlite" as const })

export interface Migration {
  /** Stored beside its number. */
  readonly name: string
  readonly statements: (dialect: Dialect, prefix: string) => ReadonlyArray<string>
}

/** The tables of a prefix. They have the version of the last migration. */
export const tables = (prefix: string, migrations: ReadonlyArray<Migration>): Migrations.Tables => ({
  name: `the export ${prefix}export_*`,
  package: "@effect-klaytn/exports",
  versions: `${prefix}export_migrations`,
  first: `${prefix}export_plan`,
  migrations: migrations.map(({ name, statements }) => ({
    name,
    make: Effect.flatMap(SqlClient, (sql) => {
      const all = statements(dialectOf(sql), prefix)
      return Effect.forEach(all, (statement) => sql.unsafe(statement), { discard: true })
    })
  }))
})

const refused = (prefix: string) => (error: SqlError | Migrations.NewerTables): SqlError | SinkError =>
  error._tag === "NewerTables" ? newer(`the tables ${prefix}export_*`, error.found, error.known) : error

/** The version of the tables in a database, 0 if there are none. Tables of a newer program are refused, and nothing is written. */
export const installed = (
  sql: SqlClient,
  prefix: string,
  migrations: ReadonlyArray<Migration>
): Effect.Effect<number, SqlError | SinkError> =>
  Migrations.version(tables(prefix, migrations)).pipe(
    Effect.provideService(SqlClient, sql),
    Effect.mapError(refused(prefix))
  )

/** Brings the tables to the version that the program knows. */
export const upgrade = (
  sql: SqlClient,
  prefix: string,
  migrations: ReadonlyArray<Migration>
): Effect.Effect<Migrations.Upgrade, SqlError | SinkError> =>
  Migrations.upgrade(tables(prefix, migrations)).pipe(
    Effect.provideService(SqlClient, sql),
    Effect.mapError(refused(prefix))
  )
