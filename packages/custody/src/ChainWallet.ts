/**
 * Pools, keys and accounts of one chain, and signing with them.
 */
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import { bytesOf, fromBytes, type Hex, lowerCase } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import type { RecoverableSignature, Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { attempt, type CustodyFailure, StoreFailure, WalletRefused } from "./CustodyError.js"
import { KeyedMutex } from "./internal/KeyedMutex.js"
import * as keyNames from "./internal/keyNames.js"
import { OpenedSecrets } from "./internal/OpenedSecrets.js"
import { scopedStore } from "./internal/scopedStore.js"
import type { Sends } from "./Sends.js"
import type { Locks } from "./SqlLocks.js"
import type { Sealer } from "./Vault.js"
import type { NamedCaller } from "./WalletCaller.js"
import type { FeeLedger, WalletChain } from "./WalletChain.js"
import type { WalletGuard } from "./WalletGuard.js"
import {
  compressedOf,
  type Key,
  type MultiSig,
  type PageRange,
  type Pool,
  type PoolType,
  poolTypes,
  type SigningAccount,
  type WalletAccount
} from "./WalletRecord.js"
import type { WalletStore } from "./WalletStore.js"

/**
 * The service's own fee payer.
 *
 * @category models
 */
export interface GlobalFeePayer {
  readonly address: Hex
  /** The account with its secret. */
  readonly open: Effect.Effect<SigningAccount, CustodyFailure>
}

/**
 * What a chain's wallet shows of its parts.
 *
 * @category models
 */
export interface Shown {
  readonly chain: WalletChain
  readonly store: WalletStore
  /** How signed transactions reach the node. */
  readonly sends: Sends
  /** What the service's own fee payer has paid for. */
  readonly fees: FeeLedger
  readonly curve: Secp256k1
  /** ID of the customer, a part of all resource names. */
  readonly customer: string
  /** The service's own fee payer. */
  readonly globalFeePayer: GlobalFeePayer
  /** Is asked before each signature, and writes down what was asked for. Default: every signature is made, nothing is written. */
  readonly guard?: Pick<WalletGuard, "sign" | "check" | "note"> | undefined
  /** What the name of a caller stands for, whose transactions wait for signatures. Default: no caller is looked for. */
  readonly callerNamed?: ((name: string) => Effect.Effect<NamedCaller, CustodyFailure>) | undefined
}

/**
 * The parts of a chain's wallet.
 *
 * @category models
 */
export interface ChainWalletParts extends Shown {
  readonly vault: Sealer
  /** Generates the secret of the next key. */
  readonly secret: () => Uint8Array
}

/**
 * Whether the wallet can sign for an account. `corrupted`: its key on the chain is not the wallet's.
 *
 * @category models
 */
export type AccountStatus = "enabled" | "disabled" | "corrupted"

/** The row that was just written. */
const justWritten = <A>(
  operation: string,
  read: Effect.Effect<A | undefined, StoreFailure>
): Effect.Effect<A, StoreFailure> =>
  Effect.flatMap(read, (row) =>
    row === undefined
      ? new StoreFailure({ operation, cause: new Error("a row that was just written is not there") })
      : Effect.succeed(row))

/** The last part of a key's ID. */
const hashOf = (keyId: string): Hex => lowerCase(keyId.slice(keyId.lastIndexOf(":") + 1))

/** Whether a key on the chain is the multisig key that the wallet knows. */
const isSame = (key: AccountKey.AccountKey, { keys, threshold }: MultiSig): boolean =>
  key.type === "AccountKeyWeightedMultiSig" && key.threshold === threshold && key.keys.length === keys.length &&
  keys.every((one) =>
    key.keys.some(({ publicKey, weight }) => weight === one.weight && publicKey === compressedOf(one))
  )

/**
 * Pools, keys and accounts of one chain, and signing with them.
 *
 * @category models
 */
export class ChainWallet extends Data.Class<Shown> {
  readonly #vault: Sealer
  readonly #secret: () => Uint8Array
  readonly #mutex: Locks

  /** The accounts of all pools, whatever a caller sees. */
  readonly #all: Pick<WalletStore, "account">

  constructor(
    { secret, vault, ...shown }: ChainWalletParts,
    mutex: Locks = new KeyedMutex(),
    all: Pick<WalletStore, "account"> = shown.store
  ) {
    super(shown)
    this.#all = all
    this.#vault = vault
    this.#secret = secret
    this.#mutex = mutex
  }

  /** The same wallet, with nothing but the pools of these names, and what is in them. */
  within(pools: ReadonlyArray<string>): ChainWallet {
    const parts = { ...this, store: scopedStore(this.store, pools), vault: this.#vault, secret: this.#secret }
    return new ChainWallet(parts, this.#mutex, this.#all)
  }

  /** The resource name of a pool. */
  krn({ name, type }: Pick<Pool, "name" | "type">): string {
    return `krn:${this.chain.chainId}:wallet:${this.customer}:${type}:${name}`
  }

  /** The ID of a key in the pool it was created in, or in that of the account that uses it. */
  keyId(key: Key, pool: Pool = key.pool): string {
    return `${this.krn(pool)}:${key.hash}`
  }

  /**
   * The pool of a type and name; the default one without a name, or if there is none of that name. `instead` names the pool for
   * a caller that does not see the default one.
   */
  pool(type: PoolType, name = "default", instead = name): Effect.Effect<Pool, StoreFailure | WalletRefused> {
    return Effect.flatMap(this.store.pools, (all) => {
      const pools = all.filter((pool) => pool.type === type)
      const pool = [name, "default", instead].flatMap((wanted) => pools.find((one) => one.name === wanted) ?? [])[0]
      return pool === undefined
        ? new WalletRefused({
          reason: "pool",
          message: "the caller may not use the default pools: name a pool in x-krn"
        })
        : Effect.succeed(pool)
    })
  }

  /** The pool of a resource name of this chain and customer. */
  poolOf(krn: string): Effect.Effect<Pool | undefined, StoreFailure> {
    return Effect.map(this.store.pools, (pools) => pools.find((pool) => this.krn(pool) === krn))
  }

  /** Creates the missing pools of all types under a name. */
  createPools(name: string): Effect.Effect<ReadonlyArray<Pool>, StoreFailure> {
    return Effect.gen(this, function*() {
      const now = yield* this.chain.now
      for (const type of poolTypes) yield* this.store.addPool(type, name, now)
      return (yield* this.store.pools).filter((pool) => pool.name === name)
    })
  }

  /** Creates key pairs and stores their secrets sealed. A keyed request that is made again gets those that it has made before. */
  createKeys(pool: Pool, count: number): Effect.Effect<ReadonlyArray<Key>, StoreFailure> {
    return Effect.gen(this, function*() {
      const now = yield* this.chain.now
      const before = (yield* this.store.effects("key")).slice(0, count)
      const known = yield* Effect.forEach(before, (hash) => justWritten("createKey", this.store.key(hash)))
      return [...known, ...yield* Effect.replicateEffect(this.#createKey(pool, now), count - known.length)]
    })
  }

  #createKey(pool: Pool, now: number): Effect.Effect<Key, StoreFailure> {
    return Effect.gen(this, function*() {
      const made = yield* attempt("createKey", () => {
        const secret = this.#secret()
        const publicKey = fromBytes(this.curve.publicKey(secret))
        const hash = keyNames.hashOf(this.chain.chainId, publicKey)
        return { hash, publicKey, sealed: this.#vault.seal(this.#nameOf(hash), secret) }
      })
      yield* this.store.addKey(pool, made, now)
      return yield* justWritten("createKey", this.store.key(made.hash))
    })
  }

  /** Finds a key by its ID in its own pool or in that of its account; undefined for a deleted one. */
  keyOf(keyId: string): Effect.Effect<Key | undefined, StoreFailure> {
    return Effect.gen(this, function*() {
      const key = yield* this.store.key(hashOf(keyId))
      if (key === undefined || key.sealed === undefined) return undefined
      const krn = keyId.slice(0, keyId.lastIndexOf(":"))
      const accounts = yield* this.store.accountsOfKey(key.publicKey)
      return [key.pool, ...accounts.map(({ pool }) => pool)].some((pool) => this.krn(pool) === krn) ? key : undefined
    })
  }

  /** Keys of a pool, newest first, without the deleted ones. */
  keys(pool: Pool, pageRange: PageRange): Effect.Effect<ReadonlyArray<Key>, StoreFailure> {
    return this.store.keys(pool, pageRange)
  }

  /** The row of a key in a cursor, deleted or not. */
  keyPlace(keyId: string): Effect.Effect<number | undefined, StoreFailure> {
    return Effect.map(this.store.key(hashOf(keyId)), (key) => key?.id)
  }

  /**
   * Creates an account, or a fee payer in a pool of fee payers, with a new key pair. A keyed request that is made again gets the account
   * that it has made before.
   */
  createAccount(pool: Pool): Effect.Effect<WalletAccount, StoreFailure | WalletRefused> {
    return Effect.gen(this, function*() {
      const [made] = yield* this.store.effects("account")
      if (made !== undefined) {
        return (yield* this.store.account(made)) ?? (yield* new WalletRefused({
          reason: "limit",
          message: `the request has made the account ${made}, which was deleted since: use a new Idempotency-Key`
        }))
      }
      const [key] = yield* this.createKeys(pool, 1)
      if (key === undefined) return yield* Effect.dieMessage("no key was made")
      return yield* this.register(pool, PublicKey.addressOf(bytesOf(key.publicKey)), key)
    })
  }

  /** Adds an address and its key to a pool. */
  register(pool: Pool, address: Hex, key: Key): Effect.Effect<WalletAccount, StoreFailure> {
    return Effect.gen(this, function*() {
      yield* this.store.addAccount(pool, address, key, yield* this.chain.now)
      return yield* justWritten("createAccount", this.store.account(address))
    })
  }

  /** An account of a pool, whatever its status; undefined for a deleted one or one of another pool. */
  account(pool: Pool, address: string): Effect.Effect<WalletAccount | undefined, CustodyFailure> {
    return Effect.map(
      this.anyAccount(lowerCase(address)),
      (account) => account?.pool.id === pool.id ? account : undefined
    )
  }

  /** The account of an address, whatever its pool. */
  anyAccount(address: Hex): Effect.Effect<WalletAccount | undefined, CustodyFailure> {
    return Effect.flatMap(
      this.store.account(address),
      (account) => account === undefined ? Effect.succeed(undefined) : this.#asOnChain(account)
    )
  }

  /** Whether the wallet has an account of an address, in a pool that the caller sees or in another one. */
  isHeld(address: Hex): Effect.Effect<boolean, StoreFailure> {
    return Effect.map(this.#all.account(address), (account) => account !== undefined)
  }

  /** What to ask an account key to find out whether one key alone satisfies it. */
  signing(address: Hex, key: Key, role: AccountKey.Role = "transaction") {
    const signer = { address: PublicKey.addressOf(bytesOf(key.publicKey)), publicKey: compressedOf(key) }
    return { role, address, signers: [signer] }
  }

  /** Accounts of a pool, newest first, whatever their status. */
  accounts(pool: Pool, pageRange: PageRange): Effect.Effect<ReadonlyArray<WalletAccount>, CustodyFailure> {
    return Effect.flatMap(
      this.store.accounts(pool, pageRange),
      Effect.forEach((account) => this.#asOnChain(account), { concurrency: 100 })
    )
  }

  /** Accounts and fee payers that sign with a key. */
  accountsOfKey(publicKey: Hex): Effect.Effect<ReadonlyArray<WalletAccount>, StoreFailure> {
    return this.store.accountsOfKey(publicKey)
  }

  /** Disables or enables an account, and returns the time. */
  setDisabled(account: WalletAccount, isDisabled: boolean): Effect.Effect<number, StoreFailure> {
    return Effect.flatMap(
      this.chain.now,
      (now) => Effect.as(this.store.setDisabled(account, isDisabled, now), now)
    )
  }

  /** Deletes a key. Its owner can have it back until its secret is destroyed. */
  dropKey(key: Key): Effect.Effect<void, StoreFailure> {
    return Effect.flatMap(this.chain.now, (now) => this.store.dropKey(key, now))
  }

  /** Deletes an account, and its key unless another account uses the key. Its owner can have both back. */
  dropAccount(account: WalletAccount): Effect.Effect<void, StoreFailure> {
    return Effect.flatMap(this.chain.now, (now) => this.store.dropAccount(account, now))
  }

  /** The status of an account, by its key on the chain. */
  status(account: WalletAccount): Effect.Effect<AccountStatus, CustodyFailure> {
    if (account.isDisabled) return Effect.succeed("disabled")
    return Effect.map(this.accountKey(account.address), (key) => {
      const role = account.pool.type === "feepayer-pool" ? "feePayer" : "transaction"
      const isOwn = account.key.sealed !== undefined &&
        AccountKey.isSatisfiedBy(key, this.signing(account.address, account.key, role))
      return isOwn || (account.multiSig !== undefined && isSame(key, account.multiSig)) ? "enabled" : "corrupted"
    })
  }

  /** The key that the chain has for an address. */
  accountKey(address: Hex): Effect.Effect<AccountKey.AccountKey, CustodyFailure> {
    return Effect.map(
      this.chain.account(address),
      Option.match({ onNone: () => AccountKey.legacy, onSome: ({ key }) => key })
    )
  }

  /** Whether the chain knows an address. */
  isOnChain(address: Hex): Effect.Effect<boolean, CustodyFailure> {
    return Effect.map(this.chain.account(address), Option.isSome)
  }

  /**
   * The account with its secret, for signing. The address of an imported account is not that of its key.
   */
  signer(account: WalletAccount): Effect.Effect<SigningAccount, StoreFailure> {
    return Effect.map(this.#open(account.key), (secret) => ({
      address: account.address,
      pool: account.pool.name,
      publicKey: compressedOf(account.key),
      privateKey: Redacted.make(secret)
    }))
  }

  /** Signs 32 bytes. */
  sign(key: Key, digest: Uint8Array): Effect.Effect<RecoverableSignature, CustodyFailure> {
    const asked = { role: "bytes", pool: key.pool.name, subject: this.keyId(key), digest: fromBytes(digest) } as const
    return Effect.zipRight(
      this.guard?.sign(asked) ?? Effect.void,
      Effect.map(this.#open(key), (secret) => this.curve.sign(digest, secret))
    )
  }

  /** The service's own fee payer with its secret. */
  get payer(): Effect.Effect<SigningAccount, CustodyFailure> {
    return this.globalFeePayer.open
  }

  /** Runs one effect at a time for an account, so that no two take the same nonce. Don't nest it for one address. */
  exclusively(address: string): <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreFailure, R> {
    return this.#mutex.take(address.toLowerCase())
  }

  /** The account, without its multisig keys if the chain no longer has them. */
  #asOnChain(account: WalletAccount): Effect.Effect<WalletAccount, CustodyFailure> {
    const { multiSig } = account
    return multiSig === undefined
      ? Effect.succeed(account)
      : Effect.map(
        this.accountKey(account.address),
        (key) => isSame(key, multiSig) ? account : { ...account, multiSig: undefined }
      )
  }

  #nameOf(hash: Hex): string {
    return keyNames.sealName(this.chain.chainId, this.customer, hash)
  }

  #open(key: Key): Effect.Effect<Uint8Array, StoreFailure> {
    const opening = attempt("key", () => {
      const secret = key.sealed && this.#vault.open(this.#nameOf(key.hash), key.sealed)
      if (secret === undefined) throw new Error("the secret of a key is gone, or was changed in the database")
      return secret
    })
    return Effect.flatMap(OpenedSecrets, (opened) =>
      Effect.map(opening, (secret) => {
        opened?.push(secret)
        return secret
      }))
  }
}
