/**
 * Token contracts that the service has labelled.
 *
 * **Not in the API document**: these records were seen in public clients of the service. The service lists a contract
 * once it is labelled; one that is not labelled is not found (inferred).
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Decoder from "@effect-klaytn/core/Decoder"
import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as record from "./internal/record.js"

/** An optional time: 0, `null` or absent if there is none. Encodes as 0. */
const noneAsZero = Schema.optionalToOptional(Schema.NullOr(Schema.Number), UnixTime, {
  decode: Option.filter((seconds): seconds is number => seconds !== 0 && seconds !== null),
  encode: Option.orElseSome(() => 0)
})

/**
 * The progress of a contract's labelling: the values that a list can be filtered by (seen). Records may have any text.
 *
 * @category schemas
 */
export const Status = Schema.Literal("completed", "processing", "failed", "cancelled").annotations({
  identifier: "LabellingStatus"
})

/**
 * The progress of a contract's labelling: the values that a list can be filtered by (seen).
 *
 * @category models
 */
export type Status = typeof Status.Type

/**
 * The standards of fungible-token contracts that a list can be searched by.
 *
 * @category schemas
 */
export const FtStandard = Schema.Literal("KIP-7", "ERC-20").annotations({ identifier: "FtStandard" })

/**
 * The standards of fungible-token contracts that a list can be searched by.
 *
 * @category models
 */
export type FtStandard = typeof FtStandard.Type

/**
 * The standards of NFT contracts that a list can be searched by.
 *
 * @category schemas
 */
export const NftStandard = Schema.Literal("KIP-17", "ERC-721").annotations({ identifier: "NftStandard" })

/**
 * The standards of NFT contracts that a list can be searched by.
 *
 * @category models
 */
export type NftStandard = typeof NftStandard.Type

/**
 * The standards of multi-token contracts that a list can be searched by.
 *
 * @category schemas
 */
export const MtStandard = Schema.Literal("KIP-37", "ERC-1155").annotations({ identifier: "MtStandard" })

/**
 * The standards of multi-token contracts that a list can be searched by.
 *
 * @category models
 */
export type MtStandard = typeof MtStandard.Type

const labelled = {
  /** The address of the contract. */
  address: Address.FromWire,
  /** One of {@link Status}, or a value of a later version. */
  status: Schema.String,
  /** The contract's standard, such as `KIP-17` or `ERC-721`; older records say `kip`. */
  type: Schema.String,
  /** When it was labelled; absent in older records. */
  createdAt: noneAsZero,
  /** When its label last changed; absent in older records. */
  updatedAt: noneAsZero,
  /** When its label was removed; absent if it was not. */
  deletedAt: noneAsZero
}

const described = {
  ...labelled,
  /** The name that the contract returns. */
  name: Schema.String,
  /** The symbol that the contract returns. */
  symbol: Schema.String,
  /** How much there is of it altogether. */
  totalSupply: BigIntFromQuantity,
  /** Only in older records. */
  link: Decoder.optional(
    Schema.Struct({
      /** The web site of the project. */
      website: Decoder.optional(Schema.String),
      /** The address of a picture. */
      icon: Decoder.optional(Schema.String)
    })
  )
}

/**
 * A contract of fungible tokens. `totalSupply` is in the token's smallest unit, 10^-`decimals` of a token.
 *
 * @category schemas
 */
export const FtContractDetail = record.make("FtContractDetail", {
  ...described,
  /** How many decimal places the token has. */
  decimals: Schema.Int
})

/**
 * A contract of fungible tokens. Fields that this SDK does not know are in `extra`.
 *
 * @category models
 */
export type FtContractDetail = typeof FtContractDetail.Type

/**
 * A contract of non-fungible tokens; `totalSupply` counts its tokens.
 *
 * @category schemas
 */
export const NftContractDetail = record.make("NftContractDetail", described)

/**
 * A contract of non-fungible tokens; `totalSupply` counts its tokens. Fields that this SDK does not know are in
 * `extra`.
 *
 * @category models
 */
export type NftContractDetail = typeof NftContractDetail.Type

/**
 * A multi-token contract. Name, symbol and supply were seen in one record only.
 *
 * @category schemas
 */
export const MtContractDetail = record.make("MtContractDetail", {
  ...labelled,
  /** The name that the contract returns. */
  name: Decoder.optional(Schema.String),
  /** The symbol that the contract returns. */
  symbol: Decoder.optional(Schema.String),
  /** How much there is of it altogether. */
  totalSupply: Decoder.optional(BigIntFromQuantity)
})

/**
 * A multi-token contract. Fields that this SDK does not know are in `extra`.
 *
 * @category models
 */
export type MtContractDetail = typeof MtContractDetail.Type
