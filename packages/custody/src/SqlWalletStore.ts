/**
 * The rows of a wallet in a database of `@effect/sql`.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import { bytesOf, type Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import { CurrentRequest } from "./CurrentRequest.js"
import type { StoreFailure } from "./CustodyError.js"
import * as rows from "./internal/rows.js"
import * as tables from "./internal/tables.js"
import {
  type Key,
  type MultiSig,
  type Payer,
  type Pending,
  pendingBefore,
  type PendingStatus,
  pendingStatuses,
  type Pool,
  type PoolType,
  poolTypes,
  type WalletAccount,
  type WeightedKey
} from "./WalletRecord.js"
import type { DeletedKey, EffectKind, WalletStore } from "./WalletStore.js"

type Row = rows.Row

const poolType = (row: Row, column: string): PoolType => {
  const stored = rows.cell(row, column)
  const found = poolTypes.find((type) => type === stored)
  if (found === undefined) throw new TypeError("a stored pool has no known type")
  return found
}

/** Reads the columns of a pool, whose names have a prefix where those of another table are beside them. */
const poolIn = (prefix: "" | "pool_" | "key_pool_") => (row: Row): Pool => ({
  id: rows.number(row, `${prefix}id`),
  type: poolType(row, `${prefix}type`),
  name: rows.text(row, `${prefix}name`),
  createdAt: rows.number(row, `${prefix}created`)
})

const toPool = poolIn("")
const poolOfAccount = poolIn("pool_")
const poolOfKey = poolIn("key_pool_")

/** The columns of the pool `alias`. */
const poolColumns = (alias: string, prefix: string) =>
  ["id", "type", "name", "created"].map((column) => `${alias}.${column} AS ${prefix}${column}`).join(", ")

// A deleted key has no secret for whoever reads it.
const keyColumns = "k.id AS key_id, k.hash AS key_hash, k.public_key AS key_public, " +
  `CASE WHEN k.deleted IS NULL THEN k.sealed END AS key_sealed, ${poolColumns("o", "key_pool_")}`

const toKey = (row: Row): Key => ({
  id: rows.number(row, "key_id"),
  hash: rows.hex(row, "key_hash"),
  publicKey: rows.hex(row, "key_public"),
  sealed: rows.optional(rows.bytes)(row, "key_sealed"),
  pool: poolOfKey(row)
})

const optionalText = rows.optional(rows.text)

const isWeighted = (one: unknown): one is WeightedKey =>
  typeof one === "object" && one !== null && "publicKey" in one && typeof one.publicKey === "string" &&
  "weight" in one && typeof one.weight === "number"

const weightedKeys = (row: Row): ReadonlyArray<WeightedKey> => {
  const value: unknown = JSON.parse(rows.text(row, "keys"))
  if (!Array.isArray(value) || !value.every(isWeighted)) throw new TypeError("stored keys have another form")
  return value
}

const accountColumns =
  ["id", "address", "disabled", "created", "updated", "threshold", "keys"].map((column) => `a.${column} AS ${column}`)
    .join(", ") + `, ${poolColumns("p", "pool_")}, ${keyColumns}`

const toAccount = (row: Row): WalletAccount => {
  const threshold = rows.optional(rows.number)(row, "threshold")
  return {
    id: rows.number(row, "id"),
    address: rows.hex(row, "address"),
    isDisabled: rows.number(row, "disabled") === 1,
    createdAt: rows.number(row, "created"),
    updatedAt: rows.number(row, "updated"),
    multiSig: threshold === undefined
      ? undefined
      : { threshold, keys: rows.optional(() => weightedKeys(row))(row, "keys") ?? [] },
    pool: poolOfAccount(row),
    key: toKey(row)
  }
}

const payerOf = (row: Row): Payer => {
  const value = rows.text(row, "payer")
  return value === "sender" || value === "global" ? value : `0x${value.slice(2)}`
}

/** The nonce in the bytes of a transaction. */
const nonceIn = (row: Row): bigint => {
  const read = Transaction.decode(rows.hex(row, "raw"), { unprotected: true })
  if (!read.ok) throw new TypeError("a stored cell is not a transaction")
  return read.value.nonce
}

