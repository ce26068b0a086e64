/** The client of a gateway's Postgres. */
import * as PostgresIndex from "@effect-klaytn/indexer/PostgresIndex"
import * as Database from "@effect-klaytn/store/Database"
import * as Lease from "@effect-klaytn/store/Lease"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { GatewayError } from "../GatewayError.js"
import * as refusals from "./startRefusals.js"

export { isPostgres as isAddress } from "@effect-klaytn/store/Database"

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
  Effect.mapError(Database.readAddress(database), ({ message }) => refusals.start(message))

/** What the pools of a process allow. */
interface Limits {
  readonly maxConnections: number
  /** How long a statement may take. */
  readonly statementTimeout: Duration.DurationInput
}

/** Answers to callers are ended after 8 seconds: a statement after 7, and its session a second later. */
export const answering = (maxConnections: number): Limits => ({ maxConnections, statementTimeout: "7 seconds" })

/** The lease, readiness and who may call: apart from answers, and soon over. */
export const watching: Limits = { maxConnections: 4, statementTimeout: "3 seconds" }

/** Blocks are stored many at once. */
export const writing: Limits = { maxConnections: 4, statementTimeout: "1 minute" }

/**
 * A pool of connections for the time of a scope. Tables without a schema are looked for in `schema`. No message contains the
 * address, which has a password.
 */
export const client = (
  database: string,
  { maxConnections, statementTimeout }: Limits,
  schema?: string
): Effect.Effect<SqlClient, GatewayError, Scope.Scope> =>
  Effect.gen(function*() {
    const url = yield* urlOf(database)
    url.searchParams.delete(walletSchema)
    return yield* Effect.mapError(
      Database.makePostgres({
        url: Redacted.make(url.href),
        applicationName: `klaytn-gateway-${process.pid}`,
        maxConnections,
        statementTimeout,
        // A process that is frozen in a transaction holds nothing for longer than a lease.
        idleTimeout: Duration.seconds(Lease.seconds),
        schema
      }),
      refusals.database
    )
  })
