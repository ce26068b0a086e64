/**
 * Tables with a version: numbered migrations, by the `Migrator` of `@effect/sql`, and a table that records which were made.
 *
 * **When to use**
 *
 * To open tables of a package that several programs, of several versions, use at the same time: {@link upgrade} creates what
 * is missing, gives older tables what they lack, and refuses those that a newer program has upgraded.
 *
 * **Details**
 *
 * - Each migration is made in one transaction, together with its record. A process that dies leaves all of it or nothing,
 *   and the next one continues.
 * - One process at a time makes migrations. Others wait, and then find that nothing is left to do.
 * - Tables that have the version of the program are only read.
 * - Programs of the version before may run during a migration, so a migration only adds what they need not know.
 */
import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import * as DatabaseFault from "./DatabaseFault.js"

/**
 * Tables that have one version.
 *
 * @category models
 */
export interface Tables {
  /** What they are, in messages: `payouts`. */
  readonly name: string
  /** The npm package whose code reads them. */
  readonly package: string
  /** The table that records the migrations. */
  readonly versions: string
  /** A table that is there if older programs, which recorded no version, have made the tables: they count as version 1. */
  readonly first: string
  /** The migration to each version, beginning with version 1. The first creates what is missing of the tables. */
  readonly migrations: ReadonlyArray<Migration>
}

/**
 * A step from one version of tables to the next. One that was released never changes.
 *
 * @category models
 */
export interface Migration {
  /** What is recorded beside its number: a letter, and letters, digits or underscores. */
  readonly name: string
  readonly make: Effect.Effect<unknown, SqlError, SqlClient.SqlClient>
}

/**
 * What {@link upgrade} did. `from` is 0 if there were no tables, and equal to `to` if this process did nothing.
 *
 * @category models
 */
export interface Upgrade {
  readonly name: string
  readonly from: number
  readonly to: number
}

/**
 * Whether older tables were upgraded, and not only created.
 *
 * @category guards
 */
export const isUpgrade = ({ from, to }: Upgrade): boolean => from > 0 && from < to

/**
 * An upgrade in words: `payouts 1 -> 2`.
 *
 * @category formatting
 */
export const describe = ({ from, name, to }: Upgrade): string => `${name} ${from} -> ${to}`

/**
 * A newer program has upgraded the tables. Nothing was written.
 *
 * @category errors
 */
export class NewerTables extends Data.TaggedError("NewerTables")<{
  /** What the tables are: `payouts`. */
  readonly tables: string
  /** The version of the tables. */
  readonly found: number
  /** The newest version that this program knows. */
  readonly known: number
  /** The npm package to install. */
  readonly package: string
}> {
  override get message(): string {
    return `The tables of ${this.tables} have version ${this.found}, and this program knows version ${this.known}: ` +
      `install the version of ${this.package} that upgraded them, or a later one. Nothing was written.`
  }
}

/** All programs of a Postgres database share the numbers of its advisory locks. */
const setupLock = 7_164_491_124

/**
 * How long a statement of a migration waits for a lock. Statements of other programs wait behind one that waits, so it
 * gives up soon, and the migration is begun again.
 */
const lockTimeout = "5s"

/** Waits up to a minute for other processes, and for transactions that are in the way. */
const retries = Schedule.jittered(Schedule.spaced("100 millis")).pipe(
  Schedule.intersect(Schedule.recurUpTo("60 seconds"))
)

/** The migrations up to a version, as `Migrator` loads them. */
const loaderTo = ({ migrations }: Tables, version: number) =>
  Migrator.fromRecord(Object.fromEntries(
    migrations.slice(0, version).map(({ make, name }, i) => [`${i + 1}_${name}`, Effect.asVoid(make)])
  ))

/**
 * Whether the statements of this session see a table.
 *
 * @category reading
 */
export const isThere = (sql: SqlClient.SqlClient, table: string): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql.onDialectOrElse({
      // After a wait for an advisory lock, to_regclass still answers what it knew before.
      pg: () => sql`SELECT relname FROM pg_class WHERE relname = ${table} AND pg_table_is_visible(oid)`,
      orElse: () => sql`SELECT name FROM sqlite_master WHERE name = ${table}`
    }),
    (rows) => rows.length > 0
  )

/** The version of the tables; none if no migration was recorded. */
const recorded = (sql: SqlClient.SqlClient, { versions }: Tables): Effect.Effect<Option.Option<number>, SqlError> =>
  Effect.if(isThere(sql, versions), {
    onFalse: () => Effect.succeedNone,
    onTrue: () =>
      Effect.map(
        sql<{ readonly version: number | null }>`SELECT MAX(migration_id) AS version FROM ${sql(versions)}`,
        ([row]) => Option.fromNullable(row?.version)
      )
  })

