/**
 * Searching tokens and holdings of a chain.
 *
 * @since 0.1.0
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { ContractLabel, ContractRecord } from "./TokenRecord.js"

/**
 * Selects tokens of a contract.
 *
 * @since 0.1.0
 * @category models
 */
export interface TokenQuery {
  readonly contract: Hex
  /** Only non-fungible tokens of this owner. */
  readonly owner?: Hex
  /**
   * `newest`: last change first, those of the same change by their hex ID as text. `tokenId`: by that text alone, so that
   * `0x10` comes before `0x2`.
   */
  readonly order: "newest" | "tokenId"
  /** The last token seen. */
  readonly after?: { readonly updatedBy: number; readonly tokenId: bigint }
  readonly limit: number
}

/**
 * Selects holdings, last change first. Requires `contracts` or `owner`.
 *
 * @since 0.1.0
 * @category models
 */
export interface HoldingQuery {
  readonly contracts?: ReadonlyArray<Hex>
  readonly owner?: Hex
  readonly tokenId?: bigint
  readonly kinds?: ReadonlyArray<"ft" | "nft" | "mt">
  /** Excludes contracts whose label was removed. */
  readonly labelled?: boolean
  /** The last holding seen. */
  readonly after?: {
    readonly updatedBy: number
    readonly contract: Hex
    readonly owner: Hex
    readonly tokenId: bigint | undefined
  }
  readonly limit: number
}

/**
 * Selects token contracts, newest first.
 *
 * @since 0.1.0
 * @category models
 */
export interface ContractQuery {
  readonly kinds?: ReadonlyArray<ContractRecord["kind"]>
  readonly standard?: ContractRecord["standard"]
  readonly status?: ContractLabel["status"]
  /** Excludes contracts whose label was removed. */
  readonly labelled?: boolean
  /** The last address seen. */
  readonly after?: Hex
  readonly limit: number
}

/**
 * Selects contracts whose tokens an owner holds, last change first.
 *
 * @since 0.1.0
 * @category models
 */
export interface ContractHoldingQuery {
  readonly owner: Hex
  readonly kinds?: ReadonlyArray<ContractRecord["kind"]>
  /** The last contract seen. */
  readonly after?: { readonly updatedBy: number; readonly contract: Hex }
  readonly limit: number
}