/** The bytes of a transaction. */
const transactionBytes = (row: Row): Hex => {
  const raw = rows.hex(row, "raw")
  if (!Transaction.decode(raw, { unprotected: true }).ok) throw new TypeError("a stored cell is not a transaction")
  return raw
}

const pendingFields =
  "id, transaction_id, account, raw, payer, threshold, keys, status, hash, created, updated, caller, credential"

const pendingColumns = pendingFields.split(", ").map((field) => `w.${field} AS ${field}`).join(", ")

const statusOf = (row: Row): PendingStatus => {
  const stored = rows.number(row, "status")
  const found = Object.values(pendingStatuses).find((status) => status === stored)
  if (found === undefined) throw new TypeError("a stored transaction has no known status")
  return found
}

const toPending = (row: Row): Pending => ({
  id: rows.number(row, "id"),
  transactionId: rows.hex(row, "transaction_id"),
  account: rows.hex(row, "account"),
  raw: transactionBytes(row),
  payer: payerOf(row),
  caller: optionalText(row, "caller"),
  credential: optionalText(row, "credential"),
  multiSig: { threshold: rows.number(row, "threshold"), keys: weightedKeys(row) },
  status: statusOf(row),
  hash: rows.optional(rows.hex)(row, "hash"),
  createdAt: rows.number(row, "created"),
  updatedAt: rows.number(row, "updated")
})

const latest = Number.MAX_SAFE_INTEGER

/** What the parts of a store work with: a statement's text without parameters is written as it is. */
interface Names {
  readonly sql: SqlClient.SqlClient
  /** Stores a change with what it does for a request. */
  readonly marked: ReturnType<typeof effectsOf>["marked"]
  /** The table of this chain. */
  readonly table: (name: string) => ReturnType<SqlClient.SqlClient["literal"]>
  /** Reads rows of the table, without those that can't be read. */
  readonly passingOver: (name: string) => ReturnType<typeof rows.passingOver>
}

/** The tables of pools, keys and accounts with the names that their columns have above. */
const joined = ({ sql, table }: Pick<Names, "sql" | "table">) => ({
  keys: sql`k.id AS id, ${sql.literal(keyColumns)} FROM ${table("keys")} k JOIN ${table("pools")} o ON o.id = k.pool`,
  accounts: sql`${sql.literal(accountColumns)} FROM ${table("accounts")} a JOIN ${table("pools")} p ON p.id = a.pool
    JOIN ${table("keys")} k ON k.id = a.key JOIN ${table("pools")} o ON o.id = k.pool`
})

/** What a request with a key has made or changed, and how a change is stored together with that. */
const effectsOf = ({ sql, table }: Pick<Names, "sql" | "table">) => {
  const find = (request: string, kind: EffectKind) =>
    rows.select(
      "effects",
      sql`SELECT subject FROM ${table("effects")} WHERE request = ${request} AND effect = ${kind} ORDER BY id`,
      (row) => rows.hex(row, "subject")
    )
  const insert = (request: string, kind: EffectKind, subject: Hex) =>
    rows.change(
      "effects",
      sql`INSERT INTO ${table("effects")} (request, effect, subject) VALUES (${request}, ${kind}, ${bytesOf(subject)})
        ON CONFLICT DO NOTHING`
    )
  return {
    effects: (kind: EffectKind) =>
      Effect.flatMap(CurrentRequest, (request) => request === undefined ? Effect.succeed([]) : find(request, kind)),
    mark: (kind: EffectKind, subject: Hex) =>
      Effect.flatMap(CurrentRequest, (request) => request === undefined ? Effect.void : insert(request, kind, subject)),
    marked: (kind: EffectKind, subject: Hex, change: Effect.Effect<void, StoreFailure>) =>
      Effect.flatMap(CurrentRequest, (request) =>
        request === undefined
          ? change
          : tables.atomically(sql, "effects")(Effect.zipRight(insert(request, kind, subject), change)))
  }
}

const poolPart = ({ passingOver, sql, table }: Names): Pick<WalletStore, "pools" | "addPool"> => ({
  pools: passingOver("pools").select(
    "pools",
    sql`SELECT id, type, name, created FROM ${table("pools")} ORDER BY id DESC`,
    toPool
  ),
  addPool: (type, name, now) =>
    rows.change(
      "addPool",
      sql`INSERT INTO ${table("pools")} (type, name, created) VALUES (${type}, ${name}, ${now})
        ON CONFLICT (type, name) DO NOTHING`
    )
})

