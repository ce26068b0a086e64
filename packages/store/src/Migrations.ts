/**
 * Tables with a version: numbered migrations, and a table that records which were made.
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
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Database from "./Database.js"
import * as DatabaseFault from "./DatabaseFault.js"
import * as Locks from "./Locks.js"

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
  /** A table that is there since version 1. Where it is and no version is recorded, older programs have made the tables: they count as version 1. */
  readonly first: string
  /** The schema of Postgres that they are in; it is made if it is missing. Default: that of the table `first`, and for new tables the session's. */
  readonly schema?: string | undefined
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

/** Waits up to a minute for other processes, and for transactions that are in the way. */
const retries = Schedule.jittered(Schedule.spaced("100 millis")).pipe(
  Schedule.intersect(Schedule.recurUpTo("60 seconds"))
)

/**
 * Whether the statements of this session see a table.
 *
 * @category reading
 */
export const isThere = (sql: SqlClient.SqlClient, table: string): Effect.Effect<boolean, SqlError> =>
  Effect.map(schemaOf(sql, table), Option.isSome)

/** The schema of a table that the statements of this session see; `main` in SQLite. */
const schemaOf = (sql: SqlClient.SqlClient, table: string): Effect.Effect<Option.Option<string>, SqlError> =>
  Effect.map(
    sql.onDialectOrElse({
      // After a wait for a lock, to_regclass still answers what it knew before. A name is cut as Postgres cuts it.
      pg: () =>
        sql<
          { readonly schema: string }
        >`SELECT nspname AS schema FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE relname = ${table}::name AND pg_table_is_visible(c.oid)`,
      orElse: () => sql<{ readonly schema: string }>`SELECT 'main' AS schema FROM sqlite_master WHERE name = ${table}`
    }),
    ([row]) => Option.map(Option.fromNullable(row), ({ schema }) => schema)
  )

/** The columns of a table of a schema; none if it is not there. */
const columnsOf = (sql: SqlClient.SqlClient, schema: string, table: string) =>
  Effect.map(
    sql.onDialectOrElse({
      pg: () =>
        sql<{ readonly name: string }>`SELECT attname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
          JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE nspname = ${schema} AND relname = ${table}::name AND attnum > 0 AND NOT attisdropped`,
      orElse: () => sql<{ readonly name: string }>`SELECT name FROM pragma_table_info(${table})`
    }),
    (rows) => rows.map(({ name }) => name)
  )

/** Where tables are: those of `first`, so that each of two installations that share a search path has its versions. */
const homeOf = (sql: SqlClient.SqlClient, { first, schema }: Tables): Effect.Effect<string, SqlError> =>
  schema !== undefined ? Effect.succeed(schema) : Effect.flatMap(
    schemaOf(sql, first),
    Option.match({
      onSome: Effect.succeed,
      onNone: () =>
        sql.onDialectOrElse({
          pg: () =>
            Effect.map(
              sql<{ readonly name: string | null }>`SELECT current_schema() AS name`,
              ([row]) => row?.name ?? "public"
            ),
          orElse: () => Effect.succeed("main")
        })
    })
  )

const refused = (message: string): SqlError => new SqlError({ cause: new Error(message), message })

/** The version of tables: 0 if there are none, 1 if there are tables and no record. Fails for records of another program. */
const stored = (sql: SqlClient.SqlClient, tables: Tables) =>
  Effect.gen(function*() {
    const { first, name, versions } = tables
    const schema = yield* homeOf(sql, tables)
    const columns = yield* columnsOf(sql, schema, versions)
    if (columns.length > 0 && !["migration_id", "name"].every((column) => columns.includes(column))) {
      return yield* refused(
        `the table ${schema}.${versions} is not that of ${name}: another program made it. Use another schema or name. Nothing was written`
      )
    }
    const [row] = columns.length === 0 ? [] : yield* sql<{ readonly version: number | null }>`
      SELECT MAX(migration_id) AS version FROM ${sql(`${schema}.${versions}`)}`
    const version = row?.version ?? undefined
    if (version !== undefined && version < 1) {
      return yield* refused(
        `${schema}.${versions} says that the tables of ${name} have version ${version}, which no program records: something else has ` +
          "changed it. Restore it. Nothing was written"
      )
    }
    // After the record: another process makes both at once, and each statement sees what was committed before it.
    const hasTables = (yield* columnsOf(sql, schema, first)).length > 0
    if (version !== undefined && !hasTables) {
      return yield* refused(
        `the tables of ${name} are not there, and ${schema}.${versions} says that they have version ${version}: another program ` +
          "has recorded that, or they were deleted. Restore them, or use another schema or name. Nothing was written"
      )
    }
    return { schema, version: version ?? (hasTables ? 1 : 0), isRecorded: version !== undefined }
  })

/**
 * The version of the tables: 0 if there are none. Only reads. Fails with {@link NewerTables} if a newer program has upgraded them.
 *
 * **When to use**
 *
 * In a command that uses tables as they are, such as one that makes a backup.
 *
 * @category reading
 */
export const version = (tables: Tables): Effect.Effect<number, SqlError | NewerTables, SqlClient.SqlClient> =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => Effect.map(known(sql.withoutTransforms(), tables), ({ version }) => version)
  )

/** Fails if a newer program has upgraded the tables. */
const known = (sql: SqlClient.SqlClient, tables: Tables) =>
  Effect.tap(stored(sql, tables), ({ version }) =>
    version <= tables.migrations.length ? Effect.void : new NewerTables({
      tables: tables.name,
      found: version,
      known: tables.migrations.length,
      package: tables.package
    }))

