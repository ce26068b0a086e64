/**
 * One token of a multi-token contract in the hands of one owner, as the service has it.
 *
 * The document names the record and shows no fields; all were seen in the public clients of the service.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity } from "@effect-klaytn/core/Hex"
import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Schema from "effect/Schema"
import * as record from "./internal/record.js"
import * as TokenId from "./TokenId.js"

/**
 * An owner's part of a multi token. Addresses are lower case, times Unix seconds, amounts whole pieces as `bigint`.
 * There is no time of creation.
 *
 * @since 0.1.0
 * @category schemas
 */
export const MtToken = record.make("MtToken", {
  tokenId: TokenId.FromQuantity,
  owner: Address.FromWire,
  /** The contract. */
  tokenAddress: Address.FromWire,
  /** Pieces of this token in all hands. Values of 160 bits were seen. */
  totalSupply: BigIntFromQuantity,
  /** Any text, also one that is no URL. */
  tokenUri: Schema.String,
  /** Pieces of this owner. */
  balance: BigIntFromQuantity,
  /** The last transfer that touched it. */
  transactionHash: Hash.FromWire,
  /** Sender of that transfer; the zero address for a mint. */
  transferFrom: Address.FromWire,
  /** Receiver of that transfer, who need not be the owner. */
  transferTo: Address.FromWire,
  updatedAt: UnixTime
})

/**
 * An owner's part of a multi token. Fields that this SDK does not know are in `extra`.
 *
 * @since 0.1.0
 * @category models
 */
export type MtToken = typeof MtToken.Type
