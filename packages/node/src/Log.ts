/**
 * Event logs. They are the same in every namespace.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity, HexDataFromWire } from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import * as field from "./internal/field.js"

/**
 * An event log. `topics` holds up to four hashes; `logIndex` counts within the block. The chain's documentation says
 * that the location of a pending log is null; it would be absent here, but the node does not serve such logs.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Log = Schema.Struct({
  address: Address.FromWire,
  topics: Schema.Array(Hash.FromWire),
  data: HexDataFromWire,
  blockNumber: field.absent(BigIntFromQuantity),
  blockHash: field.absent(Hash.FromWire),
  transactionHash: field.absent(Hash.FromWire),
  transactionIndex: field.absent(BigIntFromQuantity),
  logIndex: field.absent(BigIntFromQuantity),
  removed: field.absent(Schema.Boolean)
}).annotations({ identifier: "Log" })

/**
 * An event log.
 *
 * @since 0.1.0
 * @category models
 */
export interface Log extends Schema.Schema.Type<typeof Log> {}
