import { blob, integer } from "@effect-klaytn/indexer/Column"
import type { Driver, SqlValue } from "@effect-klaytn/indexer/Driver"
import { expression, select, type Selected } from "@effect-klaytn/indexer/Query"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { walletAccounts, walletKeys, walletPools } from "./Schema.js"
import type { Key, MultiSig, PageRange, Pool, PoolType, WalletAccount } from "./WalletRecord.js"

const pool = walletPools.as("p")

const key = (() => {
  const { createdAt, id, name, type } = walletPools.as("o")
  const { hash, id: keyId, publicKey, sealed } = walletKeys.as("k")
  return {
    keyId,
    hash,
    publicKey,
    sealed,
    keyPoolId: id,
    keyPoolType: type,
    keyPoolName: name,
    keyPoolCreatedAt: createdAt
  }
})()

const account = (() => {
  const { address, createdAt, id, isDisabled, keys, threshold, updatedAt } = walletAccounts.as("a")
  const poolOf = { poolId: pool.id, poolType: pool.type, poolName: pool.name, poolCreatedAt: pool.createdAt }
  return { id, address, isDisabled, createdAt, updatedAt, threshold, keys, ...poolOf, ...key }
})()

const toKey = (row: Selected<typeof key>): Key => ({
  id: row.keyId,
  hash: row.hash,
  publicKey: row.publicKey,
  sealed: row.sealed,
  pool: { id: row.keyPoolId, type: row.keyPoolType, name: row.keyPoolName, createdAt: row.keyPoolCreatedAt }
})

const toAccount = (row: Selected<typeof account>): WalletAccount => ({
  id: row.id,
  address: row.address,
  isDisabled: row.isDisabled,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  multiSig: row.threshold === undefined ? undefined : { threshold: row.threshold, keys: row.keys ?? [] },
  pool: { id: row.poolId, type: row.poolType, name: row.poolName, createdAt: row.poolCreatedAt },
  key: toKey(row)
})

/** Reads and writes pools, keys and accounts of one chain's wallet. */
export class WalletStore {
  readonly #driver: Driver
  readonly #c: number
  readonly #insertKey
  readonly #insertAccount
  readonly #setSealed
  readonly #setDisabled
  readonly #setMultiSig
  readonly #setDeleted

  constructor(driver: Driver, c: number) {
    const [keys, accounts] = [walletKeys.of(c), walletAccounts.of(c)]
    this.#driver = driver
    this.#c = c
    this.#insertKey = keys.insert(driver)
    this.#insertAccount = accounts.insert(driver)
    this.#setSealed = keys.update(driver, "sealed")
    this.#setDisabled = accounts.update(driver, "isDisabled", "updatedAt")
    this.#setMultiSig = accounts.update(driver, "threshold", "keys", "updatedAt")
    this.#setDeleted = accounts.update(driver, "deleted", "updatedAt")
  }

