/**
 * Blocks and headers as `klay_` and `kaia_` methods return them.
 *
 * **Details**
 *
 * The fields follow the node's code. Those that only some versions send are optional: `totalBlockScore` until v2.0,
 * `baseFeePerGas` since the Magma upgrade, `randomReveal` and `mixHash` since Randao, the blob fields since Osaka. Both
 * spellings of `blockScore` and `mixHash` are read. Numbers and gas are `bigint`, `timestamp` is in Unix seconds,
 * `timestampFoS` is the hundredths of that second, and prices are in peb.
 */
import * as Schema from "effect/Schema"
import * as schemas from "./internal/records/schemas.js"
import { Receipt } from "./Receipt.js"
import { Transaction } from "./Transaction.js"

const spellings = schemas.respell({ blockscore: "blockScore", mixhash: "mixHash" })

const header = {
  number: schemas.optional(schemas.Quantity),
  hash: schemas.optional(schemas.Hash),
  parentHash: schemas.Hash,
  logsBloom: schemas.optional(schemas.Bytes),
  transactionsRoot: schemas.Hash,
  stateRoot: schemas.Hash,
  receiptsRoot: schemas.Hash,
  reward: schemas.optional(schemas.Address),
  blockScore: schemas.optional(schemas.Quantity),
  extraData: schemas.Bytes,
  gasUsed: schemas.Quantity,
  timestamp: schemas.Timestamp,
  timestampFoS: schemas.optional(schemas.SmallQuantity),
  governanceData: schemas.optional(schemas.Bytes),
  voteData: schemas.optional(schemas.Bytes),
  baseFeePerGas: schemas.optional(schemas.Peb),
  randomReveal: schemas.optional(schemas.Bytes),
  mixHash: schemas.optional(schemas.Hash),
  excessBlobGas: schemas.optional(schemas.Quantity),
  blobGasUsed: schemas.optional(schemas.Quantity)
}

const block = {
  ...header,
  /** In bytes. */
  size: schemas.Quantity,
  totalBlockScore: schemas.optional(schemas.Quantity)
}

const headerSchema = Schema.Struct(header).annotations({ identifier: "Header" })

/**
 * A block header. `number` and `hash` are absent if it is pending.
 *
 * @category models
 */
export interface Header extends Schema.Schema.Type<typeof headerSchema> {}

/**
 * The schema of a header.
 *
 * @category schemas
 */
export const Header: Schema.Schema<Header, unknown> = schemas.prepare(headerSchema, spellings)

const blockSchema = Schema.Struct({ ...block, transactions: Schema.Array(schemas.Hash) })
  .annotations({ identifier: "Block" })

/**
 * A block with the hashes of its transactions.
 *
 * @category models
 */
export interface Block extends Schema.Schema.Type<typeof blockSchema> {}

/**
 * The schema of a block with the hashes of its transactions.
 *
 * @category schemas
 */
export const Block: Schema.Schema<Block, unknown> = schemas.prepare(blockSchema, spellings)

const fullBlockSchema = Schema.Struct({ ...block, transactions: Schema.Array(Transaction) })
  .annotations({ identifier: "FullBlock" })

/**
 * A block with its transactions.
 *
 * @category models
 */
export interface FullBlock extends Schema.Schema.Type<typeof fullBlockSchema> {}

/**
 * The schema of a block with its transactions.
 *
 * @category schemas
 */
export const FullBlock: Schema.Schema<FullBlock, unknown> = schemas.prepare(fullBlockSchema, spellings)

const consensusBlockSchema = Schema.Struct({
  ...block,
  /** Receipts, or plain transactions if the node has no receipts of the block. */
  transactions: Schema.Array(Schema.Union(Receipt, Transaction)),
  /** None for block 0. */
  committee: schemas.optional(Schema.Array(schemas.Address)),
  committers: schemas.optional(Schema.Array(schemas.Address)),
  proposer: schemas.optional(schemas.Address),
  /** Proposer of round 0. */
  originProposer: schemas.optional(schemas.Address),
  round: schemas.optional(Schema.Int),
  sigHash: schemas.optional(schemas.Hash)
}).annotations({ identifier: "ConsensusBlock" })

/**
 * A block with the receipts of its transactions, its proposer and its committee.
 *
 * @category models
 */
export interface ConsensusBlock extends Schema.Schema.Type<typeof consensusBlockSchema> {}

/**
 * The schema of a block with its receipts and committee.
 *
 * @category schemas
 */
export const ConsensusBlock: Schema.Schema<ConsensusBlock, unknown> = schemas.prepare(consensusBlockSchema, spellings)
