/** Postgres as a client of `@effect/sql-pg`. */
import type * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { DatabaseError, of as errorOf } from "../DatabaseError.js"
import * as outages from "./outages.js"
import * as sessions from "./sessions.js"
import * as transactions from "./transactions.js"

export interface Options {
  readonly url: URL
  readonly maxConnections: number
  readonly applicationName: string
  /** How long the server works on a statement, and how long a session may be silent. */
  readonly statementTimeout: Duration.Duration
  /** How long a transaction may wait for its next statement. */
  readonly idleTimeout: Duration.Duration
  /** Where tables without a schema are looked for. */
  readonly searchPath: string | undefined
}

/** How long a session may take to be there: connected, or given back by another user of the pool. */
const connectTimeout = Duration.seconds(5)

/** How much longer than the server a session waits for the end of a statement. */
const grace = Duration.seconds(1)

/** A setting of this process' own. */
const markName = "effect_klaytn.process"
const mark = randomUUID()

/** What every session has. Times are stored without a zone and compared with the session's time, so all need one zone without daylight saving. */
const settingsOf = (
  { idleTimeout, searchPath, statementTimeout }: Options
): ReadonlyArray<readonly [string, string]> => [
  ["TimeZone", "UTC"],
  // Statements are short: to compile one takes longer than to run it.
  ["jit", "off"],
  // What is read after a lock was taken is not older than the lock.
  ["default_transaction_isolation", "read\\ committed"],
  ["statement_timeout", `${Duration.toMillis(statementTimeout)}`],
  ["idle_in_transaction_session_timeout", `${Duration.toMillis(idleTimeout)}`],
  // A server notices that a client is gone.
  ["tcp_keepalives_idle", "10"],
  ["tcp_keepalives_interval", "5"],
  ["tcp_keepalives_count", "3"],
  ["tcp_user_timeout", "20000"],
  // No role of a server has this by itself: who finds it in a session knows that the session has the others, too.
  [markName, mark],
  ...(searchPath === undefined ? [] : [["search_path", searchPath] as const])
]

/** The database as messages name it. */
const nameOf = (url: URL): string => `postgres://${url.host}${url.pathname}`

const misconfigured = (database: string, message: string): DatabaseError =>
  new DatabaseError({ reason: "Configuration", database, message })

const renewals = new WeakMap<SqlClient.SqlClient, () => void>()

/** Ends all sessions of a client, also those in use: their statements fail at once. */
export const renew = (sql: SqlClient.SqlClient): Effect.Effect<void> => Effect.sync(() => renewals.get(sql)?.())

/** Asks the first session for what it should have: a pooler between may have dropped it, and a database keeps the characters of its encoding alone. */
const check = (pool: sessions.Pool, database: string): Effect.Effect<void, DatabaseError> =>
  Effect.tryPromise({
    try: () =>
      pool.query(`SELECT current_setting('${markName}', true) AS mark, current_setting('server_encoding') AS encoding`),
    catch: errorOf(database)
  }).pipe(
    Effect.timeoutFail({
      duration: Duration.sum(connectTimeout, grace),
      onTimeout: () =>
        errorOf(database)(new Error(`Connection timeout: no answer within ${Duration.format(connectTimeout)}`))
    }),
    Effect.flatMap(({ rows: [row] }) => {
      if (row?.["mark"] !== mark) {
        return misconfigured(
          database,
          `${database} drops the settings of sessions, as pgbouncer does: limits and locks would not hold. ` +
            "Connect to Postgres itself."
        )
      }
      const encoding = String(row["encoding"])
      return encoding === "UTF8" ? Effect.void : misconfigured(
        database,
        `${database} has the encoding ${encoding}, which lacks characters that names of tokens have. ` +
          "Use a database that was made with ENCODING 'UTF8'."
      )
    })
  )

export const make = (
  options: Options
): Effect.Effect<SqlClient.SqlClient, DatabaseError, Scope.Scope | Reactivity.Reactivity> =>
  Effect.gen(function*() {
    const url = new URL(options.url)
    const database = nameOf(url)
    const given = url.searchParams.get("options")
    const own = settingsOf(options).map(([name, value]) => `-c ${name}=${value}`)
    url.searchParams.set("options", [...(given === null ? [] : [given]), ...own].join(" "))
    const [PgClient, pg] = yield* Effect.tryPromise({
      try: () => Promise.all([import("@effect/sql-pg/PgClient"), sessions.load()]),
      catch: () =>
        misconfigured(database, "A database in Postgres needs the package @effect/sql-pg: npm i @effect/sql-pg@0")
    })
    // A database that can't be opened is told by the error alone.
    let outage: outages.Outage = { failed: () => {}, answered: () => {} }
    const { pool, renew } = yield* Effect.acquireRelease(
      Effect.sync(() =>
        sessions.make(pg, {
          database,
          url: url.href,
          applicationName: options.applicationName,
          maxConnections: options.maxConnections,
          connectMillis: Duration.toMillis(connectTimeout),
          silentMillis: Duration.toMillis(Duration.sum(options.statementTimeout, grace)),
          failed: (error) => outage.failed(error),
          answered: () => outage.answered()
        })
      ),
      ({ pool }) =>
        Effect.tryPromise(() => pool.end()).pipe(Effect.interruptible, Effect.timeoutOption("1 second"), Effect.ignore)
    )
    yield* check(pool, database)
    outage = yield* outages.watch(database)
    const made = yield* Effect.mapError(
      PgClient.fromPool({ acquire: Effect.succeed(pool), applicationName: options.applicationName }),
      errorOf(database)
    )
    const client = transactions.failing(Object.assign(made, {
      // If a caller of `reserve` is interrupted while it waits, the pool loses a connection.
      reserve: Effect.uninterruptible(made.reserve)
    }))
    renewals.set(client, renew)
    return client
  })

/** The session of `pg` that the transaction of this fiber has. */
const sessionHere: Effect.Effect<Option.Option<object>> = Effect.contextWith((context) =>
  Option.flatMap(
    Option.fromNullable(context.unsafeMap.get(SqlClient.TransactionConnection.key)),
    (found: unknown) => {
      const connection: unknown = Array.isArray(found) ? found[0] : undefined
      return typeof connection === "object" && connection !== null && "pg" in connection &&
          typeof connection.pg === "object"
        ? Option.fromNullable(connection.pg)
        : Option.none()
    }
  )
)

/** Runs the rest of a transaction without limits for its statements: of migrations, and of indexes of large tables. */
export const unbounded = (sql: SqlClient.SqlClient) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(sessionHere, (session): Effect.Effect<A, E | SqlError, R> =>
    Option.match(session, {
      onNone: () => effect,
      onSome: (session) =>
        Effect.acquireUseRelease(
          Effect.sync(() => sessions.unbounded(session)),
          () => Effect.zipRight(sql`SELECT set_config('statement_timeout', '0', true)`, effect),
          (restore) => Effect.sync(restore)
        )
    }))