  pools(): ReadonlyArray<Pool> {
    return select(this.#driver, pool, `FROM wallet_pools_${this.#c} p ORDER BY p.id DESC`).all()
  }

  /** Adds a pool unless there is one with this type and name. */
  addPool(type: PoolType, name: string, now: number): void {
    if (this.pools().some((pool) => pool.type === type && pool.name === name)) return
    walletPools.of(this.#c).insert(this.#driver)({ type, name, createdAt: now })
  }

  addKey(pool: Pool, key: Pick<Key, "hash" | "publicKey"> & { readonly sealed: Uint8Array }, now: number): void {
    this.#insertKey({ ...key, pool: pool.id, created: now })
  }

  /** A key by the last part of its ID, even if it is deleted. */
  key(hash: Hex): Key | undefined {
    return this.#keys("WHERE k.hash = ?1", blob(hash))[0]
  }

  keys(pool: Pool, { before = Number.MAX_SAFE_INTEGER, limit }: PageRange): ReadonlyArray<Key> {
    return this.#keys(
      "WHERE k.pool = ?1 AND k.id < ?2 AND k.sealed IS NOT NULL ORDER BY k.id DESC LIMIT ?3",
      pool.id,
      before,
      limit
    )
  }

  /** Removes the private key of a key. */
  dropKey({ id }: Key): void {
    this.#setSealed({ id, sealed: undefined })
  }

  countKeys(): number {
    return this.#count(`FROM wallet_keys_${this.#c} WHERE sealed IS NOT NULL`)
  }

  addAccount(pool: Pool, address: Hex, key: Key, now: number): void {
    this.#insertAccount({
      pool: pool.id,
      address,
      key: key.id,
      isDisabled: false,
      createdAt: now,
      updatedAt: now,
      deleted: undefined,
      threshold: undefined,
      keys: undefined
    })
  }

  /** The account of an address in any pool, unless it is deleted. */
  account(address: Hex): WalletAccount | undefined {
    return this.#accounts("WHERE a.address = ?1 AND a.deleted IS NULL", blob(address))[0]
  }

  accounts(pool: Pool, pageRange: PageRange): ReadonlyArray<WalletAccount> {
    const { before = Number.MAX_SAFE_INTEGER, from = 0, limit, to = Number.MAX_SAFE_INTEGER } = pageRange
    return this.#accounts(
      `WHERE a.pool = ?1 AND a.id < ?2 AND a.created >= ?3 AND a.created <= ?4 AND a.deleted IS NULL
       ORDER BY a.id DESC LIMIT ?5`,
      pool.id,
      before,
      from,
      to,
      limit
    )
  }

  /** The row of the account that a cursor names, even if it is deleted. */
  placeOf(pool: Pool, address: Hex, createdAt: number): number | undefined {
    return select(
      this.#driver,
      { id: walletAccounts.as("a").id },
      `FROM wallet_accounts_${this.#c} a WHERE a.pool = ?1 AND a.address = ?2 AND a.created = ?3
       ORDER BY a.id DESC LIMIT 1`
    ).first(pool.id, blob(address), createdAt)?.id
  }

  accountsOfKey(publicKey: Hex): ReadonlyArray<WalletAccount> {
    return this.#accounts("WHERE k.public_key = ?1 AND a.deleted IS NULL ORDER BY a.id DESC", blob(publicKey))
  }

  countAccounts(pool: Pool): number {
    return this.#count(`FROM wallet_accounts_${this.#c} WHERE pool = ?1 AND deleted IS NULL`, pool.id)
  }

  setDisabled({ id }: WalletAccount, isDisabled: boolean, now: number): void {
    this.#setDisabled({ id, isDisabled, updatedAt: now })
  }

  setMultiSig({ id }: WalletAccount, multiSig: MultiSig | undefined, now: number): void {
    this.#setMultiSig({ id, threshold: multiSig?.threshold, keys: multiSig?.keys, updatedAt: now })
  }

  /** Deletes an account and its private key. */
  dropAccount({ id, key }: WalletAccount, now: number): void {
    this.#setDeleted({ id, deleted: now, updatedAt: now })
    this.dropKey(key)
  }

  #count(rest: string, ...values: ReadonlyArray<SqlValue>): number {
    return select(this.#driver, { count: expression("count(*)", integer) }, rest).first(...values)?.count ?? 0
  }

  #keys(rest: string, ...values: ReadonlyArray<SqlValue>): ReadonlyArray<Key> {
    return select(
      this.#driver,
      key,
      `FROM wallet_keys_${this.#c} k JOIN wallet_pools_${this.#c} o ON o.id = k.pool ${rest}`
    ).all(...values).map(toKey)
  }

  #accounts(rest: string, ...values: ReadonlyArray<SqlValue>): ReadonlyArray<WalletAccount> {
    return select(
      this.#driver,
      account,
      `FROM wallet_accounts_${this.#c} a JOIN wallet_pools_${this.#c} p ON p.id = a.pool
       JOIN wallet_keys_${this.#c} k ON k.id = a.key JOIN wallet_pools_${this.#c} o ON o.id = k.pool ${rest}`
    ).all(...values).map(toAccount)
  }
}