type KeyPart = Pick<
  WalletStore,
  "addKey" | "key" | "keys" | "dropKey" | "deletedKeys" | "destroyKey" | "reviveKey" | "countKeys"
>

/** Whether the account `u` has the key `k` among its keys. */
const isShared = (sql: SqlClient.SqlClient) =>
  sql`u.keys IS NOT NULL AND u.keys LIKE '%' || ${
    sql.literal(
      sql.onDialectOrElse({ pg: () => "encode(k.public_key, 'hex')", orElse: () => "lower(hex(k.public_key))" })
    )
  } || '%'`

/** Whether an account uses the key `k`, alone or with others. */
const isUsed = ({ sql, table }: Pick<Names, "sql" | "table">) =>
  sql`(EXISTS (SELECT 1 FROM ${table("accounts")} u WHERE u.deleted IS NULL AND u.key = k.id)
    OR EXISTS (SELECT 1 FROM ${table("accounts")} u WHERE u.deleted IS NULL AND ${isShared(sql)}))`

/** Has the time of deleted keys begin anew that an account uses: done before it lets go of them, so that none is destroyed in between. */
const letGo = ({ sql, table }: Pick<Names, "sql" | "table">, { id, key }: WalletAccount, now: number) =>
  rows.change(
    "letGo",
    sql`UPDATE ${table("keys")} SET deleted = ${now} WHERE id IN (
      SELECT k.id FROM ${table("keys")} k WHERE k.deleted IS NOT NULL AND k.sealed IS NOT NULL
        AND (k.id = ${key.id} OR EXISTS (SELECT 1 FROM ${table("accounts")} u WHERE u.id = ${id} AND ${isShared(sql)}))
    )`
  )

/** How many rows there are. */
const countOf = ({ sql }: Pick<Names, "sql">) => (from: Fragment) =>
  Effect.map(
    rows.first("count", sql`SELECT count(*) AS found FROM ${from}`, (row) => rows.number(row, "found")),
    (count = 0) => count
  )

const keyPart = (names: Names): KeyPart => {
  const { marked, sql, table } = names
  const from = joined(names).keys
  const used = isUsed(names)
  const readable = names.passingOver("keys")
  return {
    addKey: (pool, { hash, publicKey, sealed }, now) =>
      marked(
        "key",
        hash,
        rows.change(
          "createKey",
          sql`INSERT INTO ${table("keys")} (pool, hash, public_key, sealed, created)
            VALUES (${pool.id}, ${bytesOf(hash)}, ${bytesOf(publicKey)}, ${sealed}, ${now})`
        )
      ),
    key: (hash) => rows.first("key", sql`SELECT ${from} WHERE k.hash = ${bytesOf(hash)}`, toKey),
    keys: (pool, { before = latest, limit }) =>
      readable.fill(
        "keys",
        { before, limit },
        (last, wanted) =>
          sql`SELECT ${from} WHERE k.pool = ${pool.id} AND k.id < ${last} AND k.sealed IS NOT NULL AND k.deleted IS NULL
          ORDER BY k.id DESC LIMIT ${wanted}`,
        toKey
      ),
    dropKey: ({ hash, id }, now) =>
      marked(
        "dropped key",
        hash,
        rows.change("dropKey", sql`UPDATE ${table("keys")} SET deleted = ${now} WHERE id = ${id} AND deleted IS NULL`)
      ),
    deletedKeys: Effect.gen(function*() {
      const owners = yield* names.passingOver("accounts").select(
        "deletedKeys",
        sql`SELECT a.id AS id, a.key AS key, a.address AS address FROM ${table("accounts")} a JOIN ${
          table("keys")
        } k ON k.id = a.key
          WHERE k.deleted IS NOT NULL AND k.sealed IS NOT NULL ORDER BY a.id`,
        (row) => ({ key: rows.number(row, "key"), address: rows.hex(row, "address") })
      )
      const addresses = Array.groupBy(owners, ({ key }) => `${key}`)
      return yield* readable.select(
        "deletedKeys",
        sql`SELECT k.deleted AS deleted, CASE WHEN ${used} THEN 1 ELSE 0 END AS used, ${from}
          WHERE k.deleted IS NOT NULL AND k.sealed IS NOT NULL ORDER BY k.deleted, k.id`,
        (row): DeletedKey => {
          const key = toKey(row)
          return {
            key,
            deletedAt: rows.number(row, "deleted"),
            addresses: [...new Set(addresses[`${key.id}`]?.map(({ address }) => address))],
            isUsed: rows.number(row, "used") === 1
          }
        }
      )
    }),
    destroyKey: ({ hash }, before) =>
      rows.change(
        "destroyKey",
        sql`UPDATE ${table("keys")} SET sealed = NULL WHERE id IN (
          SELECT k.id FROM ${table("keys")} k WHERE k.hash = ${bytesOf(hash)} AND k.deleted < ${before} AND NOT ${used}
        )`
      ),
    reviveKey: ({ hash }, sealed) =>
      rows.change(
        "reviveKey",
        sealed === undefined
          ? sql`UPDATE ${table("keys")} SET deleted = NULL WHERE hash = ${bytesOf(hash)} AND sealed IS NOT NULL`
          : sql`UPDATE ${table("keys")} SET deleted = NULL, sealed = ${sealed} WHERE hash = ${bytesOf(hash)}`
      ),
    countKeys: countOf(names)(sql`${table("keys")} WHERE sealed IS NOT NULL AND deleted IS NULL`)
  }
}

