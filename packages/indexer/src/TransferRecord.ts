/**
 * Transfers as in the transfer history, queries for them, and presets of queries.
 */
import type { Row } from "@effect-klaytn/store/Table"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { transfers } from "./IndexTables.js"
import type { ContractRecord } from "./TokenRecord.js"
import type { TransactionRecord } from "./TransactionRecord.js"

/**
 * Kinds of transfers: coin, fungible, non-fungible and multi tokens.
 *
 * @category models
 */
export type TransferKind = "coin" | "ft" | "nft" | "mt"

/**
 * The transaction that a transfer belongs to.
 *
 * @category models
 */
export interface TransferTransaction extends
  Pick<
    TransactionRecord,
    | "transactionIndex"
    | "blockNumber"
    | "timestamp"
    | "typeInt"
    | "from"
    | "value"
    | "fee"
    | "feePayer"
    | "feeRatio"
    | "status"
  >
{
  readonly transactionHash: Hex
}

/**
 * The contract of a token transfer. Name, symbol and decimals are undefined if the contract does not answer them.
 *
 * @category models
 */
export interface TransferContract extends Pick<ContractRecord, "address" | "name" | "symbol" | "decimals"> {}

/**
 * The coin or tokens that a transfer moved, by its kind. `Contract` represents a token contract.
 *
 * @category models
 */
export type Moved<Contract> =
  | {
    readonly kind: "coin"
    /** peb */
    readonly value: bigint
  }
  | {
    readonly kind: "ft"
    /** In the token's smallest unit. */
    readonly value: bigint
    readonly contract: Contract
  }
  | { readonly kind: "nft"; readonly tokenId: bigint; readonly contract: Contract }
  | {
    readonly kind: "mt"
    readonly operator: Hex
    readonly ids: ReadonlyArray<bigint>
    /** Amounts, one for each of `ids`. */
    readonly values: ReadonlyArray<bigint>
    readonly contract: Contract
  }

/**
 * Where a transfer stands, and from whom to whom it went.
 *
 * @category models
 */
export interface TransferEnds
  extends Omit<Row<typeof transfers.fields>, "tx" | "class" | "contract" | "operator" | "amount" | "batch">
{}

/**
 * A transfer of an executed block. Coin transfers come from the transaction itself, even if its value is zero or it failed;
 * token transfers come from the logs of KIP-7, KIP-17, KIP-37 and the corresponding ERC standards. Where the source reports
 * what contracts moved of coin, these are coin transfers, too.
 *
 * `id` numbers the transfers of a chain in their order, with gaps, and serves as the cursor. In a transaction its own coin
 * transfer has the lowest one, then come those of contracts, then the tokens, so that tokens are first in a list that is
 * newest first.
 *
 * @category models
 */
export type TransferRecord =
  & TransferEnds
  & { readonly transaction: TransferTransaction }
  & Moved<TransferContract>

/**
 * Selects transfers, newest first, at most `limit` of them. With neither `accounts` nor `contracts`, those of all.
 *
 * @category models
 */
export interface TransferQuery {
  /** Transfers from or to any of these accounts. With `contracts`, the union of both. */
  readonly accounts?: ReadonlyArray<Hex> | undefined
  /** Transfers of any of these token contracts. */
  readonly contracts?: ReadonlyArray<Hex> | undefined
  /** Default: all kinds. */
  readonly kinds?: ReadonlyArray<TransferKind> | undefined
  /** Only token transfers of this contract. Narrows `accounts`. */
  readonly contractFilter?: Hex | undefined
  /** Excludes coin transfers of value zero. */
  readonly excludeZeroCoin?: boolean | undefined
  /** Whether `accounts` are senders or receivers. Default: either. */
  readonly side?: "either" | "from" | "to" | undefined
  /** First and last block, both included. */
  readonly blocks?: { readonly from: number; readonly to: number } | undefined
  /** First and last Unix second, both included. */
  readonly seconds?: { readonly from: number; readonly to: number } | undefined
  /** Only transfers older than the one with this ID. */
  readonly before?: number | undefined
  readonly limit: number
}

/**
 * A preset: a named set of accounts and token contracts to search transfers by. The service's presets are created in its
 * console and their form is not published; this one has what a search needs.
 *
 * @category models
 */
export interface PresetRecord {
  readonly id: number
  readonly name: string
  readonly accounts: ReadonlyArray<Hex>
  readonly contracts: ReadonlyArray<Hex>
}
