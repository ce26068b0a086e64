/** Prepares a database for an engine: its tables, and a number for each process. */
import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
import * as Locks from "@effect-klaytn/store/Locks"
import * as Migrations from "@effect-klaytn/store/Migrations"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SqlMessageStorage from "@effect/cluster/SqlMessageStorage"
import * as SqlRunnerStorage from "@effect/cluster/SqlRunnerStorage"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { EngineError } from "../EngineError.js"
import { misconfigured, toEngineError } from "./failure.js"

/** The database by name, as messages show it, and its file if it is SQLite. */
export interface Place {
  readonly name: string
  readonly file: string | undefined
}

export const place: Effect.Effect<Place, EngineError, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql.onDialectOrElse({
      sqlite: (): Effect.Effect<Place, EngineError> =>
        sql<{ readonly file: string }>`SELECT file FROM pragma_database_list WHERE name = 'main'`.pipe(
          Effect.map(([row]) => row === undefined || row.file === "" ? undefined : row.file),
          Effect.map((file) => ({ name: file ?? ":memory:", file })),
          Effect.mapError(toEngineError("Unreachable", "sqlite"))
        ),
      pg: () =>
        sql<{ readonly name: string; readonly zone: string }>`
          SELECT current_database() AS name, current_setting('TimeZone') AS zone
        `.pipe(
          Effect.mapError(toEngineError("Unreachable", "postgres")),
          Effect.flatMap(([row]) => {
            const name = `postgres, database ${row?.name}`
            return row?.zone === "UTC" ? Effect.succeed({ name, file: undefined }) : misconfigured(
              name,
              `The sessions of the database have the time zone ${row?.zone}: locks are compared in UTC. ` +
                "Use Database.layerPostgres, or give your client's sessions that zone."
            )
          })
        ),
      orElse: () => misconfigured("another dialect", "An engine runs on SQLite or Postgres.")
    })
)

const createOwnTables = (namespace: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      CREATE TABLE IF NOT EXISTS ${sql(`${namespace}_commits`)} (
        execution_id VARCHAR(255) NOT NULL,
        activity VARCHAR(255) NOT NULL,
        result TEXT,
        PRIMARY KEY (execution_id, activity)
      )`
    yield* sql`
      CREATE TABLE IF NOT EXISTS ${sql(`${namespace}_processes`)} (one INTEGER PRIMARY KEY, started BIGINT NOT NULL)`
  })

/** The engine's own tables. Those of `@effect/cluster` have versions of their own. */
export const tables = (namespace: string): Migrations.Tables => ({
  name: "the engine",
  package: "@effect-klaytn/engine",
  versions: `${namespace}_engine_versions`,
  first: `${namespace}_commits`,
  // Those that were released never change: `test/migrations` has their statements.
  migrations: [{ name: "tables", make: createOwnTables(namespace) }]
})

/**
 * The migrator of the storages takes a lock for which a session that reads their table would let them wait, such as that of a backup. One that keeps
 * other migrators away is enough.
 */
const besideReaders: Statement.Statement.Transformer = (statement, sql) => {
  const [text] = statement.compile()
  return Effect.succeed(
    text.startsWith("LOCK TABLE ") ? sql.unsafe(text.replace("ACCESS EXCLUSIVE", "SHARE ROW EXCLUSIVE")) : statement
  )
}

/** The storage of messages. Its tables are made, if they are missing. */
export const messages = (namespace: string) =>
  Layer.locally(
    SqlMessageStorage.layerWith({ prefix: namespace }),
    Statement.currentTransformer,
    Option.some(besideReaders)
  )

const createTables = (namespace: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const own = tables(namespace)
    const done = yield* Migrations.upgrade(own)
    if (Migrations.isUpgrade(done)) yield* Effect.logInfo(`upgraded tables: ${Migrations.describe(done)}`)
    // One process at a time: two that create the same table at the same moment both fail in Postgres. On SQLite each step is a transaction
    // that begins with the write lock, or may be done twice.
    yield* Effect.all([SqlRunnerStorage.make({ prefix: namespace }), Layer.build(messages(namespace))])
      .pipe(
        Locks.alone(sql, own.versions),
        Effect.retry({ while: DatabaseFault.isLocked })
      )
  }).pipe(
    Effect.scoped,
    Effect.provide(ShardingConfig.layer({ shardLockDisableAdvisory: true }))
  )

/** How many processes have started, this one included. Identifiers of messages are made of it, modulo 1024. */
const countProcess = (namespace: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const table = sql(`${namespace}_processes`)
    return Effect.map(
      sql<{ readonly started: string | number }>`
        INSERT INTO ${table} (one, started) VALUES (1, 1)
        ON CONFLICT (one) DO UPDATE SET started = ${table}.started + 1
        RETURNING started`,
      ([row]) => Number(row?.started ?? 0)
    )
  })

/** Creates what is missing, and gives this process its number. */
export const prepare = (namespace: string, { name }: Place) =>
  Effect.zipRight(createTables(namespace), countProcess(namespace)).pipe(
    // The storages of the cluster die if they can't create their tables.
    Effect.catchAllDefect(Effect.fail),
    Effect.timeoutFail({
      duration: "60 seconds",
      onTimeout: () => new Error("other processes have made its tables for a minute")
    }),
    Effect.mapError((error) =>
      error instanceof Migrations.NewerTables
        ? new EngineError({ reason: "Newer", database: name, message: `${name}: ${error.message}` })
        : toEngineError("Setup", name)(error)
    )
  )

/** Makes sure that this process alone runs workflows on a SQLite file. */
export const own = ({ file, name }: Place) =>
  file === undefined ? Effect.void : Effect.mapError(
    Locks.file(`${file}-runner`),
    (error) =>
      DatabaseFault.isLocked(error)
        ? new EngineError({
          reason: "Locked",
          database: name,
          message:
            `Another process runs workflows on ${name}. End it first, submit to it with layerClient, or use Postgres.`
        })
        : toEngineError("Setup", name)(error)
  )
