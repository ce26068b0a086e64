/**
 * The database in which programs store their work: a SQLite file for one machine, Postgres for many.
 *
 * **Details**
 *
 * Each layer provides a `SqlClient` of `@effect/sql`. Keep your own rows in the same database: rows that an activity
 * writes in the same transaction as its result, as in `TransactionalActivity` of the engine, are written once.
 */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { fileURLToPath } from "node:url"
import { DatabaseError, of as errorOf } from "./DatabaseError.js"
import * as postgres from "./internal/postgres.js"
import * as sqlite from "./internal/sqlite.js"

const misconfigured = (database: string, message: string): DatabaseError =>
  new DatabaseError({ reason: "Configuration", database, message })

/**
 * A SQLite file, made if it is missing. Runs on every platform of `libsql` without a native build.
 *
 * **Details**
 *
 * A commit is on the disk when it is answered. A statement waits up to 10 seconds for the transaction of another process. The file
 * belongs on a local disk: locks don't hold on network file systems. Beside it are `FILE-wal` and `FILE-shm`. Of processes with an
 * engine, one at a time runs workflows on a file (`EngineError`, `Locked`), as `FILE-runner` beside it says; others may submit and read.
 *
 * `:memory:` is a database for tests, of this layer alone.
 *
 * @category layers
 */
export const layerSqlite = (options: {
  readonly file: string
}): Layer.Layer<SqlClient.SqlClient, DatabaseError> =>
  Layer.scoped(SqlClient.SqlClient, sqlite.make(options.file)).pipe(
    Layer.provide(Reactivity.layer),
    Layer.mapError(errorOf(options.file))
  )

/**
 * Options of a database in Postgres.
 *
 * @category models
 */
export interface PostgresOptions {
  /** `postgres://user:password@host:5432/name`. Parameters of the address such as `sslmode` are applied. */
  readonly url: Redacted.Redacted
  /** The most connections of the pool. Default: 10. */
  readonly maxConnections?: number | undefined
  /** How long a statement may take. Default: 20 seconds. {@link unbounded} is for those that take longer. */
  readonly statementTimeout?: Duration.DurationInput | undefined
  /** How long a transaction may wait for its next statement, for example because the process is frozen. Default: a minute. */
  readonly idleTimeout?: Duration.DurationInput | undefined
  /** The schema in which tables are looked for. Default: as the server says. */
  readonly schema?: string | undefined
  /** What the sessions are called in the server. Default: `effect-klaytn`. */
  readonly applicationName?: string | undefined
}

const atMost = Duration.hours(1)

/** A time that a session keeps: whole milliseconds, from one second to an hour. */
const isTime = (time: Option.Option<Duration.Duration>): time is Option.Some<Duration.Duration> =>
  Option.exists(time, (found) => Duration.between(found, { minimum: Duration.seconds(1), maximum: atMost }))

/**
 * Whether a text is the address of a database in Postgres, and not the path of a file.
 *
 * @category guards
 */
export const isPostgres = (text: string): boolean => /^postgres(ql)?:\/\//.test(text)

/**
 * The parts of the address of a database in Postgres. The error contains none of them: one is the password.
 *
 * @category conversions
 */
export const readAddress = (text: string): Effect.Effect<URL, DatabaseError> =>
  isPostgres(text) && URL.canParse(text) ? Effect.succeed(new URL(text)) : misconfigured(
    "postgres",
    "This is not the address of a Postgres database: postgres://user:password@host:5432/name."
  )

/**
 * A pool of connections to Postgres, 13 or later, for the time of a scope.
 *
 * **Details**
 *
 * Every session has the time zone UTC, TCP keep-alive, and the limits of the options; a pooler that drops these settings, as pgbouncer does, is refused as
 * `Configuration`. A statement that gets no connection fails within 5 seconds, and one that gets no answer a second after
 * `statementTimeout`. Sessions that are silent, that were left in a transaction, or that lead to a server that became a standby are ended and
 * not used again. A commit that fails is a `SqlError`, not a defect.
 *
 * @category constructors
 */
