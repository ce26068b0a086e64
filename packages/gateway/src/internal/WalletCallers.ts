/** The callers of a wallet, in its own database: who may write the index can't make one. */
import * as Migrations from "@effect-klaytn/store/Migrations"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type { GatewayError } from "../GatewayError.js"
import { columns, type Row } from "./callerRights.js"
import * as refusals from "./startRefusals.js"

/** The table of callers. It is of all chains: a caller is added before the chain is known. */
export const table = "wallet_callers"

/** The table of names whose rights were taken, and when last. A name that is added again stays: sends from before are not its own. */
export const revocations = "wallet_caller_revocations"

export const tables: Migrations.Tables = {
  name: "the wallet's callers",
  package: "@effect-klaytn/gateway",
  versions: "wallet_caller_versions",
  first: table,
  migrations: [{
    name: "create",
    make: Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.all([
        sql`CREATE TABLE ${sql(table)} (
          name TEXT NOT NULL PRIMARY KEY, access_key_id TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, created BIGINT NOT NULL,
          rights TEXT NOT NULL, pools TEXT, limits TEXT NOT NULL
        )`,
        // Callers of an index move here once.
        sql`CREATE TABLE wallet_caller_moves (moved BIGINT NOT NULL)`
      ]))
  }, {
    name: "revocations",
    make: Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`CREATE TABLE ${sql(revocations)} (name TEXT NOT NULL PRIMARY KEY, revoked BIGINT NOT NULL)`
    )
  }]
}

/** Makes or upgrades the tables. Those of a newer program are refused. */
export const makeTables = (sql: SqlClient.SqlClient): Effect.Effect<void, GatewayError> =>
  Effect.asVoid(Migrations.upgrade(tables)).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.mapError(({ message }) => refusals.wallet(message)),
    Effect.withTracerEnabled(false)
  )

const io = <A>(effect: Effect.Effect<A, SqlError | GatewayError>): Effect.Effect<A, GatewayError> =>
  Effect.mapError(effect, (error) => error._tag === "SqlError" ? refusals.database(error.cause) : error)

/** The version of the tables, 0 if there are none. Those of a newer program are refused: it may have taken rights in another way. */
export const check = (sql: SqlClient.SqlClient): Effect.Effect<number, GatewayError> =>
  Migrations.version(tables).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.mapError((error) =>
      error._tag === "SqlError" ? refusals.database(error.cause) : refusals.wallet(error.message)
    ),
    Effect.withTracerEnabled(false)
  )

/** The rows, in the order of their names; none where there is no table yet. */
export const rows = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<Row>, GatewayError> =>
  io(
    Effect.flatMap(check(sql), (version): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
      version === 0 ? Effect.succeed([]) : sql.unsafe<Row>(`SELECT ${columns} FROM ${table} ORDER BY name`))
  )

/** Keeps a caller. Gives whether the name is new. The tables are there. */
export const add = (sql: SqlClient.SqlClient, row: Row): Effect.Effect<boolean, GatewayError> =>
  io(Effect.map(
    sql<{ readonly name: string }>`INSERT INTO ${sql(table)} ${
      sql.insert({ ...row })
    } ON CONFLICT DO NOTHING RETURNING name`,
    (added) => added.length > 0
  ))

/** Removes a caller, and records when. The tables are there. */
export const revoke = (sql: SqlClient.SqlClient, name: string, now: number): Effect.Effect<void, GatewayError> =>
  io(sql.withTransaction(
    Effect.zipRight(
      sql`DELETE FROM ${sql(table)} WHERE name = ${name}`,
      sql`INSERT INTO ${sql(revocations)} (name, revoked) VALUES (${name}, ${now})
        ON CONFLICT (name) DO UPDATE SET revoked = ${now}`
    )
  )).pipe(Effect.asVoid)

/** Which of these names are those of callers, or of callers that were revoked. */
export const known = (
  sql: SqlClient.SqlClient,
  names: ReadonlyArray<string>
): Effect.Effect<ReadonlySet<string>, GatewayError> =>
  io(Effect.gen(function*() {
    const found = new Set<string>()
    for (const one of [table, revocations]) {
      if (names.length === 0 || !(yield* Migrations.isThere(sql, one))) continue
      const rows = yield* sql<{ readonly name: string }>`SELECT name FROM ${sql(one)} WHERE ${sql.in("name", names)}`
      for (const { name } of rows) found.add(name)
    }
    return found
  }))

/** Whether callers of an index were moved here. */
const wasMoved = (sql: SqlClient.SqlClient) =>
  Effect.map(sql`SELECT moved FROM wallet_caller_moves`, (found) => found.length > 0)

/** Takes callers of an index over, all or none of them, once. */
export const take = (
  sql: SqlClient.SqlClient,
  taken: ReadonlyArray<Row>,
  now: number
): Effect.Effect<void, GatewayError> =>
  io(sql.withTransaction(Effect.gen(function*() {
    if (yield* wasMoved(sql)) {
      return yield* refusals.caller(
        "callers were moved into the wallet before: add those that are missing by callers add"
      )
    }
    for (const row of taken) {
      if (!(yield* add(sql, row))) {
        return yield* refusals.caller(`the wallet has a caller ${row.name} already: revoke one of the two first`)
      }
    }
    yield* sql`INSERT INTO wallet_caller_moves (moved) VALUES (${now})`
  })))
