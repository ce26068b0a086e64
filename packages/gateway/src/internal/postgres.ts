/** The client of a gateway's Postgres. */
import * as PostgresIndex from "@effect-klaytn/indexer/PostgresIndex"
import { sessionOptions } from "@effect-klaytn/indexer/PostgresLease"
import * as Reactivity from "@effect/experimental/Reactivity"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { GatewayError } from "../GatewayError.js"
import * as refusals from "./startRefusals.js"

/** Whether a database is named by the address of a Postgres, and not by a file. */
export const isAddress = (database: string): boolean => /^postgres(ql)?:\/\//.test(database)

/** The name of the parameter that names the schema of a wallet in the address of a Postgres. No server is told of it. */
export const walletSchema = "wallet-schema"

/** The schema of an index. */
export const schemaOf = (schema = PostgresIndex.defaultSchema): Effect.Effect<string, GatewayError> =>
  PostgresIndex.isSchemaName(schema)
    ? Effect.succeed(schema)
    : refusals.start(
      `${
        JSON.stringify(schema.slice(0, 80))
      } can't name a schema: use a lower-case letter, and up to 47 letters, digits ` +
        "and underscores"
    )

/** The parts of an address. */
export const urlOf = (database: string): Effect.Effect<URL, GatewayError> =>
  URL.canParse(database)
    ? Effect.succeed(new URL(database))
    : refusals.start("the address of the database can't be read: postgres://user:password@host:5432/name")

/**
 * A pool of connections for the time of a scope. Tables without a schema are looked for in `searchPath`. No message contains the
 * address, which has a password.
 */
export const client = (
  database: string,
  maxConnections: number,
  searchPath?: string
): Effect.Effect<SqlClient, GatewayError, Scope.Scope> =>
  Effect.gen(function*() {
    const url = yield* urlOf(database)
    url.searchParams.delete(walletSchema)
    const given = url.searchParams.get("options")
    const path = searchPath === undefined ? [] : [`-c search_path=${searchPath}`]
    url.searchParams.set("options", [...(given === null ? [] : [given]), sessionOptions, ...path].join(" "))
    const PgClient = yield* Effect.tryPromise({
      try: () => import("@effect/sql-pg/PgClient"),
      catch: () => refusals.start("a database in Postgres needs the package @effect/sql-pg: npm i @effect/sql-pg")
    })
    const made = yield* PgClient.make({
      url: Redacted.make(url.href),
      applicationName: `klaytn-gateway-${process.pid}`,
      maxConnections,
      connectTimeout: "10 seconds"
    }).pipe(
      Effect.provide(Reactivity.layer),
      Effect.mapError(({ cause }) =>
        refusals.database(
          new Error(`${url.host}${url.pathname}: ${cause instanceof Error ? cause.message : "no answer"}`)
        )
      )
    )
    // If a caller of `reserve` is interrupted while it waits, the pool loses a connection.
    return Object.assign(made, { reserve: Effect.uninterruptible(made.reserve) })
  })
