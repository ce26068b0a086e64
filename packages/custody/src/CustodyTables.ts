/**
 * The tables of a wallet, by their migrations. Each chain has tables of its own, so that no statement can mix them.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import type { Tables } from "@effect-klaytn/store/Migrations"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as tables from "./internal/tables.js"
import { poolTypes } from "./WalletRecord.js"

type Make = (sql: SqlClient.SqlClient, chain: Chain) => Effect.Effect<unknown, SqlError>

/** The types of columns that the dialects call differently. */
const types = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({
    pg: () => ({ id: sql`BIGSERIAL PRIMARY KEY`, bytes: sql`BYTEA` }),
    orElse: () => ({ id: sql`INTEGER PRIMARY KEY AUTOINCREMENT`, bytes: sql`BLOB` })
  })

const createPools: Make = (sql, chain) => {
  const { bytes, id } = types(sql)
  const name = (table: string) => sql(tables.nameOf(table, chain))
  return Effect.all([
    sql`CREATE TABLE ${name("pools")} (
      id ${id}, type TEXT NOT NULL, name TEXT NOT NULL, created BIGINT NOT NULL, UNIQUE (type, name)
    )`,
    ...poolTypes.map((type) => sql`INSERT INTO ${name("pools")} (type, name, created) VALUES (${type}, 'default', 0)`),
    // A deleted key keeps its row, without the secret, so that a cursor at it stays valid. Deleted accounts do, too.
    sql`CREATE TABLE ${name("keys")} (
      id ${id}, pool BIGINT NOT NULL, hash ${bytes} NOT NULL UNIQUE, public_key ${bytes} NOT NULL, sealed ${bytes},
      created BIGINT NOT NULL
    )`,
    sql`CREATE INDEX ${name("keys_pool")} ON ${name("keys")} (pool, id)`,
    sql`CREATE INDEX ${name("keys_public")} ON ${name("keys")} (public_key)`
  ])
}

const createAccounts: Make = (sql, chain) => {
  const { bytes, id } = types(sql)
  const name = (table: string) => sql(tables.nameOf(table, chain))
  return Effect.all([
    sql`CREATE TABLE ${name("accounts")} (
      id ${id}, pool BIGINT NOT NULL, address ${bytes} NOT NULL, key BIGINT NOT NULL, disabled INTEGER NOT NULL,
      created BIGINT NOT NULL, updated BIGINT NOT NULL, deleted BIGINT, threshold INTEGER, keys TEXT
    )`,
    sql`CREATE UNIQUE INDEX ${name("accounts_address")} ON ${name("accounts")} (address) WHERE deleted IS NULL`,
    sql`CREATE INDEX ${name("accounts_pool")} ON ${name("accounts")} (pool, id)`,
    sql`CREATE INDEX ${name("accounts_key")} ON ${name("accounts")} (key)`,
    sql`CREATE TABLE ${name("pending")} (
      id ${id}, transaction_id ${bytes} NOT NULL UNIQUE, account ${bytes} NOT NULL, raw ${bytes} NOT NULL,
      payer TEXT NOT NULL, threshold INTEGER NOT NULL, keys TEXT NOT NULL, status INTEGER NOT NULL, hash ${bytes},
      created BIGINT NOT NULL, updated BIGINT NOT NULL
    )`,
    sql`CREATE INDEX ${name("pending_account")} ON ${name("pending")} (account, id)`
  ])
}

