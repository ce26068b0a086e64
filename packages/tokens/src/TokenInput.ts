/**
 * The inputs that the token operations share.
 *
 * Addresses are in a single letter case or have a correct checksum; token IDs are `bigint`. Both are checked before
 * anything is sent.
 *
 * @since 0.1.0
 */

/**
 * The size and the position of a page.
 *
 * @since 0.1.0
 * @category models
 */
export interface Paging {
  /** Records per page: 1 to 1000, 100 if absent or 0; the service treats more than 1000 as 1000 (the document). */
  readonly size?: number | undefined
  /** The cursor of the previous page, with the same input and size. Streams start at this page. */
  readonly cursor?: string | undefined
}

/**
 * Selects a token contract.
 *
 * @since 0.1.0
 * @category models
 */
export interface OfContract {
  /** Address of the token contract. */
  readonly contract: string
}

/**
 * Selects an owner.
 *
 * @since 0.1.0
 * @category models
 */
export interface OfOwner {
  /** Address of the account that owns the tokens. */
  readonly owner: string
}

/**
 * Selects a token of a contract.
 *
 * @since 0.1.0
 * @category models
 */
export interface OfToken {
  /** The token's ID, from 0 to 2^256 - 1. */
  readonly tokenId: bigint
}
