/**
 * Transfers: what the transfer history lists.
 *
 * @since 0.1.0
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"

/**
 * Kinds of transfer: native coin, fungible, non-fungible and multi token.
 *
 * @since 0.1.0
 * @category models
 */
export type TransferKind = "coin" | "ft" | "nft" | "mt"

/**
 * What is known of the transaction a transfer came from.
 *
 * @since 0.1.0
 * @category models
 */
export interface TransferTransaction {
  readonly transactionHash: Hex
  readonly transactionIndex: number
  readonly blockNumber: number
  /** Unix seconds. */
  readonly timestamp: number
  readonly typeInt: number
  readonly from: Hex
  /** Native coin that the transaction sent, peb. */
  readonly value: bigint
  readonly fee: bigint
  readonly feePayer: Hex | undefined
  readonly feeRatio: number | undefined
  readonly status: 0 | 1
}

/**
 * The contract of a token transfer. Name, symbol and decimals are there if the contract answered them.
 *
 * @since 0.1.0
 * @category models
 */
export interface TransferContract {
  readonly address: Hex
  readonly name: string | undefined
  readonly symbol: string | undefined
  readonly decimals: number | undefined
}

/**
 * One transfer, read from an executed block: native coin from the transaction itself (also when the value is zero, also
 * when it failed), tokens from the logs of KIP-7, KIP-17, KIP-37 and their ERC twins.
 *
 * `id` numbers the transfers of a chain in the order they happened, with gaps; it is the cursor. Within a transaction
 * the native record has the lowest one, so that in a list of newest first the tokens stand before their native record.
 *
 * @since 0.1.0
 * @category models
 */
export type TransferRecord =
  | {
    readonly kind: "coin"
    readonly id: number
    readonly from: Hex
    /** Receiver, or the contract that was executed or created; the sender where a transaction names nobody. */
    readonly to: Hex
    /** peb */
    readonly value: bigint
    readonly transaction: TransferTransaction
  }
  | {
    readonly kind: "ft"
    readonly id: number
    readonly from: Hex
    readonly to: Hex
    /** In the token's smallest unit. */
    readonly value: bigint
    readonly contract: TransferContract
    readonly transaction: TransferTransaction
  }
  | {
    readonly kind: "nft"
    readonly id: number
    readonly from: Hex
    readonly to: Hex
    readonly tokenId: bigint
    readonly contract: TransferContract
    readonly transaction: TransferTransaction
  }
  | {
    readonly kind: "mt"
    readonly id: number
    readonly operator: Hex
    readonly from: Hex
    readonly to: Hex
    readonly ids: ReadonlyArray<bigint>
    /** Amounts, one for each of `ids`. */
    readonly values: ReadonlyArray<bigint>
    readonly contract: TransferContract
    readonly transaction: TransferTransaction
  }

/**
 * Which transfers to list. Newest first, at most `limit` of them.
 *
 * @since 0.1.0
 * @category models
 */
export interface TransferQuery {
  /** Transfers from or to any of these; together with `contracts` a union. */
  readonly accounts?: ReadonlyArray<Hex>
  /** Transfers of any of these token contracts, whoever took part. */
  readonly contracts?: ReadonlyArray<Hex>
  /** All kinds when absent. */
  readonly kinds?: ReadonlyArray<TransferKind>
  /** Only token transfers of this contract. Narrows `accounts`. */
  readonly contractFilter?: Hex
  /** Leaves out native records of value zero. */
  readonly excludeZeroCoin?: boolean
  /** Which side `accounts` must stand on. Default: either. */
  readonly side?: "either" | "from" | "to"
  /** First and last block, both included. */
  readonly blocks?: { readonly from: number; readonly to: number }
  /** First and last Unix second, both included. */
  readonly seconds?: { readonly from: number; readonly to: number }
  /** Only transfers older than the one with this id. */
  readonly before?: number
  readonly limit: number
}