const createSends: Make = (sql, chain) => {
  const { bytes, id } = types(sql)
  const name = (table: string) => sql(tables.nameOf(table, chain))
  return Effect.all([
    sql`CREATE TABLE ${name("sends")} (
      id ${id}, account ${bytes} NOT NULL, nonce BIGINT NOT NULL, hash ${bytes} NOT NULL, sender_hash ${bytes} NOT NULL,
      raw ${bytes} NOT NULL, state INTEGER NOT NULL, cancels INTEGER NOT NULL, attempts INTEGER NOT NULL,
      request TEXT, created BIGINT NOT NULL, updated BIGINT NOT NULL
    )`,
    // What takes the nonce: one live transaction, beside which a cancellation of it may be live.
    sql`CREATE UNIQUE INDEX ${name("sends_nonce")} ON ${name("sends")} (account, nonce)
      WHERE state <= 1 AND cancels = 0`,
    sql`CREATE UNIQUE INDEX ${name("sends_hash")} ON ${name("sends")} (hash)`,
    sql`CREATE INDEX ${name("sends_request")} ON ${name("sends")} (request, id) WHERE request IS NOT NULL`,
    sql`CREATE INDEX ${name("sends_open")} ON ${name("sends")} (account, nonce) WHERE state = 0`,
    sql`CREATE TABLE ${name("requests")} (
      id TEXT NOT NULL PRIMARY KEY, digest ${bytes} NOT NULL, status INTEGER, answer TEXT, created BIGINT NOT NULL
    )`,
    sql`CREATE TABLE ${name("facts")} (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)`,
    // Secrets that are no caller's key: no operation names them.
    sql`CREATE TABLE ${name("secrets")} (
      name TEXT NOT NULL PRIMARY KEY, public_key ${bytes} NOT NULL, sealed ${bytes} NOT NULL
    )`
  ])
}

/** Old requests are found by their age, and the sends of an account by their nonces. */
const indexRequests: Make = (sql, chain) => {
  const name = (table: string) => sql(tables.nameOf(table, chain))
  return Effect.all([
    sql`CREATE INDEX ${name("requests_created")} ON ${name("requests")} (created)`,
    sql`CREATE INDEX ${name("sends_mined")} ON ${name("sends")} (account, nonce) WHERE state = 1`
  ])
}

/** What `blob` of a key was in answers that were stored. */
const withoutBlobs = (answer: string): string => answer.replaceAll(/"blob":"0x[0-9a-f]*"/gi, `"blob":"0x"`)

/**
 * What a request with a key has made or changed, beside its sends. `kept`: the request is kept for good, without its answer. Answers
 * have no sealed secrets any more.
 */
const createEffects: Make = (sql, chain) =>
  Effect.gen(function*() {
    const { bytes, id } = types(sql)
    const name = (table: string) => sql(tables.nameOf(table, chain))
    yield* sql`CREATE TABLE ${name("effects")} (
      id ${id}, request TEXT NOT NULL, effect TEXT NOT NULL, subject ${bytes} NOT NULL, UNIQUE (request, effect, subject)
    )`
    yield* sql`ALTER TABLE ${name("requests")} ADD COLUMN kept INTEGER NOT NULL DEFAULT 0`
    yield* sql`DROP INDEX ${name("requests_created")}`
    yield* sql`CREATE INDEX ${name("requests_young")} ON ${name("requests")} (created) WHERE kept = 0`
    const stored = yield* sql<{ readonly id: string; readonly answer: string }>`
      SELECT id, answer FROM ${name("requests")} WHERE answer LIKE '%"blob":%'`
    for (const { answer, id } of stored) {
      yield* sql`UPDATE ${name("requests")} SET answer = ${withoutBlobs(answer)} WHERE id = ${id}`
    }
  })

/**
 * A payment may have several attempts at its nonce, each at a higher price; `payment` is the first of them. `refused`, `refusal` and `refusal_kind` are the first
 * refusal in a row; `leased` is the second until which one owner repairs the send; `winner` is the transaction that a block has at the
 * nonce, and `why` the reason of a cancellation. Seconds are Unix seconds.
 */
