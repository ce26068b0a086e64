/**
 * Numbered migrations of tables by the `Migrator` of `@effect/sql`. All that are due are one transaction: a process that is killed
 * leaves the tables as they were, and the next one begins again. Of many processes that start together, one migrates and the
 * others wait for its lock.
 */
import { isLocked } from "@effect-klaytn/store/DatabaseFault"
import * as Migrator from "@effect/sql/Migrator"
import { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { SinkError } from "../Sink.js"
import type { Upgrade } from "../SqlSink.js"
import { newer } from "./newer.js"

export type Dialect = "sqlite" | "pg"

export interface Migration {
  /** Stored beside its number. */
  readonly name: string
  readonly statements: (dialect: Dialect, prefix: string) => ReadonlyArray<string>
}

/** Tables, and the version that they should have: the number of migrations. */
export interface Tables {
  readonly sql: SqlClient
  readonly dialect: Dialect
  readonly prefix: string
  readonly migrations: ReadonlyArray<Migration>
  /** Taken in Postgres by every process that makes tables, also by programs that know no versions. */
  readonly lock: Effect.Effect<unknown, SqlError>
}

const tableOf = ({ prefix }: Tables): string => `${prefix}export_migrations`

const isThere = ({ dialect, sql }: Tables, table: string): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql.unsafe<{ readonly found: unknown }>(
      dialect === "pg"
        // After a wait for an advisory lock, `to_regclass` still answers what it knew before.
        ? "SELECT relname AS found FROM pg_class WHERE relname = $1 AND pg_table_is_visible(oid)"
        : "SELECT name AS found FROM sqlite_master WHERE type = 'table' AND name = ?",
      [table]
    ),
    (rows) => rows.length > 0
  )

/** The version of the tables in a database, 0 if there are none. Tables from before there were versions have version 1. */
const stored = (tables: Tables): Effect.Effect<number, SqlError> =>
  Effect.gen(function*() {
    if (!(yield* isThere(tables, `${tables.prefix}export_plan`))) return 0
    if (!(yield* isThere(tables, tableOf(tables)))) return 1
    const [latest] = yield* tables.sql.unsafe<{ readonly version: unknown }>(
      `SELECT max(migration_id) AS version FROM ${tableOf(tables)}`
    )
    return Number(latest?.version ?? 1)
  })

/** The version of the tables in a database. Tables of a newer program are refused, and nothing is written. */
export const installed = (tables: Tables): Effect.Effect<number, SqlError | SinkError> =>
  Effect.filterOrElse(
    stored(tables),
    (version) => version <= tables.migrations.length,
    (version) => newer(`the tables ${tables.prefix}export_*`, version, tables.migrations.length)
  )

/** The table that the migrator makes if it is missing. In Postgres it asks for the table first, which ends a transaction. */
const listOf = (tables: Tables): string =>
  `CREATE TABLE IF NOT EXISTS ${tableOf(tables)} (migration_id integer PRIMARY KEY,
   created_at timestamp with time zone NOT NULL DEFAULT now(), name text NOT NULL)`

const run = (tables: Tables) => {
  const { dialect, migrations, prefix, sql } = tables
  const numbered = migrations.map(({ name, statements }, index) =>
    [
      `${index + 1}_${name}`,
      Effect.forEach(statements(dialect, prefix), (statement) => sql.unsafe(statement), { discard: true })
    ] as const
  )
  const migrate = Migrator.make({})({
    table: tableOf(tables),
    loader: Migrator.fromRecord(Object.fromEntries(numbered))
  })
  return migrate.pipe(
    // The migrator makes a statement that fails a defect.
    Effect.catchSomeDefect((defect) =>
      defect instanceof Migrator.MigrationError ? Option.some(Effect.fail(defect)) : Option.none()
    ),
    Effect.catchTag(
      "MigrationError",
      (error) => error.cause instanceof SqlError ? error.cause : new SqlError({ cause: error, message: error.message })
    ),
    Effect.provideService(SqlClient, sql)
  )
}

/**
 * How long a statement in Postgres waits for a lock. Statements of other programs wait behind one that waits, so it gives up soon,
 * and the migrations are begun again.
 */
const lockTimeout = "5s"

const retries = Schedule.intersect(Schedule.jittered(Schedule.spaced("100 millis")), Schedule.recurUpTo("1 minute"))

/** Brings the tables to the version that the program knows. */
export const upgrade = (tables: Tables): Effect.Effect<Upgrade, SqlError | SinkError> =>
  Effect.gen(function*() {
    const { dialect, lock, migrations, sql } = tables
    const to = migrations.length
    const listed = yield* isThere(tables, tableOf(tables))
    if ((yield* installed(tables)) === to && listed) return { from: to, to }
    return yield* sql.withTransaction(Effect.gen(function*() {
      if (dialect === "pg") {
        yield* sql.unsafe("SELECT set_config('lock_timeout', $1, true)", [lockTimeout])
        yield* lock
      }
      // Another process may have done so in the meantime.
      const from = yield* installed(tables)
      if (dialect === "pg") yield* sql.unsafe(listOf(tables))
      yield* run(tables)
      return { from, to }
    }))
  }).pipe(Effect.retry({ while: isLocked, schedule: retries }))