type AccountPart = Pick<
  WalletStore,
  | "addAccount"
  | "account"
  | "accounts"
  | "placeOf"
  | "accountsOfKey"
  | "usersOfKey"
  | "countAccounts"
  | "setDisabled"
  | "setMultiSig"
  | "deletedAccount"
  | "reviveAccount"
  | "dropAccount"
>

const accountPart = (names: Names): AccountPart => {
  const { marked, sql, table } = names
  const from = joined(names).accounts
  const readable = names.passingOver("accounts")
  const accounts = table("accounts")
  const one = (address: Hex) =>
    rows.first("account", sql`SELECT ${from} WHERE a.address = ${bytesOf(address)} AND a.deleted IS NULL`, toAccount)
  return {
    addAccount: (pool, address, key, now) =>
      marked(
        "account",
        address,
        rows.change(
          "createAccount",
          sql`INSERT INTO ${accounts} (pool, address, key, disabled, created, updated)
            VALUES (${pool.id}, ${bytesOf(address)}, ${key.id}, 0, ${now}, ${now})`
        )
      ),
    account: one,
    accounts: (pool, { before = latest, from: earliest = 0, limit, to = latest }) =>
      readable.fill(
        "accounts",
        { before, limit },
        (last, wanted) =>
          sql`SELECT ${from} WHERE a.pool = ${pool.id} AND a.id < ${last} AND a.created >= ${earliest}
          AND a.created <= ${to} AND a.deleted IS NULL ORDER BY a.id DESC LIMIT ${wanted}`,
        toAccount
      ),
    placeOf: (pool, address, createdAt) => {
      const find = (more: string) =>
        rows.first(
          "accounts",
          sql`SELECT id FROM ${accounts} WHERE pool = ${pool.id} AND address = ${bytesOf(address)}
            AND created = ${createdAt} ${sql.literal(more)} ORDER BY id DESC LIMIT 1`,
          (row) => rows.number(row, "id")
        )
      // The index of addresses has no deleted accounts. Those are looked for among all of the pool.
      return Effect.flatMap(find("AND deleted IS NULL"), (id) => id === undefined ? find("") : Effect.succeed(id))
    },
    accountsOfKey: (publicKey) =>
      readable.select(
        "accountsOfKey",
        sql`SELECT ${from} WHERE k.public_key = ${bytesOf(publicKey)} AND a.deleted IS NULL ORDER BY a.id DESC`,
        toAccount
      ),
    usersOfKey: ({ id }) =>
      rows.select(
        "usersOfKey",
        sql`SELECT u.address AS address FROM ${accounts} u, ${table("keys")} k
          WHERE k.id = ${id} AND u.deleted IS NULL AND (u.key = k.id OR (${isShared(sql)})) ORDER BY u.id`,
        (row) => rows.hex(row, "address")
      ),
    countAccounts: (pool) => countOf(names)(sql`${accounts} WHERE pool = ${pool.id} AND deleted IS NULL`),
    setDisabled: ({ address, id }, isDisabled, now) =>
      marked(
        isDisabled ? "disabled" : "enabled",
        address,
        rows.change(
          "setDisabled",
          sql`UPDATE ${accounts} SET disabled = ${isDisabled ? 1 : 0}, updated = ${now} WHERE id = ${id}`
        )
      ),
    setMultiSig: (account, multiSig: MultiSig | undefined, now) =>
      Effect.zipRight(
        letGo(names, account, now),
        rows.change(
          "afterUpdate",
          sql`UPDATE ${accounts} SET threshold = ${multiSig?.threshold ?? null},
            keys = ${multiSig === undefined ? null : JSON.stringify(multiSig.keys)}, updated = ${now}
            WHERE id = ${account.id}`
        )
      ),
    deletedAccount: (address) =>
      rows.first(
        "account",
        sql`SELECT ${from} WHERE a.address = ${bytesOf(address)} AND a.deleted IS NOT NULL ORDER BY a.id DESC LIMIT 1`,
        toAccount
      ),
    // The key first: an account without its key would be one that can't sign.
    reviveAccount: ({ id, key }, now) =>
      Effect.zipRight(
        rows.change(
          "reviveAccount",
          sql`UPDATE ${table("keys")} SET deleted = NULL WHERE id = ${key.id} AND sealed IS NOT NULL`
        ),
        rows.change("reviveAccount", sql`UPDATE ${accounts} SET deleted = NULL, updated = ${now} WHERE id = ${id}`)
      ),
    dropAccount: (account, now) =>
      marked(
        "dropped account",
        account.address,
        Effect.all([
          letGo(names, account, now),
          rows.change(
            "dropAccount",
            sql`UPDATE ${accounts} SET deleted = ${now}, updated = ${now} WHERE id = ${account.id}`
          ),
          rows.change(
            "dropAccount",
            sql`UPDATE ${table("keys")} SET deleted = ${now} WHERE deleted IS NULL AND id IN (
              SELECT k.id FROM ${table("keys")} k WHERE k.id = ${account.key.id} AND NOT ${isUsed(names)}
            )`
          )
        ], { discard: true })
      )
  }
}

