/**
 * What a wallet stores: pools, keys, accounts, and the transactions of accounts with several keys.
 */
import { bytesOf, type Hex } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import type * as Redacted from "effect/Redacted"
import type { Origin } from "./WalletCaller.js"

/**
 * All types of pools.
 *
 * @category constants
 */
export const poolTypes = ["account-pool", "feepayer-pool", "key-pool"] as const

/**
 * What a pool contains.
 *
 * @category models
 */
export type PoolType = typeof poolTypes[number]

/**
 * A pool of one chain.
 *
 * @category models
 */
export interface Pool {
  readonly id: number
  readonly type: PoolType
  readonly name: string
  /** Unix seconds; 0 for the default pools, which always exist. */
  readonly createdAt: number
}

/**
 * A key pair whose private key is sealed.
 *
 * @category models
 */
export interface Key {
  readonly id: number
  readonly pool: Pool
  /** The last part of its ID, 32 bytes. */
  readonly hash: Hex
  /** Uncompressed, 65 bytes. */
  readonly publicKey: Hex
  /** The sealed private key; undefined for a deleted key. */
  readonly sealed: Uint8Array | undefined
}

/**
 * One key of a multisig account.
 *
 * @category models
 */
export interface WeightedKey {
  /** Uncompressed, 65 bytes. */
  readonly publicKey: Hex
  readonly weight: number
}

/**
 * The keys of a multisig account.
 *
 * @category models
 */
export interface MultiSig {
  readonly threshold: number
  readonly keys: ReadonlyArray<WeightedKey>
}

/**
 * An account, or a fee payer if its pool has the type `feepayer-pool`.
 *
 * @category models
 */
export interface WalletAccount {
  readonly id: number
  readonly pool: Pool
  /** Lower case. */
  readonly address: Hex
  readonly key: Key
  /** Unix seconds. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly isDisabled: boolean
  readonly multiSig: MultiSig | undefined
}

/**
 * Who pays a fee: the sender, the global fee payer of the service, or the customer's fee payer of this address.
 *
 * @category models
 */
export type Payer = "sender" | "global" | Hex

/**
 * The statuses of a multisig transaction, of which only that of a waiting one has been observed. `outpriced`: all have signed, at a price that was below the base fee
 * by then: it is not sent, and has no nonce any more. `ended`: by the owner.
 *
 * @category constants
 */
export const pendingStatuses = { waiting: 2, sent: 3, outpriced: 4, ended: 5 } as const

/**
 * The status of a multisig transaction.
 *
 * @category models
 */
export type PendingStatus = typeof pendingStatuses[keyof typeof pendingStatuses]

/**
 * The statuses that a multisig transaction may leave for another one.
 *
 * @category constants
 */
export const pendingBefore: Readonly<Record<PendingStatus, ReadonlyArray<PendingStatus>>> = {
  2: [pendingStatuses.waiting],
  3: [pendingStatuses.waiting],
  4: [pendingStatuses.waiting],
  5: [pendingStatuses.waiting, pendingStatuses.outpriced]
}

/**
 * A transaction of a multisig account, pending or sent.
 *
 * @category models
 */
export interface Pending extends Origin {
  readonly id: number
  readonly transactionId: Hex
  readonly account: Hex
  /** The transaction with the signatures so far. */
  readonly raw: Hex
  readonly payer: Payer
  /** The account's keys when the transaction was created. */
  readonly multiSig: MultiSig
  /** 2: pending. */
  readonly status: PendingStatus
  /** Defined once it is sent. */
  readonly hash: Hex | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/**
 * A part of a list, newest first: rows before a given one, created between two times (both included).
 *
 * @category models
 */
export interface PageRange {
  readonly before?: number | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly limit: number
}

/**
 * The compressed form of a key, 33 bytes, as in account keys on the chain.
 *
 * @category conversions
 */
export const compressedOf = ({ publicKey }: Pick<Key, "publicKey">): Hex => PublicKey.compressedOf(bytesOf(publicKey))

/**
 * An account with its secret, for signing.
 *
 * @category models
 */
export interface SigningAccount {
  readonly address: Hex
  /** The name of its pool; undefined for the service's own fee payer. */
  readonly pool?: string | undefined
  /** Compressed, 33 bytes. */
  readonly publicKey: Hex
  readonly privateKey: Redacted.Redacted<Uint8Array>
}
