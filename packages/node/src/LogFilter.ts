/**
 * Which logs to look for.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Schema from "effect/Schema"
import * as BlockSelector from "./BlockSelector.js"

/**
 * A filter. Either `blockHash`, or a range of blocks, whose ends are both the latest block if left out.
 *
 * **Details**
 *
 * The place in `topics` matters: `null` matches anything, a list matches any of its hashes, and logs with more topics
 * match too. A node answers at most 10,000 logs and searches for 10 seconds; beyond that it fails and never answers a
 * part. `LogRange` splits a wide range.
 *
 * @since 0.1.0
 * @category models
 */
export interface LogFilter {
  readonly fromBlock?: BlockSelector.BlockNumber | undefined
  readonly toBlock?: BlockSelector.BlockNumber | undefined
  readonly blockHash?: string | undefined
  readonly address?: string | ReadonlyArray<string> | undefined
  readonly topics?: ReadonlyArray<string | null | ReadonlyArray<string | null>> | undefined
}

const Topic = Schema.NullOr(Hash.FromWire)

/**
 * From a {@link LogFilter} to its form on the wire.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ToWire = Schema.Struct({
  fromBlock: Schema.optional(BlockSelector.NumberToWire),
  toBlock: Schema.optional(BlockSelector.NumberToWire),
  blockHash: Schema.optional(Hash.FromWire),
  address: Schema.optional(Schema.Union(Address.FromInput, Schema.Array(Address.FromInput))),
  topics: Schema.optional(Schema.Array(Schema.Union(Topic, Schema.Array(Topic))))
}).pipe(
  Schema.filter(
    ({ blockHash, fromBlock, toBlock }) =>
      blockHash === undefined || (fromBlock === undefined && toBlock === undefined),
    { message: () => "give either blockHash or fromBlock and toBlock" }
  )
).annotations({ identifier: "LogFilter", parseOptions: { onExcessProperty: "error" } })
