import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import { blob } from "./Column.js"

/** What a pool holds. */
export type PoolType = "account-pool" | "feepayer-pool" | "key-pool"

/** All types of pools. */
export const poolTypes: ReadonlyArray<PoolType> = ["account-pool", "feepayer-pool", "key-pool"]

/** A pool of one chain. */
export interface Pool {
  readonly id: number
  readonly type: PoolType
  readonly name: string
  /** Unix seconds; 0 for the default pools, which were there from the start. */
  readonly createdAt: number
}

/** A key pair whose secret half is sealed. */
export interface Key {
  readonly id: number
  readonly pool: Pool
  /** Last part of its ID, 32 bytes. */
  readonly hash: Hex
  /** Uncompressed, 65 bytes. */
  readonly publicKey: Hex
  /** The sealed secret; nothing for a key that was deleted. */
  readonly sealed: Uint8Array | undefined
}

/** One key of a multisig account. */
export interface WeightedKey {
  /** Uncompressed, 65 bytes. */
  readonly publicKey: Hex
  readonly weight: number
}

/** The several keys of an account. */
export interface MultiSig {
  readonly threshold: number
  readonly keys: ReadonlyArray<WeightedKey>
}

/** An account, or a fee payer: then its pool has the type `feepayer-pool`. */
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

/** Who pays the fee of a transaction that waits for signatures: its sender, the service, or a fee payer by address. */
export type PendingPayer = "sender" | "global" | Hex

/** A transaction of a multisig account, waiting for signatures or sent. */
export interface Pending {
  readonly id: number
  readonly transactionId: Hex
  readonly account: Hex
  /** The transaction with the signatures so far. */
  readonly raw: Hex
  readonly payer: PendingPayer
  /** The account's keys when it was made. */
  readonly multiSig: MultiSig
  /** 2: it waits. */
  readonly status: number
  /** When it was sent. */
  readonly hash: Hex | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/** A stretch of a list, newest first: only what stands before a row, and was created between two times, both included. */
export interface Stretch {
  readonly before?: number | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly limit: number
}

/** The compressed form of a key, 33 bytes, as account keys on the chain have it. */
export const compressedOf = ({ publicKey }: Pick<Key, "publicKey">): Hex => PublicKey.compressedOf(blob(publicKey))
