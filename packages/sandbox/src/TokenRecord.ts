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
  /** Transaction of the transfer that changed it last, and that transfer's two sides. */
  readonly transactionHash: Hex
  readonly transferFrom: Hex
  readonly transferTo: Hex
  readonly updatedAt: number
  /** Transfer that changed it last: the cursor of lists ordered by change. */
  readonly updatedBy: number
}
