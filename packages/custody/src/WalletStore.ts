/**
 * The rows of one chain's wallet, as the wallet reads and writes them. Every write is one statement.
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type * as Effect from "effect/Effect"
import type { StoreFailure } from "./CustodyError.js"
import type { Key, MultiSig, PageRange, Pending, Pool, PoolType, WalletAccount } from "./WalletRecord.js"

/**
 * A key that was deleted, and whose secret is still there.
 *
 * @category models
 */
export interface DeletedKey {
  readonly key: Key
  /** When it was deleted, or when an account that used it let go of it, if that was later. Unix seconds. */
  readonly deletedAt: number
  /** The accounts whose own key it is, deleted or not. */
  readonly addresses: ReadonlyArray<Hex>
  /** Whether an account that is not deleted uses it, alone or with others: it is not destroyed as long as that is so. */
  readonly isUsed: boolean
}

/**
 * How many a caller has, in all and of one account.
 *
 * @category models
 */
export interface Counts {
  readonly all: number
  readonly ofAccount: number
}

/**
 * What a request with an `Idempotency-Key` makes or changes, beside its sends.
 *
 * @category models
 */
export type EffectKind =
  | "key"
  | "account"
  | "pending"
  | "disabled"
  | "enabled"
  | "dropped key"
  | "dropped account"
  /** The bytes of a transaction that is signed and not sent, before its signatures. */
  | "made"
  /** The hash of what was counted against the limits of its caller, and of what was signed. */
  | "counted"
  | "signed"

/**
 * Pools, keys, accounts, and transactions of accounts with several keys. `now` is in Unix seconds.
 *
 * @category services
 */
