import type { Hex } from "@effect-klaytn/transaction/Hex"
import { blob, bytes, hex, integer, optional, text } from "./Cell.js"
import type { Driver, Row, SqlValue } from "./Driver.js"
import type { ChainId } from "./Schema.js"
import { Statements } from "./Statements.js"
import type { Key, MultiSig, Pool, PoolType, Stretch, WalletAccount, WeightedKey } from "./WalletRecord.js"

const poolType = (row: Row, index: number): PoolType => {
  const type = text(row, index)
  return type === "feepayer-pool" || type === "key-pool" ? type : "account-pool"
}

const readPool = (row: Row, at: number): Pool => ({
  id: integer(row, at),
  type: poolType(row, at + 1),
  name: text(row, at + 2),
  createdAt: integer(row, at + 3)
})

const readKey = (row: Row, at: number): Key => ({
  id: integer(row, at),
  hash: hex(row, at + 1),
  publicKey: hex(row, at + 2),
  sealed: optional(bytes)(row, at + 3),
  pool: readPool(row, at + 4)
})

/** The keys of a multisig account, as they are stored. */
export const readKeys = (stored: string): ReadonlyArray<WeightedKey> => JSON.parse(stored)

const readMultiSig = (row: Row, at: number): MultiSig | undefined => {
  const threshold = optional(integer)(row, at)
  return threshold === undefined ? undefined : { threshold, keys: readKeys(text(row, at + 1)) }
}

const readAccount = (row: Row): WalletAccount => ({
  id: integer(row, 0),
  address: hex(row, 1),
  isDisabled: integer(row, 2) === 1,
  createdAt: integer(row, 3),
  updatedAt: integer(row, 4),
  multiSig: readMultiSig(row, 5),
  pool: readPool(row, 7),
  key: readKey(row, 11)
})

const poolColumns = (alias: string, prefix: string): string =>
  `${alias}.id AS ${prefix}_id, ${alias}.type AS ${prefix}_type, ${alias}.name AS ${prefix}_name, ` +
  `${alias}.created AS ${prefix}_created`

const keyColumns = `k.id AS k_id, k.hash, k.public_key, k.sealed, ${poolColumns("o", "o")}`

/** Reads and writes pools, keys and accounts of one chain's wallet. */
export class WalletStore {
  readonly #statements: Statements
  readonly #c: ChainId
  readonly #keys: string
  readonly #accounts: string

  constructor(driver: Driver, c: ChainId) {
    this.#statements = new Statements(driver)
    this.#c = c
    this.#keys = `SELECT ${keyColumns} FROM wallet_keys_${c} k JOIN wallet_pools_${c} o ON o.id = k.pool`
    this.#accounts = `SELECT a.id, a.address, a.disabled, a.created, a.updated, a.threshold, a.keys, ` +
      `${poolColumns("p", "p")}, ${keyColumns} FROM wallet_accounts_${c} a ` +
      `JOIN wallet_pools_${c} p ON p.id = a.pool JOIN wallet_keys_${c} k ON k.id = a.key ` +
      `JOIN wallet_pools_${c} o ON o.id = k.pool`
  }

