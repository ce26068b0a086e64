import type { Chain } from "@effect-klaytn/core/Chain"
import { bytesOf, type Hex } from "@effect-klaytn/transaction/Hex"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../CustodyError.js"
import type { Counts } from "../WalletStore.js"
import * as rows from "./rows.js"

/** The name of a table of a chain's wallet. */
export const nameOf = (table: string, chain: Chain): string => `wallet_${table}_${chain}`

/** The names of the tables of a chain's wallet, in the order of the alphabet. */
export const namesOf = (
  sql: SqlClient.SqlClient,
  chain: Chain
): Effect.Effect<ReadonlyArray<string>, StoreFailure> =>
  Effect.map(
    rows.select(
      "tables",
      sql.onDialectOrElse({
        pg: () =>
          sql`SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND pg_table_is_visible(oid) ORDER BY relname`,
        orElse: () => sql`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`
      }),
      (row) => rows.text(row, "name")
    ),
    (names) => names.filter((name) => name.startsWith("wallet_") && name.endsWith(`_${chain}`))
  )

/** How many rows there are, in all and of an account. */
export const countsOf = (
  sql: SqlClient.SqlClient,
  account: Hex,
  from: Fragment
): Effect.Effect<Counts, StoreFailure> =>
  Effect.map(
    rows.first(
      "count",
      sql`SELECT count(*) AS total, count(CASE WHEN account = ${bytesOf(account)} THEN 1 END) AS own FROM ${from}`,
      (row) => ({ all: rows.number(row, "total"), ofAccount: rows.number(row, "own") })
    ),
    (counts = { all: 0, ofAccount: 0 }) => counts
  )

/** Runs effects in one transaction. */
export const atomically =
  (sql: SqlClient.SqlClient, operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreFailure, R> =>
    sql.withTransaction(effect).pipe(
      Effect.catchIf(rows.isSqlError, (error) => rows.failed(operation)(error)),
      Effect.withTracerEnabled(false)
    )
