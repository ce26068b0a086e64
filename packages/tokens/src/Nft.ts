/**
 * One non-fungible token, as the service records it.
 *
 * The document names the record but shows no fields; all were seen in the public clients of the service. The record
 * does not contain the address of its contract.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Schema from "effect/Schema"
import * as record from "./internal/record.js"
import * as TokenId from "./TokenId.js"

/**
 * An NFT with its owner. Addresses are lower case, times Unix seconds.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Nft = record.make("Nft", {
  tokenId: TokenId.FromQuantity,
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
 * An NFT with its owner. Fields that this SDK does not know are in `extra`.
 *
 * @since 0.1.0
 * @category models
 */
export type Nft = typeof Nft.Type
