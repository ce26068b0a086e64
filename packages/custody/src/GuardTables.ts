/**
 * The tables that guard a wallet: the keys that seal the secrets, the audit log, what callers have sent, whether the wallet is
 * frozen, and which process uses an account.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import type { Tables } from "@effect-klaytn/store/Migrations"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as tables from "./internal/tables.js"

type Make = (sql: SqlClient.SqlClient, chain: Chain) => Effect.Effect<unknown, SqlError>

const create: Make = (sql, chain) => {
  const bytes = sql.onDialectOrElse({ pg: () => sql`BYTEA`, orElse: () => sql`BLOB` })
  const name = (table: string) => sql(tables.nameOf(table, chain))
  return Effect.all([
    // `link` is the next root, sealed by the root before, for processes that have that one.
    sql`CREATE TABLE ${name("roots")} (
      generation BIGINT PRIMARY KEY, wrapped ${bytes} NOT NULL, link ${bytes}, created BIGINT NOT NULL
    )`,
    sql`CREATE TABLE ${name("sealed")} (name TEXT PRIMARY KEY, sealed ${bytes} NOT NULL)`,
    sql`CREATE TABLE ${name("audit")} (number BIGINT PRIMARY KEY, line TEXT NOT NULL, hash ${bytes} NOT NULL)`,
    sql`CREATE TABLE ${name("spent")} (
      caller TEXT NOT NULL, pool TEXT NOT NULL, day BIGINT NOT NULL, amount TEXT NOT NULL,
      PRIMARY KEY (caller, pool, day)
    )`,
    sql`CREATE TABLE ${name("frozen")} (id INTEGER PRIMARY KEY, since BIGINT NOT NULL, reason TEXT NOT NULL)`
  ])
}

/** What processes hold while they use an account, see `SqlLocks`. `until` is in Unix seconds. */
const createLocks: Make = (sql, chain) =>
  sql`CREATE TABLE ${sql(tables.nameOf("locks", chain))} (
    name TEXT NOT NULL PRIMARY KEY, holder TEXT NOT NULL, until DOUBLE PRECISION NOT NULL
  )`

/** The migrations. One that was released never changes. */
const migrations: ReadonlyArray<{ readonly name: string; readonly make: Make }> = [
  { name: "create", make: create },
  { name: "locks", make: createLocks }
]

/**
 * The tables that guard the wallet of one chain.
 *
 * @category constructors
 */
export const make = (chain: Chain): Tables => ({
  name: "the wallet's guard",
  package: "@effect-klaytn/custody",
  versions: tables.nameOf("guard_versions", chain),
  first: tables.nameOf("roots", chain),
  migrations: migrations.map(({ make, name }) => ({
    name,
    make: Effect.flatMap(SqlClient.SqlClient, (sql) => make(sql, chain))
  }))
})
