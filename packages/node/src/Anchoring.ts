/**
 * Data that another chain anchored on this one.
 *
 * @since 0.1.0
 */
import * as Hash from "@effect-klaytn/core/Hash"
import * as Schema from "effect/Schema"
import * as field from "./internal/field.js"

const schema = Schema.Union(
  Schema.Struct({
    blockHash: Hash.FromWire,
    transactionsRoot: Hash.FromWire,
    parentHash: Hash.FromWire,
    receiptsRoot: Hash.FromWire,
    stateRoot: Hash.FromWire,
    blockNumber: field.BigNumber,
    blockCount: field.absent(field.BigNumber),
    txCount: field.absent(field.BigNumber)
  }),
  Schema.Record({ key: Schema.String, value: Schema.Unknown })
).annotations({ identifier: "Anchoring" })

/**
 * The facts of an anchored block, or any other object if the anchor holds free-form JSON. The capitalised keys of old
 * nodes are read too.
 *
 * @since 0.1.0
 * @category models
 */
export type Anchoring = typeof schema.Type

/**
 * The schema of anchored data.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Anchoring: Schema.Schema<Anchoring, unknown> = field.prepared(
  schema,
  field.spelled({
    BlockHash: "blockHash",
    TxHash: "transactionsRoot",
    ParentHash: "parentHash",
    ReceiptHash: "receiptsRoot",
    StateRootHash: "stateRoot",
    BlockNumber: "blockNumber",
    BlockCount: "blockCount",
    TxCount: "txCount"
  })
)
