/**
 * Token contracts, tokens and who holds them, kept up to date by every block.
 *
 * @since 0.1.0
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"

/**
 * A token contract. The kind is what its transfer logs or its answers show; name, symbol and decimals are there if the
 * contract answered them.
 *
 * @since 0.1.0
 * @category models
 */
export interface ContractRecord {
  readonly address: Hex
  readonly kind: "ft" | "nft" | "mt"
  readonly standard: "KIP-7" | "ERC-20" | "KIP-17" | "ERC-721" | "KIP-37" | "ERC-1155"
  readonly name: string | undefined
  readonly symbol: string | undefined
  readonly decimals: number | undefined
  /** Block in which the chain first saw it as a token contract. */
  readonly blockNumber: number
  /** Unix seconds of that block. */
  readonly createdAt: number
  readonly label: ContractLabel
}

/**
 * How far a service has come that labels contracts. The sandbox labels every token contract that it sees, with the
 * status `completed` and the time of the block; who wants it otherwise says so. Labels are no part of the chain.
 *
 * @since 0.1.0
 * @category models
 */
export interface ContractLabel {
  readonly status: "completed" | "processing" | "failed" | "cancelled"
  readonly createdAt: number
  readonly updatedAt: number
  /** When the label was taken away; nothing while it is there. */
  readonly deletedAt: number | undefined
}

/**
 * The tokens of one contract that an owner holds, all together.
 *
 * @since 0.1.0
 * @category models
 */
export interface ContractHolding {
  readonly contract: ContractRecord
  readonly balance: bigint
  /** All tokens of the contract: the amounts of a fungible token, or how many non-fungible ones there are. */
  readonly supply: bigint
  readonly updatedAt: number
  /** Transfer that changed it last: the cursor. */
  readonly updatedBy: number
}

/**
 * A change of hands of a non-fungible token.
 *
 * @since 0.1.0
 * @category models
 */
export interface OwnershipRecord {
  /** The transfer: the cursor. */
  readonly id: number
  /** The zero address for a mint. */
  readonly from: Hex
  /** The zero address for a burn. */
  readonly to: Hex
  readonly timestamp: number
}

/**
 * A non-fungible token, or one token of a multi token contract.
 *
 * @since 0.1.0
 * @category models
 */
export interface TokenRecord {
  readonly contract: Hex
  readonly tokenId: bigint
  /** Of a non-fungible token; absent for a multi token. */
  readonly owner: Hex | undefined
  /** The owner before; the zero address for a token that never changed hands. */
  readonly previousOwner: Hex | undefined
  /** 1 for a non-fungible token. */
  readonly supply: bigint
  /** What its contract gives as its URI; empty when the contract gives none, or no text. */
  readonly uri: string
  /** Transaction of the last change. */
  readonly transactionHash: Hex
  readonly createdAt: number
  readonly updatedAt: number
  /** Transfer that changed it last: the cursor of lists ordered by change. */
  readonly updatedBy: number
}

/**
 * What one owner holds of one token.
 *
 * @since 0.1.0
 * @category models
 */
export interface HoldingRecord {
  readonly contract: Hex
  readonly kind: "ft" | "nft" | "mt"
  readonly owner: Hex
  /** Absent for a fungible token. */
  readonly tokenId: bigint | undefined
  readonly balance: bigint
  /** Supply of the token over all owners; absent for a fungible token. */
  readonly supply: bigint | undefined
  /** Absent for a fungible token. */
  readonly uri: string | undefined
  /** Transaction of the transfer that changed it last, and that transfer's two sides. */
  readonly transactionHash: Hex
  readonly transferFrom: Hex
  readonly transferTo: Hex
  readonly updatedAt: number
  /** Transfer that changed it last: the cursor of lists ordered by change. */
  readonly updatedBy: number
}