/** Fails if a newer program has upgraded the tables. */
const known = (
  sql: SqlClient.SqlClient,
  tables: Tables
): Effect.Effect<Option.Option<number>, SqlError | NewerTables> =>
  Effect.tap(recorded(sql, tables), (version) => {
    const found = Option.getOrElse(version, () => 0)
    return found <= tables.migrations.length ? Effect.void : new NewerTables({
      tables: tables.name,
      found,
      known: tables.migrations.length,
      package: tables.package
    })
  })

/** The table that `Migrator` keeps. It can't create the table inside of a transaction of Postgres. */
const createVersions = (sql: SqlClient.SqlClient, { versions }: Tables) =>
  Effect.unlessEffect(
    sql.onDialectOrElse({
      pg: () =>
        sql`CREATE TABLE ${sql(versions)} (
          migration_id INTEGER PRIMARY KEY,
          created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT NOW(),
          name TEXT NOT NULL
        )`,
      orElse: () =>
        sql`CREATE TABLE ${sql(versions)} (
          migration_id INTEGER PRIMARY KEY NOT NULL,
          created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
          name VARCHAR(255) NOT NULL
        )`
    }),
    isThere(sql, versions)
  )

const isMigrationError = (error: unknown): error is Migrator.MigrationError =>
  Predicate.isTagged(error, "MigrationError")

/** `Migrator` dies of the failure of a migration, and a failed commit is a defect, too. */
const failureOf = (defect: unknown): Option.Option<SqlError> => {
  if (defect instanceof SqlError) return Option.some(defect)
  return isMigrationError(defect)
    ? Option.some(new SqlError({ cause: defect.cause, message: defect.message }))
    : Option.none()
}

/** The next migration could not be recorded. `Migrator` does not say why. */
class NotRecorded extends Data.TaggedError("NotRecorded") {}

const mayPass = (error: NotRecorded | NewerTables | SqlError): boolean =>
  error._tag === "NotRecorded" || (error._tag === "SqlError" && DatabaseFault.isPassing(error))

/** Makes the next migration, if there is one, and says which version the tables have then and whether this process made it. */
const next = (sql: SqlClient.SqlClient, tables: Tables) =>
  sql.withTransaction(Effect.gen(function*() {
    // A transaction of SQLite begins with the write lock.
    yield* sql.onDialectOrElse({
      pg: () =>
        Effect.zipRight(
          sql`SELECT set_config('lock_timeout', ${lockTimeout}, true)`,
          sql`SELECT pg_advisory_xact_lock(${setupLock})`
        ),
      orElse: () => Effect.void
    })
    const version = Option.getOrElse(yield* known(sql, tables), () => 0)
    if (version === tables.migrations.length) return { version, isMade: false }
    yield* createVersions(sql, tables)
    const made = yield* Migrator.make({})({ loader: loaderTo(tables, version + 1), table: tables.versions }).pipe(
      Effect.catchTag("MigrationError", Effect.die)
    )
    return made.length === 1 ? { version: version + 1, isMade: true } : yield* new NotRecorded()
  })).pipe(
    Effect.catchSomeDefect((defect) => Option.map(failureOf(defect), Effect.fail)),
    Effect.provideService(SqlClient.SqlClient, sql)
  )

/**
 * Creates the tables, or gives older ones what they lack. Tables that have the version of this program are only read.
 *
 * **Details**
 *
 * Waits up to a minute for another process that does the same, and for transactions of other programs that are in the way.
 * Fails with {@link NewerTables}, before anything is written, if a newer program has upgraded the tables.
 *
 * @category upgrading
 */
export const upgrade = (tables: Tables): Effect.Effect<Upgrade, SqlError | NewerTables, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    const { name } = tables
    const before = yield* known(sql, tables)
    const to = tables.migrations.length
    if (Option.contains(before, to)) return { name, from: to, to }
    const first = Option.isSome(before) ? before.value : (yield* isThere(sql, tables.first)) ? 1 : 0
    const announce = yield* Effect.once(
      Effect.logInfo(`the upgrade of the tables of ${name} waits for other processes, up to a minute`)
    )
    const step = next(sql, tables).pipe(
      Effect.tapError((error) => mayPass(error) ? announce : Effect.void),
      Effect.retry({ while: mayPass, schedule: retries })
    )
    let from = to
    for (let version = Option.getOrElse(before, () => 0); version < to;) {
      const done = yield* step
      if (done.isMade) from = Math.min(from, done.version === 1 ? first : done.version - 1)
      version = done.version
    }
    return { name, from, to }
  }).pipe(
    Effect.catchTag(
      "NotRecorded",
      () =>
        new SqlError({ cause: undefined, message: `an upgrade of the tables of ${tables.name} could not be recorded` })
    )
  )