const liveSends: Make = (sql, chain) => {
  const { bytes } = types(sql)
  const name = (table: string) => sql(tables.nameOf(table, chain))
  const add = (column: Statement.Fragment) => sql`ALTER TABLE ${name("sends")} ADD COLUMN ${column}`
  return Effect.all([
    add(sql`attempt INTEGER NOT NULL DEFAULT 0`),
    add(sql`payment BIGINT`),
    add(sql`price TEXT`),
    add(sql`caller TEXT`),
    // Sends of older versions are raised if all of their signatures are the wallet's.
    add(sql`raisable INTEGER NOT NULL DEFAULT 1`),
    add(sql`refused BIGINT`),
    add(sql`refusal TEXT`),
    add(sql`refusal_kind TEXT`),
    add(sql`leased BIGINT NOT NULL DEFAULT 0`),
    add(sql`winner ${bytes}`),
    add(sql`why TEXT`),
    sql`DROP INDEX ${name("sends_nonce")}`,
    sql`CREATE UNIQUE INDEX ${name("sends_attempt")} ON ${name("sends")} (account, nonce, attempt)
      WHERE state <= 1 AND cancels = 0`
  ])
}
/** When a key was deleted, in Unix seconds. Its secret stays until it is destroyed. Keys without a secret are destroyed. */
const createDeletions: Make = (sql, chain) =>
  Effect.gen(function*() {
    const name = (table: string) => sql(tables.nameOf(table, chain))
    yield* sql`ALTER TABLE ${name("keys")} ADD COLUMN deleted BIGINT`
    yield* sql`UPDATE ${name("keys")} SET deleted = 0 WHERE sealed IS NULL`
    yield* sql`CREATE INDEX ${name("keys_deleted")} ON ${
      name("keys")
    } (deleted) WHERE deleted IS NOT NULL AND sealed IS NOT NULL`
    yield* sql`CREATE INDEX ${name("accounts_shared")} ON ${name("accounts")} (id) WHERE keys IS NOT NULL`
  })

/**
 * How many sends and held transactions a caller has, and the nonces of held ones, which those of older versions have in their bytes alone.
 * The keys of those that wait are read from an index: a row has the bytes, which are large.
 */
const createBounds: Make = (sql, chain) => {
  const name = (table: string) => sql(tables.nameOf(table, chain))
  return Effect.all([
    sql`CREATE INDEX ${name("sends_caller")} ON ${name("sends")} (caller, account)
      WHERE state = 0 AND cancels = 0 AND payment IS NULL`,
    sql`ALTER TABLE ${name("pending")} ADD COLUMN caller TEXT`,
    sql`ALTER TABLE ${name("pending")} ADD COLUMN nonce BIGINT`,
    sql`CREATE INDEX ${name("pending_waiting")} ON ${name("pending")} (account, nonce) WHERE status = 2`,
    sql`CREATE INDEX ${name("pending_caller")} ON ${name("pending")} (caller, account) WHERE status = 2`,
    sql`CREATE INDEX ${name("pending_keys")} ON ${name("pending")} (keys) WHERE status = 2`
  ])
}

/** With which credential a caller asked for something: its name may be that of another caller by now. */
const nameCredentials: Make = (sql, chain) =>
  Effect.all(
    ["sends", "pending"].map((table) => sql`ALTER TABLE ${sql(tables.nameOf(table, chain))} ADD COLUMN credential TEXT`)
  )

/** The migrations of a chain's tables. One that was released never changes. */
const migrations: ReadonlyArray<{ readonly name: string; readonly make: ReadonlyArray<Make> }> = [
  { name: "create", make: [createPools, createAccounts, createSends] },
  { name: "ages", make: [indexRequests] },
  { name: "effects", make: [createEffects] },
  { name: "lives", make: [liveSends] },
  { name: "deletions", make: [createDeletions] },
  { name: "bounds", make: [createBounds] },
  { name: "credentials", make: [nameCredentials] }
]

/**
 * The name of a table of a chain's wallet, as `wallet_facts_8217`.
 *
 * @category constructors
 */
export const nameOf: (table: string, chain: Chain) => string = tables.nameOf

/**
 * The tables of one chain's wallet.
 *
 * @category constructors
 */
export const make = (chain: Chain): Tables => ({
  name: "the wallet",
  package: "@effect-klaytn/custody",
  versions: tables.nameOf("versions", chain),
  first: tables.nameOf("pools", chain),
  migrations: migrations.map(({ make, name }) => ({
    name,
    make: Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => Effect.forEach(make, (one) => one(sql, chain), { discard: true })
    )
  }))
})