/** The table of versions, as `Migrator` of `@effect/sql` makes it. */
const createVersions = (sql: SqlClient.SqlClient, table: string) =>
  sql.onDialectOrElse({
    pg: () =>
      sql`CREATE TABLE ${sql(table)} (
        migration_id INTEGER PRIMARY KEY,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT NOW(),
        name TEXT NOT NULL
      )`,
    orElse: () =>
      sql`CREATE TABLE ${sql(table)} (
        migration_id INTEGER PRIMARY KEY NOT NULL,
        created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
        name VARCHAR(255) NOT NULL
      )`
  })

/** What says that something is there already. */
const isThereAlready = /already exists|duplicate column/i

/** Makes one migration, and records it. Its error names it. */
const makeOne = (sql: SqlClient.SqlClient, table: string, id: number, { make, name }: Migration) =>
  make.pipe(
    Effect.zipRight(sql`INSERT INTO ${sql(table)} (migration_id, name) VALUES (${id}, ${name})`),
    Effect.mapError((error) => {
      const fault = DatabaseFault.of(error)
      const why = isThereAlready.test(fault.message)
        ? `. The tables are newer than ${table} says: what it has recorded was lost or changed. Restore it`
        : ""
      const message = `the migration ${id}_${name} failed: ${DatabaseFault.describe(fault)}${why}`
      return new SqlError({ cause: why === "" ? error.cause : new Error(message), message })
    })
  )

/**
 * Makes the next migration, if there is one, and says which version the tables have then and whether this process made it. One transaction at a time has the
 * table of versions: of those that make it, Postgres lets one do so, and the others fail when it commits.
 */
const next = (sql: SqlClient.SqlClient, tables: Tables, recorded: number) =>
  sql.withTransaction(Effect.gen(function*() {
    yield* Locks.briefly(sql)
    const to = tables.migrations.length
    const before = yield* known(sql, tables)
    if (before.isRecorded && before.version === to) return { version: to, isMade: false }
    if (tables.schema !== undefined) yield* makeSchema(sql, tables.schema)
    const table = `${before.schema}.${tables.versions}`
    const isThere = (yield* columnsOf(sql, before.schema, tables.versions)).length > 0
    yield* isThere ? Locks.table(sql, table) : createVersions(sql, table)
    const { isRecorded, version } = yield* known(sql, tables)
    const from = isRecorded ? version : 0
    const migration = tables.migrations[from]
    if (migration === undefined) return { version: from, isMade: false }
    yield* Database.unbounded(sql)(makeOne(sql, table, from + 1, migration))
    return { version: from + 1, isMade: true }
  })).pipe(
    // What another process has made meanwhile can't be made again.
    Effect.catchTag("SqlError", (error) =>
      Effect.gen(function*() {
        const { isRecorded, version } = yield* Effect.catchTag(known(sql, tables), "SqlError", () => error)
        return isRecorded && version > recorded ? { version, isMade: false } : yield* error
      })),
    Effect.provideService(SqlClient.SqlClient, sql)
  )

/**
 * Makes a schema of Postgres if it is missing; does nothing for SQLite. To look first takes no right to make one. No lock is taken, which
 * whoever may connect to the database could hold: of processes that start together, one makes it.
 *
 * @category upgrading
 */
export const makeSchema = (sql: SqlClient.SqlClient, schema: string): Effect.Effect<void, SqlError> => {
  const isThere = Effect.map(sql`SELECT 1 FROM pg_namespace WHERE nspname = ${schema}`, (rows) => rows.length > 0)
  return sql.onDialectOrElse({
    pg: () =>
      // In a transaction, a savepoint: after a failure, Postgres answers nothing else until it is taken back.
      sql.withTransaction(sql`CREATE SCHEMA IF NOT EXISTS ${sql(schema)}`).pipe(
        Effect.catchAll((failure) => Effect.flatMap(isThere, (isMade) => isMade ? Effect.void : failure)),
        Effect.unlessEffect(isThere),
        Effect.asVoid
      ),
    orElse: () => Effect.void
  })
}

/**
 * Creates the tables, or gives older ones what they lack. Tables that have the version of this program are only read.
 *
 * **Details**
 *
 * Waits up to a minute for another process that does the same, and for transactions of other programs that are in the way.
 * Fails with {@link NewerTables}, before anything is written, if a newer program has upgraded the tables, and as `SqlError` if the
 * table of versions is that of another program, or its tables are gone.
 *
 * @category upgrading
 */
export const upgrade = (tables: Tables): Effect.Effect<Upgrade, SqlError | NewerTables, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    const { name } = tables
    const before = yield* known(sql, tables)
    const to = tables.migrations.length
    if (before.isRecorded && before.version === to) return { name, from: to, to }
    const announce = yield* Effect.once(
      Effect.logInfo(`the upgrade of the tables of ${name} waits for other processes, up to a minute`)
    )
    const mayPass = (error: SqlError | NewerTables) =>
      error._tag === "SqlError" && DatabaseFault.of(error).kind === "Passing"
    const step = (recorded: number) =>
      next(sql, tables, recorded).pipe(
        Effect.tapError((error) => mayPass(error) ? announce : Effect.void),
        Effect.retry({ while: mayPass, schedule: retries })
      )
    let from = to
    for (let version = before.isRecorded ? before.version : 0; version < to;) {
      const done = yield* step(version)
      if (done.isMade) from = Math.min(from, done.version === 1 ? before.version : done.version - 1)
      version = done.version
    }
    return { name, from, to }
  })
