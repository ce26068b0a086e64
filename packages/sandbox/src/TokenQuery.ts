/**
 * Searching tokens and holdings of a chain.
 *
 * @since 0.1.0
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { ContractLabel, ContractRecord } from "./TokenRecord.js"

/**
 * Which tokens of a contract to list.
 *
 * @since 0.1.0
 * @category models
 */
export interface TokenQuery {
  readonly contract: Hex
  /** Only non-fungible tokens of this owner. */
  readonly owner?: Hex
  /**
   * `newest`: last change first, those of one change by the text of the hex ID. `tokenId`: by that text alone, so `0x10`
   * before `0x2`.
   */
  readonly order: "newest" | "tokenId"
  /** The last token seen. */
  readonly after?: { readonly updatedBy: number; readonly tokenId: bigint }
  readonly limit: number
}

/**
 * Which holdings to list, last change first. At least one of contract and owner is given.
 *
 * @since 0.1.0
 * @category models
 */
export interface HoldingQuery {
  readonly contracts?: ReadonlyArray<Hex>
  readonly owner?: Hex
  readonly tokenId?: bigint
  readonly kinds?: ReadonlyArray<"ft" | "nft" | "mt">
  /** Leaves out contracts whose label was taken away. */
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
 * Which token contracts to list, the newest first.
 *
 * @since 0.1.0
 * @category models
 */
export interface ContractQuery {
  readonly kinds?: ReadonlyArray<ContractRecord["kind"]>
  readonly standard?: ContractRecord["standard"]
  readonly status?: ContractLabel["status"]
  /** Leaves out contracts whose label was taken away. */
  readonly labelled?: boolean
  /** The last address seen. */
  readonly after?: Hex
  readonly limit: number
}

/**
 * Of which contracts an owner holds tokens, last change first.
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