type PendingPart = Pick<
  WalletStore,
  "addPending" | "pending" | "hasPending" | "waiting" | "awaitedKeys" | "heldFrom" | "countHeld" | "updatePending"
>

/** What is read of transactions that wait for signatures. */
const pendingReads = (
  { passingOver, sql, table }: Names
): Omit<PendingPart, "addPending" | "updatePending"> => {
  const readable = passingOver("pending")
  const from = sql`${sql.literal(pendingColumns)} FROM ${table("pending")} w`
  /** The rows that wait for an account's transactions, or for signatures by keys. */
  const idsOf = (account: Hex, publicKeys: ReadonlyArray<Hex>) =>
    publicKeys.reduce(
      (ids, key) => sql`${ids} UNION SELECT id FROM ${table("pending")} WHERE status = 2 AND keys LIKE ${`%${key}%`}`,
      sql`SELECT id FROM ${table("pending")} WHERE account = ${bytesOf(account)} AND status = 2`
    )
  return {
    pending: (transactionId) =>
      rows.first("pending", sql`SELECT ${from} WHERE w.transaction_id = ${bytesOf(transactionId)}`, toPending),
    hasPending: (transactionId) =>
      Effect.map(
        rows.first(
          "pending",
          sql`SELECT 1 AS one FROM ${table("pending")} WHERE transaction_id = ${bytesOf(transactionId)}`,
          rows.exists
        ),
        (found) => found !== undefined
      ),
    waiting: ({ account, publicKeys }, { before = latest, from: earliest = 0, limit, to = latest }) =>
      readable.fill(
        "pending",
        { before, limit },
        (last, wanted) =>
          sql`SELECT ${from} WHERE w.id IN (${
            idsOf(account, publicKeys)
          }) AND w.id < ${last} AND w.created >= ${earliest} AND w.created <= ${to} AND w.status = 2
          ORDER BY w.id DESC LIMIT ${wanted}`,
        toPending
      ),
    awaitedKeys: Effect.map(
      readable.select(
        "pending",
        sql`SELECT min(id) AS id, keys FROM ${table("pending")} WHERE status = 2 GROUP BY keys`,
        weightedKeys
      ),
      (found) => new Set(found.flatMap((keys) => keys.map(({ publicKey }) => publicKey)))
    ),
    heldFrom: (account, nonce) =>
      readable.select(
        "pending",
        sql`SELECT id, nonce, CASE WHEN nonce IS NULL THEN raw END AS raw FROM ${table("pending")}
          WHERE account = ${bytesOf(account)} AND status = 2 AND (nonce IS NULL OR nonce >= ${`${nonce}`})`,
        (row) => rows.optional(rows.bigint)(row, "nonce") ?? nonceIn(row)
      ),
    countHeld: (caller, account) =>
      tables.countsOf(sql, account, sql`${table("pending")} WHERE caller = ${caller} AND status = 2`)
  }
}

