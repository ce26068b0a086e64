/**
 * The tables of payouts, by their migrations. Those that were released never change: `test/migrations` has
 * their statements. A program of the version before goes on while a migration is made, and after it until that program ends, so each
 * migration changes one table, and only adds what the other program need not write.
 */
import * as Migrations from "@effect-klaytn/store/Migrations"
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import type * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"

const migration = (
  name: string,
  make: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, SqlError>
): Migrations.Migration => ({ name, make: Effect.flatMap(SqlClient.SqlClient, make) })

/** Postgres cuts names at so many bytes. */
const maxBytes = 63

/** The name of an index: where it would be cut, it might be the name of a table. */
const indexName = (namespace: string, last: string): string => {
  const name = `${namespace}_${last}`
  return Buffer.byteLength(name) <= maxBytes
    ? name
    : `${last}_${createHash("sha256").update(namespace).digest("hex").slice(0, 16)}`
}

/** The longest namespace in bytes, in Postgres: with a longer one, two tables would have one name. */
const longest = maxBytes - "_payouts_".length

/** Creates a table with what belongs to it. A table that is there is not touched: its index would lock it. */
const create = (
  sql: SqlClient.SqlClient,
  table: string,
  statements: ReadonlyArray<Statement.Statement<unknown>>
) => Effect.unlessEffect(Effect.all(statements, { discard: true }), Migrations.isThere(sql, table))

const createPayouts = (sql: SqlClient.SqlClient, namespace: string) => {
  const payouts = sql(`${namespace}_payouts`)
  return create(sql, `${namespace}_payouts`, [
    sql`CREATE TABLE ${payouts} (
      id VARCHAR(255) PRIMARY KEY,
      sender VARCHAR(42) NOT NULL,
      content TEXT NOT NULL,
      state TEXT NOT NULL,
      tag VARCHAR(32) NOT NULL,
      version INTEGER NOT NULL,
      run INTEGER NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      since BIGINT NOT NULL,
      -- When a process last worked on it, and when the sweep last started it.
      worked_at BIGINT NOT NULL,
      swept_at BIGINT NOT NULL,
      -- The nonce that it offers to the next payment of its account.
      offers BIGINT,
      trace TEXT
    )`,
    sql`CREATE INDEX ${sql(indexName(namespace, "payouts_by_tag"))} ON ${payouts} (tag, updated_at)`,
    sql`CREATE INDEX ${sql(indexName(namespace, "payouts_by_offer"))} ON ${payouts} (sender, offers)`,
    sql`CREATE INDEX ${sql(indexName(namespace, "payouts_by_age"))} ON ${payouts} (created_at, id)`
  ])
}

const createChanges = (sql: SqlClient.SqlClient, namespace: string) => {
  const serial = sql.onDialectOrElse({
    pg: () => sql`BIGSERIAL PRIMARY KEY`,
    orElse: () => sql`INTEGER PRIMARY KEY AUTOINCREMENT`
  })
  return create(sql, `${namespace}_payout_changes`, [
    sql`CREATE TABLE ${sql(`${namespace}_payout_changes`)} (
      seq ${serial},
      payout VARCHAR(255) NOT NULL,
      version INTEGER NOT NULL,
      at BIGINT NOT NULL,
      event TEXT NOT NULL,
      state TEXT NOT NULL,
      UNIQUE (payout, version)
    )`
  ])
}

const createSpends = (sql: SqlClient.SqlClient, namespace: string) => {
  const spends = sql(`${namespace}_spends`)
  return create(sql, `${namespace}_spends`, [
    sql`CREATE TABLE ${spends} (
      id VARCHAR(255) PRIMARY KEY,
      at BIGINT NOT NULL,
      is_final SMALLINT NOT NULL,
      -- How often it was counted and not released.
      holders INTEGER NOT NULL,
      value_high BIGINT NOT NULL,
      value_low BIGINT NOT NULL,
      fee_high BIGINT NOT NULL,
      fee_low BIGINT NOT NULL
    )`,
    sql`CREATE INDEX ${sql(indexName(namespace, "spends_by_time"))} ON ${spends} (at)`,
    // The row that programs lock before they count a spend.
    sql`INSERT INTO ${sql(`${namespace}_values`)} (id, value) VALUES ('spends', 'x') ON CONFLICT DO NOTHING`
  ])
}

