/**
 * Event logs, which are the same in every namespace, and filters for them.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Schema from "effect/Schema"
import * as BlockSelector from "./BlockSelector.js"
import * as schemas from "./internal/records/schemas.js"

/**
 * An event log. `topics` holds up to four hashes; `logIndex` counts within the block. The chain's documentation says
 * that the location of a pending log is null; it would be absent here, but the node does not serve such logs.
 *
 * @category schemas
 */
export const Log = Schema.Struct({
  address: schemas.Address,
  topics: Schema.Array(schemas.Hash),
  data: schemas.Bytes,
  blockNumber: schemas.optional(schemas.Quantity),
  blockHash: schemas.optional(schemas.Hash),
  transactionHash: schemas.optional(schemas.Hash),
  transactionIndex: schemas.optional(schemas.Quantity),
  logIndex: schemas.optional(schemas.Quantity),
  removed: schemas.optional(Schema.Boolean)
}).annotations({ identifier: "Log" })

/**
 * An event log.
 *
 * @category models
 */
export interface Log extends Schema.Schema.Type<typeof Log> {}

/**
 * A log filter. Give either `blockHash` or a range of blocks; both ends of the range default to the latest block.
 *
 * **Details**
 *
 * Entries of `topics` match by position: `null` matches anything, a list matches any of its hashes, and logs with more
 * topics match too. A node returns at most 10,000 logs and searches for at most 10 seconds; beyond either it fails, and
 * never returns a part. Use `LogRange` for a wide range.
 *
 * @category models
 */
export interface LogFilter {
  readonly fromBlock?: BlockSelector.BlockNumber | undefined
  readonly toBlock?: BlockSelector.BlockNumber | undefined
  readonly blockHash?: string | undefined
  readonly address?: string | ReadonlyArray<string> | undefined
  readonly topics?: ReadonlyArray<string | null | ReadonlyArray<string | null>> | undefined
}

const Topic = Schema.NullOr(schemas.Hash)

/**
 * Encodes a {@link LogFilter} for the wire.
 *
 * @category schemas
 */
export const FilterToWire = Schema.Struct({
  fromBlock: Schema.optional(BlockSelector.NumberToWire),
  toBlock: Schema.optional(BlockSelector.NumberToWire),
  blockHash: Schema.optional(schemas.Hash),
  address: Schema.optional(Schema.Union(Address.FromInput, Schema.Array(Address.FromInput))),
  topics: Schema.optional(Schema.Array(Schema.Union(Topic, Schema.Array(Topic))))
}).pipe(
  Schema.filter(
    ({ blockHash, fromBlock, toBlock }) =>
      blockHash === undefined || (fromBlock === undefined && toBlock === undefined),
    { message: () => "give either blockHash or fromBlock and toBlock" }
  )
).annotations({ identifier: "LogFilter", parseOptions: { onExcessProperty: "error" } })
