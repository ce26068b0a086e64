/**
 * The records of tokens, as the service keeps them.
 *
 * **Details**
 *
 * The API document names the records but shows no fields; all were seen in the public clients of the service. Addresses
 * are lower case, times are Unix seconds, amounts are whole units as `bigint`.
 *
 * The service may add fields to its records. They are kept, untyped and unchanged, in `extra` of their record and are
 * written next to the known fields when the record is encoded. A record without any has an empty `extra`. A record
 * stored by an older version of this SDK therefore loses nothing, and a misspelt field name is still a type error.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Schema from "effect/Schema"
import * as record from "./internal/record.js"
import * as TokenId from "./TokenId.js"

/**
 * A non-fungible token with its owner. The record does not contain the address of its contract.
 *
 * @category schemas
 */
export const Nft = record.make("Nft", {
  /** The ID of the token. */
  tokenId: TokenId.FromQuantity,
  /** The address of the owner. */
  owner: Address.FromWire,
  /** The zero address for a token that has never been transferred. */
  previousOwner: Address.FromWire,
  /** The text that the contract returns: mostly, but not always, a URL; may be empty. */
  tokenUri: Schema.String,
  /** The transaction of the last change. */
  transactionHash: Hash.FromWire,
  /** When it was minted. */
  createdAt: UnixTime,
  /** When it last changed. */
  updatedAt: UnixTime
})

/**
 * A non-fungible token with its owner. Fields that this SDK does not know are in `extra`.
 *
 * @category models
 */
export type Nft = typeof Nft.Type

/**
 * A token that a multi-token contract has issued, regardless of its owners.
 *
 * @category schemas
 */
export const Mt = record.make("Mt", {
  /** The ID of the token. */
  tokenId: TokenId.FromQuantity,
  /** Units that all owners hold together. */
  totalSupply: BigIntFromQuantity,
  /** Any text, not necessarily a URL. */
  tokenUri: Schema.String
})

/**
 * An issued multi token. Fields that this SDK does not know are in `extra`.
 *
 * @category models
 */
export type Mt = typeof Mt.Type

/**
 * One owner's holding of one token of a multi-token contract. There is no creation time.
 *
 * @category schemas
 */
export const MtToken = record.make("MtToken", {
  /** The ID of the token. */
  tokenId: TokenId.FromQuantity,
  /** The address of the owner. */
  owner: Address.FromWire,
  /** The contract. */
  tokenAddress: Address.FromWire,
  /** Units of this token that all owners hold together. Values of 160 bits were seen. */
  totalSupply: BigIntFromQuantity,
  /** Any text, not necessarily a URL. */
  tokenUri: Schema.String,
  /** Units that this owner holds. */
  balance: BigIntFromQuantity,
  /** The last transfer that touched it. */
  transactionHash: Hash.FromWire,
  /** The sender of that transfer; the zero address for a mint. */
  transferFrom: Address.FromWire,
  /** The receiver of that transfer, not necessarily the owner. */
  transferTo: Address.FromWire,
  /** When it last changed. */
  updatedAt: UnixTime
})

/**
 * An owner's holding of a multi token. Fields that this SDK does not know are in `extra`.
 *
 * @category models
 */
export type MtToken = typeof MtToken.Type

/**
 * The kinds of tokens that a search of an account's holdings can be limited to: `ft` (fungible), `nft` (non-fungible) or
 * `mt` (multi token). The native coin is refused here (seen).
 *
 * @category schemas
 */
export const TokenKind = Schema.Literal("ft", "nft", "mt").annotations({ identifier: "TokenKind" })

/**
 * `ft` (fungible), `nft` (non-fungible) or `mt` (multi token).
 *
 * @category models
 */
export type TokenKind = typeof TokenKind.Type

/**
 * Unknown fields by name.
 *
 * @category schemas
 */
export const Extra = record.Extra

/**
 * Unknown fields by name.
 *
 * @category models
 */
export type Extra = typeof Extra.Type

/**
 * The schema of a record: the known fields, and all others under `extra`.
 *
 * @category models
 */
export interface WithExtra<Fields extends Schema.Struct.Fields> extends
  Schema.Schema<
    Schema.Simplify<Schema.Struct.Type<Fields> & { readonly extra: Extra }>,
    Schema.Simplify<Schema.Struct.Encoded<Fields>>
  >
{}
