/**
 * The tokens that an account holds: one record for each fungible token, each NFT and each multi token.
 *
 * **Not in the API document**: these records were seen in public clients of the service.
 *
 * **Details**
 *
 * A tagged union by kind, with {@link UnknownTokenSummary} for kinds this SDK does not know yet, which keeps the
 * record. `balance` is in the smallest unit of a fungible token, and a number of tokens or units otherwise.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Decoder from "@effect-klaytn/core/Decoder"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
import * as Schema from "effect/Schema"
import * as internal from "./internal/holding.js"
import * as record from "./internal/record.js"
import * as TokenId from "./TokenId.js"

const summary = {
  ...internal.common,
  /** How much of it the owner holds. */
  balance: BigIntFromQuantity,
  /** The last transfer that touched the holding. */
  lastTransfer: record.make("LastTransfer", {
    /** The hash of the transaction. */
    transactionHash: Hash.FromWire,
    /** The sender of the last transfer. */
    transferFrom: Address.FromWire,
    /** The receiver of the last transfer. */
    transferTo: Address.FromWire
  })
}

/**
 * A fungible token that the account holds. `formattedValue` is the balance as the service formats it in decimal.
 *
 * @category schemas
 */
export const FtTokenSummary = record.make("FtTokenSummary", {
  /** The kind of the token: `ft`, `nft` or `mt`. */
  _tag: internal.tag(Schema.transformLiteral("ft", "FtTokenSummary")),
  ...summary,
  /** What is known of a fungible token. */
  extras: record.make("FtTokenExtras", internal.ftExtras)
})

/**
 * A fungible token that the account holds.
 *
 * @category models
 */
export type FtTokenSummary = typeof FtTokenSummary.Type

/**
 * An NFT that the account holds.
 *
 * @category schemas
 */
export const NftTokenSummary = record.make("NftTokenSummary", {
  /** The kind of the token: `ft`, `nft` or `mt`. */
  _tag: internal.tag(Schema.transformLiteral("nft", "NftTokenSummary")),
  ...summary,
  /** Which token of the contract it is. */
  extras: record.make("NftTokenExtras", {
    /** The ID of the token. */
    tokenId: TokenId.FromQuantity,
    /** The text that the contract returns for the token; not necessarily a URL. */
    tokenUri: Decoder.optional(Schema.String)
  })
})

/**
 * An NFT that the account holds.
 *
 * @category models
 */
export type NftTokenSummary = typeof NftTokenSummary.Type

/**
 * A multi token that the account holds units of.
 *
 * @category schemas
 */
export const MtTokenSummary = record.make("MtTokenSummary", {
  /** The kind of the token: `ft`, `nft` or `mt`. */
  _tag: internal.tag(Schema.transformLiteral("mt", "MtTokenSummary")),
  ...summary,
  /** Which token of the contract it is. */
  extras: record.make("MtTokenExtras", {
    /** The ID of the token. */
    tokenId: TokenId.FromQuantity,
    /** The text that the contract returns for the token; not necessarily a URL. */
    tokenUri: Decoder.optional(Schema.String),
    /** How much there is of it altogether. */
    totalSupply: Decoder.optional(BigIntFromQuantity)
  })
})

/**
 * A multi token that the account holds units of.
 *
 * @category models
 */
export type MtTokenSummary = typeof MtTokenSummary.Type

/**
 * A record of a kind this SDK does not know, kept as received. `kind` is the kind's name on the wire.
 *
 * @category schemas
 */
export const UnknownTokenSummary = internal.unknown("UnknownTokenSummary")

/**
 * A record of a kind this SDK does not know, kept as received.
 *
 * @category models
 */
export type UnknownTokenSummary = typeof UnknownTokenSummary.Type

/**
 * A token of any kind.
 *
 * @category schemas
 */
export const TokenSummary = Schema.Union(FtTokenSummary, NftTokenSummary, MtTokenSummary, UnknownTokenSummary)

/**
 * A token of any kind.
 *
 * @category models
 */
export type TokenSummary = typeof TokenSummary.Type
