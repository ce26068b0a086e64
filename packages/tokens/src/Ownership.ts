/**
 * The past owners of a token, and how many owners a contract has.
 *
 * **Not in the API document**: these records were seen in public clients of the service.
 */
import * as Address from "@effect-klaytn/core/Address"
import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Schema from "effect/Schema"
import * as record from "./internal/record.js"

/**
 * One ownership change of an NFT. `from` is the zero address for the mint.
 *
 * @category schemas
 */
export const OwnershipChange = record.make("NftOwnershipChange", {
  /** The owner before; the zero address for the mint. */
  from: Address.FromWire,
  /** The new owner. */
  to: Address.FromWire,
  /** When it happened. */
  timestamp: UnixTime
})

/**
 * One ownership change of an NFT. Fields that this SDK does not know are in `extra`.
 *
 * @category models
 */
export type OwnershipChange = typeof OwnershipChange.Type

/**
 * How many accounts own tokens of a contract.
 *
 * @category schemas
 */
export const TokenHolder = record.make("TokenHolder", {
  /** The contract. */
  address: Address.FromWire,
  /** How many accounts hold tokens of the contract. */
  totalHolder: Schema.Int
})

/**
 * How many accounts own tokens of a contract. Fields that this SDK does not know are in `extra`.
 *
 * @category models
 */
export type TokenHolder = typeof TokenHolder.Type
