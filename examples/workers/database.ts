/** A database of its own for an example, which is gone with the scope. */
import * as Database from "@effect-klaytn/engine/Database"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Postgres from "../../drills/engine/postgres.js"

const name = `example_${process.pid}`

const onServer = <A, E>(server: string, use: (sql: SqlClient) => Effect.Effect<A, E>) =>
  Effect.provide(Effect.flatMap(SqlClient, use), Database.layerPostgres({ url: Redacted.make(server) }))

/** On the server of `POSTGRES_URL`, or on one that is started in a temporary folder. */
export const database = Effect.gen(function*() {
  const server = process.env["POSTGRES_URL"] ?? Redacted.value(yield* Postgres.temporary)
  yield* Effect.acquireRelease(
    Effect.orDie(onServer(server, (sql) => sql`CREATE DATABASE ${sql(name)}`)),
    () => Effect.orDie(onServer(server, (sql) => sql`DROP DATABASE ${sql(name)} WITH (FORCE)`))
  )
  return Object.assign(new URL(server), { pathname: name }).href
})