  #all(sql: string, ...values: ReadonlyArray<SqlValue>): ReadonlyArray<Row> {
    return this.#statements.prepare(sql).all(...values)
  }

  #run(sql: string, ...values: ReadonlyArray<SqlValue>): void {
    this.#statements.prepare(sql).run(...values)
  }

  pools(): ReadonlyArray<Pool> {
    return this.#all(`SELECT id, type, name, created FROM wallet_pools_${this.#c} ORDER BY id DESC`).map((row) =>
      readPool(row, 0)
    )
  }

  /** Makes a pool, unless there is one of that type and name. */
  addPool(type: PoolType, name: string, now: number): void {
    this.#run(
      `INSERT INTO wallet_pools_${this.#c} (type, name, created) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING`,
      type,
      name,
      now
    )
  }

  addKey(pool: Pool, key: Pick<Key, "hash" | "publicKey"> & { readonly sealed: Uint8Array }, now: number): void {
    this.#run(
      `INSERT INTO wallet_keys_${this.#c} (pool, hash, public_key, sealed, created) VALUES (?1, ?2, ?3, ?4, ?5)`,
      pool.id,
      blob(key.hash),
      blob(key.publicKey),
      key.sealed,
      now
    )
  }

  /** A key by the last part of its ID, deleted ones too. */
  key(hash: Hex): Key | undefined {
    const row = this.#all(`${this.#keys} WHERE k.hash = ?1`, blob(hash))[0]
    return row && readKey(row, 0)
  }

  keys(pool: Pool, { before, limit }: Stretch): ReadonlyArray<Key> {
    return this.#all(
      `${this.#keys} WHERE k.pool = ?1 AND k.id < ?2 AND k.sealed IS NOT NULL ORDER BY k.id DESC LIMIT ?3`,
      pool.id,
      before ?? Number.MAX_SAFE_INTEGER,
      limit
    ).map((row) => readKey(row, 0))
  }

  /** Forgets the secret of a key. */
  dropKey(key: Key): void {
    this.#run(`UPDATE wallet_keys_${this.#c} SET sealed = NULL WHERE id = ?1`, key.id)
  }

  countKeys(): number {
    const row = this.#all(`SELECT count(*) FROM wallet_keys_${this.#c} WHERE sealed IS NOT NULL`)[0]
    return row === undefined ? 0 : integer(row, 0)
  }

  addAccount(pool: Pool, address: Hex, key: Key, now: number): void {
    this.#run(
      `INSERT INTO wallet_accounts_${this.#c} (pool, address, key, disabled, created, updated)
        VALUES (?1, ?2, ?3, 0, ?4, ?4)`,
      pool.id,
      blob(address),
      key.id,
      now
    )
  }

  /** The account of an address, whatever its pool; not a deleted one. */
  account(address: Hex): WalletAccount | undefined {
    const row = this.#all(`${this.#accounts} WHERE a.address = ?1 AND a.deleted IS NULL`, blob(address))[0]
    return row && readAccount(row)
  }

  accounts(pool: Pool, { before, from, limit, to }: Stretch): ReadonlyArray<WalletAccount> {
    return this.#all(
      `${this.#accounts} WHERE a.pool = ?1 AND a.id < ?2 AND a.created >= ?3 AND a.created <= ?4 AND a.deleted IS NULL
        ORDER BY a.id DESC LIMIT ?5`,
      pool.id,
      before ?? Number.MAX_SAFE_INTEGER,
      from ?? 0,
      to ?? Number.MAX_SAFE_INTEGER,
      limit
    ).map(readAccount)
  }

  /** The row of an account that a cursor names, deleted or not. */
  placeOf(pool: Pool, address: Hex, createdAt: number): number | undefined {
    const row = this.#all(
      `SELECT max(id) FROM wallet_accounts_${this.#c} WHERE pool = ?1 AND address = ?2 AND created = ?3`,
      pool.id,
      blob(address),
      createdAt
    )[0]
    return row && optional(integer)(row, 0)
  }

  accountsOfKey(publicKey: Hex): ReadonlyArray<WalletAccount> {
    return this.#all(
      `${this.#accounts} WHERE k.public_key = ?1 AND a.deleted IS NULL ORDER BY a.id DESC`,
      blob(publicKey)
    ).map(readAccount)
  }

  countAccounts(pool: Pool): number {
    const row = this.#all(
      `SELECT count(*) FROM wallet_accounts_${this.#c} WHERE pool = ?1 AND deleted IS NULL`,
      pool.id
    )[0]
    return row === undefined ? 0 : integer(row, 0)
  }

  setDisabled(account: WalletAccount, isDisabled: boolean, now: number): void {
    this.#run(
      `UPDATE wallet_accounts_${this.#c} SET disabled = ?2, updated = ?3 WHERE id = ?1`,
      account.id,
      isDisabled ? 1 : 0,
      now
    )
  }

  setMultiSig(account: WalletAccount, multiSig: MultiSig | undefined, now: number): void {
    this.#run(
      `UPDATE wallet_accounts_${this.#c} SET threshold = ?2, keys = ?3, updated = ?4 WHERE id = ?1`,
      account.id,
      multiSig?.threshold ?? null,
      multiSig === undefined ? null : JSON.stringify(multiSig.keys),
      now
    )
  }

  /** Removes an account, and the secret of its key. */
  dropAccount(account: WalletAccount, now: number): void {
    this.#run(`UPDATE wallet_accounts_${this.#c} SET deleted = ?2, updated = ?2 WHERE id = ?1`, account.id, now)
    this.dropKey(account.key)
  }
}
