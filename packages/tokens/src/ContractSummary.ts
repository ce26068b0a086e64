/**
 * The contracts whose tokens an account holds: one record for each contract.
 *
 * **Not in the API document**: these records were seen in public clients of the service.
 *
 * **Details**
 *
 * A tagged union by kind, with {@link UnknownContractSummary} for kinds this SDK does not know yet, which keeps the
 * record. `totalBalance` is in the smallest unit of a fungible token, and a number of tokens or units otherwise.
 */
import * as Decoder from "@effect-klaytn/core/Decoder"
import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
import * as Schema from "effect/Schema"
import * as internal from "./internal/holding.js"
import * as record from "./internal/record.js"

const summary = {
  ...internal.common,
  /** What the owner holds of the contract altogether, not only on this page. */
  totalBalance: BigIntFromQuantity
}

/**
 * A fungible token that the account holds. `formattedValue` is the balance as the service formats it in decimal.
 *
 * @category schemas
 */
export const FtContractSummary = record.make("FtContractSummary", {
  /** The kind of the token: `ft`, `nft` or `mt`. */
  _tag: internal.tag(Schema.transformLiteral("ft", "FtContractSummary")),
  ...summary,
  /** What is known of a fungible token's contract. */
  extras: record.make("FtContractExtras", internal.ftExtras)
})

/**
 * A fungible token that the account holds.
 *
 * @category models
 */
export type FtContractSummary = typeof FtContractSummary.Type

/**
 * An NFT contract that the account holds tokens of.
 *
 * @category schemas
 */
export const NftContractSummary = record.make("NftContractSummary", {
  /** The kind of the token: `ft`, `nft` or `mt`. */
  _tag: internal.tag(Schema.transformLiteral("nft", "NftContractSummary")),
  ...summary,
  /** What is known of an NFT contract. */
  extras: record.make("NftContractExtras", {
    /** The name that the contract returns. */
    name: Decoder.optional(Schema.String),
    /** The symbol that the contract returns. */
    symbol: Decoder.optional(Schema.String),
    /** How much there is of it altogether. */
    totalSupply: Decoder.optional(BigIntFromQuantity)
  })
})

/**
 * An NFT contract that the account holds tokens of.
 *
 * @category models
 */
export type NftContractSummary = typeof NftContractSummary.Type

/**
 * A multi-token contract that the account holds tokens of. Its `extras` are empty so far.
 *
 * @category schemas
 */
export const MtContractSummary = record.make("MtContractSummary", {
  /** The kind of the token: `ft`, `nft` or `mt`. */
  _tag: internal.tag(Schema.transformLiteral("mt", "MtContractSummary")),
  ...summary,
  /** What is known of a multi-token contract: nothing so far. */
  extras: Decoder.optional(record.make("MtContractExtras", {}))
})

/**
 * A multi-token contract that the account holds tokens of.
 *
 * @category models
 */
export type MtContractSummary = typeof MtContractSummary.Type

/**
 * A record of a kind this SDK does not know, kept as received. `kind` is the kind's name on the wire.
 *
 * @category schemas
 */
export const UnknownContractSummary = internal.unknown("UnknownContractSummary")

/**
 * A record of a kind this SDK does not know, kept as received.
 *
 * @category models
 */
export type UnknownContractSummary = typeof UnknownContractSummary.Type

/**
 * A contract of any kind.
 *
 * @category schemas
 */
export const ContractSummary = Schema.Union(
  FtContractSummary,
  NftContractSummary,
  MtContractSummary,
  UnknownContractSummary
)

/**
 * A contract of any kind.
 *
 * @category models
 */
export type ContractSummary = typeof ContractSummary.Type
