/**
 * The inputs that the token operations share.
 *
 * Addresses are in a single letter case or have a correct checksum; token IDs are `bigint`. Both are checked before
 * anything is sent.
 */
import * as Address from "@effect-klaytn/core/Address"
import type * as Input from "@effect-klaytn/core/Input"
import * as Paged from "@effect-klaytn/core/Paged"
import * as TokenId from "./TokenId.js"

/**
 * The size and the position of a page, as fields.
 *
 * @category fields
 */
export const paging = Paged.fields

/**
 * The size and the position of a page.
 *
 * @category models
 */
export interface Paging extends Input.Of<typeof paging> {}

/**
 * Selects a token contract, as fields.
 *
 * @category fields
 */
export const ofContract = {
  /** Address of the token contract. */
  contract: Address.FromInput
}

/**
 * Selects a token contract.
 *
 * @category models
 */
export interface OfContract extends Input.Of<typeof ofContract> {}

/**
 * Selects an owner, as fields.
 *
 * @category fields
 */
export const ofOwner = {
  /** Address of the account that owns the tokens. */
  owner: Address.FromInput
}

/**
 * Selects an owner.
 *
 * @category models
 */
export interface OfOwner extends Input.Of<typeof ofOwner> {}

/**
 * Selects a token of a contract, as fields.
 *
 * @category fields
 */
export const ofToken = {
  /** The token's ID, from 0 to 2^256 - 1. */
  tokenId: TokenId.TokenId
}

/**
 * Selects a token of a contract.
 *
 * @category models
 */
export interface OfToken extends Input.Of<typeof ofToken> {}
