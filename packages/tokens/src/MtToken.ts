/**
 * One owner's holding of one token of a multi-token contract, as the service records it.
 *
 * The document names the record but shows no fields; all were seen in the public clients of the service.
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
 * An owner's holding of a multi token. Addresses are lower case, times are Unix seconds, amounts are whole units as
 * `bigint`. There is no creation time.
 *
 * @since 0.1.0
 * @category schemas
 */
export const MtToken = record.make("MtToken", {
  tokenId: TokenId.FromQuantity,
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
  updatedAt: UnixTime
})

/**
 * An owner's holding of a multi token. Fields that this SDK does not know are in `extra`.
 *
 * @since 0.1.0
 * @category models
 */
export type MtToken = typeof MtToken.Type