export const makePostgres = (
  options: PostgresOptions
): Effect.Effect<SqlClient.SqlClient, DatabaseError, Scope.Scope> =>
  Effect.gen(function*() {
    const url = yield* readAddress(Redacted.value(options.url))
    const { applicationName = "effect-klaytn", idleTimeout = "1 minute", maxConnections = 10, schema } = options
    if (!Number.isSafeInteger(maxConnections) || maxConnections < 1) {
      return yield* misconfigured(
        "postgres",
        "A pool needs a connection: make maxConnections a whole number of at least 1."
      )
    }
    const statements = Duration.decodeUnknown(options.statementTimeout ?? "20 seconds")
    const idle = Duration.decodeUnknown(idleTimeout)
    if (!isTime(statements) || !isTime(idle)) {
      return yield* misconfigured(
        "postgres",
        "statementTimeout and idleTimeout are durations from a second to an hour."
      )
    }
    return yield* postgres.make({
      url,
      maxConnections,
      applicationName,
      statementTimeout: statements.value,
      idleTimeout: idle.value,
      searchPath: schema
    })
  }).pipe(Effect.provide(Reactivity.layer))

/**
 * A Postgres database, 13 or later, by its address: {@link makePostgres} as a layer.
 *
 * **Details**
 *
 * `maxConnections` is at least 4: a runner of the engine holds one of them all the time.
 * Building the layer fails within 6 seconds if the database does not answer.
 *
 * @category layers
 */
export const layerPostgres = (options: PostgresOptions): Layer.Layer<SqlClient.SqlClient, DatabaseError> =>
  Layer.scoped(
    SqlClient.SqlClient,
    Effect.suspend(() => {
      const { maxConnections = 10 } = options
      return Number.isSafeInteger(maxConnections) && maxConnections >= 4 ? makePostgres(options) : misconfigured(
        "postgres",
        "An engine needs at least 4 connections: make maxConnections a whole number of at least 4."
      )
    })
  )

/**
 * Ends all sessions of a pool, also those whose statements run: these fail at once. Does nothing for SQLite.
 *
 * @category operations
 */
export const renew = (sql: SqlClient.SqlClient): Effect.Effect<void> => postgres.renew(sql)

/**
 * Runs the rest of a transaction without a limit for its statements, as migrations are. Does nothing for SQLite, and outside of a transaction.
 *
 * @category operations
 */
export const unbounded: (
  sql: SqlClient.SqlClient
) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError, R> = postgres.unbounded

/** The path in the address of a file; none if its percent-encoding is wrong. */
const fileOf = Option.liftThrowable((address: string): string =>
  address.startsWith("file:///") ? fileURLToPath(address) : address.slice("file:".length)
)

/**
 * The database whose address is in `KLAYTN_DATABASE_URL` (or another `config`): `postgres://...` or `file:...`,
 * such as `file:work.db`.
 *
 * @category layers
 */
export const layerConfig = (
  config: Config.Config<Redacted.Redacted> = Config.redacted("KLAYTN_DATABASE_URL").pipe(
    Config.withDescription("the database of the engine: postgres://user:password@host:5432/name, or file:work.db")
  )
): Layer.Layer<SqlClient.SqlClient, DatabaseError | ConfigError.ConfigError> =>
  Layer.unwrapEffect(Effect.map(config, (url): Layer.Layer<SqlClient.SqlClient, DatabaseError> => {
    const text = Redacted.value(url)
    if (!text.startsWith("file:")) return layerPostgres({ url })
    const file = Option.getOrElse(fileOf(text), () => "")
    const message = "This is not the address of a file: file:work.db, or file:///folder/work.db with % written as %25."
    return file === "" ? Layer.fail(misconfigured(text, message)) : layerSqlite({ file })
  }))
