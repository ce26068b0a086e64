/**
 * The database in which an engine stores its work: a SQLite file for one machine, Postgres for many.
 *
 * **Details**
 *
 * Each layer provides a `SqlClient` of `@effect/sql`. Keep your own rows in the same database: rows that an activity
 * writes in the same transaction as its result, as in `TransactionalActivity`, are written once.
 */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { fileURLToPath } from "node:url"
import type { EngineError } from "./EngineError.js"
import { misconfigured, toEngineError } from "./internal/failure.js"
import * as sqlite from "./internal/sqlite.js"

const layerOf = <E>(
  database: string,
  client: Effect.Effect<SqlClient.SqlClient, E, Reactivity.Reactivity | Scope.Scope>
): Layer.Layer<SqlClient.SqlClient, EngineError> =>
  Layer.scoped(SqlClient.SqlClient, client).pipe(
    Layer.provide(Reactivity.layer),
    Layer.mapError(toEngineError("Unreachable", database))
  )

/**
 * A SQLite file, made if it is missing. Runs on every platform of `libsql` without a native build.
 *
 * **Details**
 *
 * One process at a time runs workflows on a file ({@link EngineError} `Locked`); others may submit and read. A commit is
 * on the disk when it is answered. The file belongs on a local disk: locks don't hold on network file systems. Beside
 * it are `FILE-wal` and `FILE-shm`, and `FILE-runner`, which says which process runs.
 *
 * `:memory:` is a database for tests, of this layer alone.
 *
 * @category layers
 */
export const layerSqlite = (options: {
  readonly file: string
}): Layer.Layer<SqlClient.SqlClient, EngineError> => layerOf(options.file, sqlite.make(options.file))

/** Times are stored without a zone and compared with the session's time, so all sessions need one zone without daylight saving. */
const utc = "-c TimeZone=UTC"

/** Without it, a statement waits forever if every connection of the pool is in use, or if the host drops packets. */
const connectTimeout = "10 seconds"

/**
 * A Postgres database, 13 or later, by its address: `postgres://user:password@host:5432/name`. Parameters of the address
 * such as `sslmode` are applied.
 *
 * **Details**
 *
 * Connections are pooled, 10 at most unless `maxConnections` (at least 4) says otherwise; a runner holds one of them all the time.
 * Every session has the time zone UTC. Building the layer fails within 10 seconds if the database does
 * not answer, and so does a statement that gets no connection.
 *
 * @category layers
 */
export const layerPostgres = (options: {
  readonly url: Redacted.Redacted
  readonly maxConnections?: number | undefined
}): Layer.Layer<SqlClient.SqlClient, EngineError> =>
  Layer.suspend(() => {
    const text = Redacted.value(options.url)
    // The error of the URL parser would contain the password.
    const url = URL.canParse(text) ? new URL(text) : undefined
    const refused = (message: string) => Layer.fail(misconfigured("postgres", message))
    if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol)) {
      return refused("This is not the address of a Postgres database: postgres://user:password@host:5432/name.")
    }
    const { maxConnections = 10 } = options
    if (!Number.isSafeInteger(maxConnections) || maxConnections < 4) {
      return refused("An engine needs at least 4 connections: make maxConnections a whole number of at least 4.")
    }
    const database = `postgres://${url.host}${url.pathname}`
    const sessionOptions = url.searchParams.get("options")
    url.searchParams.set("options", sessionOptions === null ? utc : `${sessionOptions} ${utc}`)
    const client = Effect.map(
      PgClient.make({
        url: Redacted.make(url.href),
        applicationName: "effect-klaytn",
        maxConnections,
        connectTimeout
      }),
      // If a caller of `reserve` is interrupted while it waits, the pool loses a connection.
      (client) => Object.assign(client, { reserve: Effect.uninterruptible(client.reserve) })
    )
    return layerOf(database, client)
  })

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
): Layer.Layer<SqlClient.SqlClient, EngineError | ConfigError.ConfigError> =>
  Layer.unwrapEffect(Effect.map(config, (url): Layer.Layer<SqlClient.SqlClient, EngineError> => {
    const text = Redacted.value(url)
    if (!text.startsWith("file:")) return layerPostgres({ url })
    const file = Option.getOrElse(fileOf(text), () => "")
    const message = "This is not the address of a file: file:work.db, or file:///folder/work.db with % written as %25."
    return file === "" ? Layer.fail(misconfigured(text, message)) : layerSqlite({ file })
  }))