export interface WalletStore {
  /**
   * What the keyed request of this fiber has made or changed before, in order: hashes of keys, addresses, IDs of pending transactions.
   * Each change is stored in one transaction with the effect. Empty without a key.
   */
  readonly effects: (kind: EffectKind) => Effect.Effect<ReadonlyArray<Hex>, StoreFailure>
  /** Stores an effect that is no change of these tables. Nothing without a key. */
  readonly mark: (kind: EffectKind, subject: Hex) => Effect.Effect<void, StoreFailure>
  /** All pools, newest first. */
  readonly pools: Effect.Effect<ReadonlyArray<Pool>, StoreFailure>
  /** Adds a pool unless there is one with this type and name. */
  readonly addPool: (type: PoolType, name: string, now: number) => Effect.Effect<void, StoreFailure>
  readonly addKey: (
    pool: Pool,
    key: Pick<Key, "hash" | "publicKey"> & { readonly sealed: Uint8Array },
    now: number
  ) => Effect.Effect<void, StoreFailure>
  /** A key by the last part of its ID, even if it is deleted. */
  readonly key: (hash: Hex) => Effect.Effect<Key | undefined, StoreFailure>
  /** Keys of a pool, newest first, without the deleted ones. */
  readonly keys: (pool: Pool, range: PageRange) => Effect.Effect<ReadonlyArray<Key>, StoreFailure>
  /** Deletes a key: it can't sign, and its secret stays until {@link WalletStore.destroyKey}. */
  readonly dropKey: (key: Key, now: number) => Effect.Effect<void, StoreFailure>
  /** All keys that were deleted and whose secret is there: the longest deleted first. */
  readonly deletedKeys: Effect.Effect<ReadonlyArray<DeletedKey>, StoreFailure>
  /** Removes the secret of a key for good that was deleted before a Unix second, unless an account uses the key. */
  readonly destroyKey: (key: Pick<Key, "hash">, before: number) => Effect.Effect<void, StoreFailure>
  /** Gives a deleted key back; with `sealed`, with this secret, also if it was destroyed. */
  readonly reviveKey: (key: Pick<Key, "hash">, sealed?: Uint8Array) => Effect.Effect<void, StoreFailure>
  /** How many keys there are, without the deleted ones. */
  readonly countKeys: Effect.Effect<number, StoreFailure>
  readonly addAccount: (pool: Pool, address: Hex, key: Key, now: number) => Effect.Effect<void, StoreFailure>
  /** The account of an address in any pool, unless it is deleted. */
  readonly account: (address: Hex) => Effect.Effect<WalletAccount | undefined, StoreFailure>
  /** Accounts of a pool, newest first. */
  readonly accounts: (pool: Pool, range: PageRange) => Effect.Effect<ReadonlyArray<WalletAccount>, StoreFailure>
  /** The row of the account that a cursor names, even if it is deleted. */
  readonly placeOf: (pool: Pool, address: Hex, createdAt: number) => Effect.Effect<number | undefined, StoreFailure>
  /** Accounts that sign with a key, newest first. */
  readonly accountsOfKey: (publicKey: Hex) => Effect.Effect<ReadonlyArray<WalletAccount>, StoreFailure>
  /** The addresses of all accounts that use a key, alone or with others. */
  readonly usersOfKey: (key: Key) => Effect.Effect<ReadonlyArray<Hex>, StoreFailure>
  readonly countAccounts: (pool: Pool) => Effect.Effect<number, StoreFailure>
  readonly setDisabled: (
    account: WalletAccount,
    isDisabled: boolean,
    now: number
  ) => Effect.Effect<void, StoreFailure>
  /** Changes the keys of an account. The time of deleted keys that it used begins anew, as after {@link WalletStore.dropAccount}. */
  readonly setMultiSig: (
    account: WalletAccount,
    multiSig: MultiSig | undefined,
    now: number
  ) => Effect.Effect<void, StoreFailure>
  /** The account of an address that was deleted last, with its key; undefined if none was. */
  readonly deletedAccount: (address: Hex) => Effect.Effect<WalletAccount | undefined, StoreFailure>
  /** Gives a deleted account and its key back. */
  readonly reviveAccount: (account: WalletAccount, now: number) => Effect.Effect<void, StoreFailure>
  /**
   * Deletes an account, and its key unless another account uses the key. The time of keys that it used and that were deleted before
   * begins anew.
   */
  readonly dropAccount: (account: WalletAccount, now: number) => Effect.Effect<void, StoreFailure>
  /** Adds a transaction that waits for signatures. */
  readonly addPending: (
    pending: Omit<Pending, "id" | "hash" | "createdAt" | "updatedAt"> & { readonly nonce: bigint },
    now: number
  ) => Effect.Effect<void, StoreFailure>
  readonly pending: (transactionId: Hex) => Effect.Effect<Pending | undefined, StoreFailure>
  /** Whether there is a transaction of this ID, also if it can't be read or is seen by others alone. */
  readonly hasPending: (transactionId: Hex) => Effect.Effect<boolean, StoreFailure>
  /** The transactions of an account that wait for signatures, and those that wait for one by these keys, newest first. */
  readonly waiting: (
    of: { readonly account: Hex; readonly publicKeys: ReadonlyArray<Hex> },
    range: PageRange
  ) => Effect.Effect<ReadonlyArray<Pending>, StoreFailure>
  /** The public keys of which some transaction waits for a signature. */
  readonly awaitedKeys: Effect.Effect<ReadonlySet<Hex>, StoreFailure>
  /** The nonces from one on that waiting transactions of an account have. */
  readonly heldFrom: (account: Hex, nonce: bigint) => Effect.Effect<ReadonlyArray<bigint>, StoreFailure>
  /** How many transactions of a caller wait: in all, and of an account. */
  readonly countHeld: (caller: string, account: Hex) => Effect.Effect<Counts, StoreFailure>
  /**
   * Updates the signatures and the outcome of a transaction as it was read, and gives it; undefined if its bytes are others by now, or its
   * status is none of `pendingBefore` the new one.
   */
  readonly updatePending: (
    pending: Pending,
    change: Pick<Pending, "raw" | "status" | "hash">,
    now: number
  ) => Effect.Effect<Pending | undefined, StoreFailure>
}
