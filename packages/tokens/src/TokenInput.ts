/**
 * What the operations on tokens take.
 *
 * Addresses are given in one case, or with a correct checksum; token IDs as `bigint`. Both are checked before anything
 * is sent.
 *
 * @since 0.1.0
 */

/**
 * Which page of a list.
 *
 * @since 0.1.0
 * @category models
 */
export interface Paging {
  /** Records in a page: 1 to 1000, 100 when absent or 0; the service takes more than 1000 as 1000 (the document). */
  readonly size?: number | undefined
  /** From the page before, with the same input and size. Streams begin at this page. */
  readonly cursor?: string | undefined
}

/**
 * A token contract.
 *
 * @since 0.1.0
 * @category models
 */
export interface OfContract {
  /** Address of the token contract. */
  readonly contract: string
}

/**
 * An owner.
 *
 * @since 0.1.0
 * @category models
 */
export interface OfOwner {
  /** Address of the account that owns the tokens. */
  readonly owner: string
}

/**
 * A token.
 *
 * @since 0.1.0
 * @category models
 */
export interface OfToken {
  /** From 0 to 2^256 - 1. */
  readonly tokenId: bigint
}