const pendingPart = (names: Names): PendingPart => {
  const { marked, sql, table } = names
  return {
    ...pendingReads(names),
    addPending: (
      { account, caller, credential, multiSig: { keys, threshold }, nonce, payer, raw, status, transactionId },
      now
    ) =>
      marked(
        "pending",
        transactionId,
        rows.change(
          "hold",
          sql`INSERT INTO ${table("pending")}
            (transaction_id, account, raw, payer, threshold, keys, status, created, updated, caller, nonce, credential)
            VALUES (${bytesOf(transactionId)}, ${bytesOf(account)}, ${bytesOf(raw)}, ${payer}, ${threshold},
              ${JSON.stringify(keys)}, ${status}, ${now}, ${now}, ${caller ?? null}, ${`${nonce}`},
              ${credential ?? null})`
        )
      ),
    updatePending: ({ id, raw: before }, { hash, raw, status }, now) =>
      rows.first(
        "settle",
        sql`UPDATE ${table("pending")} SET raw = ${bytesOf(raw)}, status = ${status},
          hash = ${hash === undefined ? null : bytesOf(hash)}, updated = ${now} WHERE id = ${id} AND raw = ${
          bytesOf(before)
        } AND ${sql.literal(`status IN (${pendingBefore[status].join()})`)} RETURNING ${sql.literal(pendingFields)}`,
        toPending
      )
  }
}

/**
 * The store of one chain. Its tables are there already.
 *
 * @category constructors
 */
export const make = (sql: SqlClient.SqlClient, chain: Chain): WalletStore => {
  const table: Names["table"] = (name) => sql.literal(tables.nameOf(name, chain))
  const { effects, mark, marked } = effectsOf({ sql, table })
  const names: Names = { sql, table, marked, passingOver: (name) => rows.passingOver(tables.nameOf(name, chain)) }
  const keys = keyPart(names)
  return { ...poolPart(names), ...keys, ...accountPart(names), ...pendingPart(names), effects, mark }
}

/** What a table's rows are read by, for a look at all of them. */
const readers = ({ sql, table }: Pick<Names, "sql" | "table">) => {
  const { accounts, keys } = joined({ sql, table })
  const select = (from: Fragment, id: string) => (after: number, limit: number) =>
    sql`SELECT ${from} WHERE ${sql.literal(id)} > ${after} ORDER BY ${sql.literal(id)} LIMIT ${limit}`
  return {
    pools: [select(sql`id, type, name, created FROM ${table("pools")}`, "id"), toPool],
    keys: [select(keys, "k.id"), toKey],
    accounts: [select(accounts, "a.id"), toAccount],
    pending: [select(sql`${sql.literal(pendingColumns)} FROM ${table("pending")} w`, "w.id"), toPending]
  } as const
}

/**
 * The rows of pools, keys, accounts and pending transactions that can't be read, of a store whose tables are there.
 *
 * @category reading
 */
export const unreadable = (
  sql: SqlClient.SqlClient,
  chain: Chain
): Effect.Effect<
  ReadonlyArray<{ readonly table: string; readonly id: number; readonly why: string }>,
  StoreFailure
> =>
  Effect.forEach(
    Object.entries(readers({ sql, table: (name) => sql.literal(tables.nameOf(name, chain)) })),
    ([table, [statement, read]]) =>
      Effect.map(rows.unreadable(statement, read), (found) => found.map((row) => ({ table, ...row })))
  ).pipe(Effect.map((found) => found.flat()))