const createTables = (sql: SqlClient.SqlClient, namespace: string) =>
  Effect.all([
    create(sql, `${namespace}_values`, [
      sql`CREATE TABLE ${sql(`${namespace}_values`)} (id VARCHAR(255) PRIMARY KEY, value TEXT NOT NULL)`
    ]),
    createPayouts(sql, namespace),
    createChanges(sql, namespace),
    createSpends(sql, namespace)
  ])

/** The chain of a payout. The database takes it from the content, whichever program writes that. */
const addChain = (sql: SqlClient.SqlClient, namespace: string) => {
  const payouts = sql(`${namespace}_payouts`)
  // Postgres' functions of JSON refuse what a memo may contain, such as \u0000. In the JSON, a quote inside of a text has a
  // backslash before it, so this finds the field alone.
  const chain = sql.onDialectOrElse({
    pg: () => sql`(CAST(SUBSTRING(content FROM '"chain":([0-9]+),') AS INTEGER)) STORED`,
    orElse: () => sql`(json_extract(content, '$.chain')) VIRTUAL`
  })
  return Effect.all([
    sql`ALTER TABLE ${payouts} ADD COLUMN chain INTEGER GENERATED ALWAYS AS ${chain}`,
    sql`CREATE INDEX ${sql(indexName(namespace, "payouts_by_chain"))} ON ${payouts} (chain, sender)`
  ])
}

/** The nonce that a change reserved, if it did. */
const addReserved = (sql: SqlClient.SqlClient, namespace: string) => {
  const changes = sql(`${namespace}_payout_changes`)
  const nonce = sql.onDialectOrElse({
    pg: () =>
      sql`(CASE WHEN event LIKE '%"_tag":"Reserved"%'
        THEN CAST(SUBSTRING(event FROM '"nonce":([0-9]+)') AS BIGINT) END) STORED`,
    orElse: () =>
      sql`(CASE json_extract(event, '$._tag') WHEN 'Reserved' THEN json_extract(event, '$.nonce') END) VIRTUAL`
  })
  return Effect.all([
    sql`ALTER TABLE ${changes} ADD COLUMN reserved BIGINT GENERATED ALWAYS AS ${nonce}`,
    sql`CREATE INDEX ${
      sql(indexName(namespace, "payout_changes_by_nonce"))
    } ON ${changes} (reserved) WHERE reserved IS NOT NULL`
  ])
}

/** The ID of the limits under which a payout was stored. Those of older programs have none. */
const addLimits = (sql: SqlClient.SqlClient, namespace: string) =>
  sql`ALTER TABLE ${sql(`${namespace}_payouts`)} ADD COLUMN limits VARCHAR(64)`

/** The tables of a namespace. */
export const tables = (namespace: string): Migrations.Tables => ({
  name: "payouts",
  package: "@effect-klaytn/payouts",
  versions: `${namespace}_payouts_versions`,
  first: `${namespace}_values`,
  migrations: [
    migration("tables", (sql) => createTables(sql, namespace)),
    migration("chain", (sql) => addChain(sql, namespace)),
    migration("reserved", (sql) => addReserved(sql, namespace)),
    migration("limits", (sql) => addLimits(sql, namespace))
  ]
})

const checkNamespace = (sql: SqlClient.SqlClient, namespace: string): Effect.Effect<void, SqlError> => {
  const message = `a namespace of payouts has up to ${longest} bytes in Postgres, which cuts the names of tables: ` +
    `${JSON.stringify(namespace.slice(0, 80))} is longer. Nothing was written`
  return sql.onDialectOrElse({
    pg: () =>
      Buffer.byteLength(namespace) <= longest
        ? Effect.void
        : Effect.fail(new SqlError({ cause: new Error(message), message })),
    orElse: () => Effect.void
  })
}

/** Brings the tables of a namespace to the version of this program. */
export const upgrade = (namespace: string) =>
  Effect.zipRight(
    Effect.flatMap(SqlClient.SqlClient, (sql) => checkNamespace(sql, namespace)),
    Migrations.upgrade(tables(namespace))
  )

/** Brings the tables to the version of this program, and logs what was done to older ones. */
export const open = (sql: SqlClient.SqlClient, namespace: string) =>
  upgrade(namespace).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.flatMap((done) =>
      Migrations.isUpgrade(done) ? Effect.logInfo(`upgraded tables: ${Migrations.describe(done)}`) : Effect.void
    )
  )
