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
import * as Address from "@effect-klaytn/core/Address"
import { FromQuantity as PebFromQuantity } from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity, HexDataFromWire } from "@effect-klaytn/core/HexEncoding"
import * as Schema from "effect/Schema"
import * as schemas from "./internal/records/schemas.js"
import { Receipt } from "./Receipt.js"
import { Transaction } from "./Transaction.js"

const spellings = schemas.respell({ blockscore: "blockScore", mixhash: "mixHash" })

const header = {
  number: schemas.optional(BigIntFromQuantity),
  hash: schemas.optional(Hash.FromWire),
  parentHash: Hash.FromWire,
  logsBloom: schemas.optional(HexDataFromWire),
  transactionsRoot: Hash.FromWire,
  stateRoot: Hash.FromWire,
  receiptsRoot: Hash.FromWire,
  reward: schemas.optional(Address.FromWire),
  blockScore: schemas.optional(BigIntFromQuantity),
  extraData: HexDataFromWire,
  gasUsed: BigIntFromQuantity,
  timestamp: schemas.Timestamp,
  timestampFoS: schemas.optional(schemas.SmallQuantity),
  governanceData: schemas.optional(HexDataFromWire),
  voteData: schemas.optional(HexDataFromWire),
  baseFeePerGas: schemas.optional(PebFromQuantity),
  randomReveal: schemas.optional(HexDataFromWire),
  mixHash: schemas.optional(Hash.FromWire),
  excessBlobGas: schemas.optional(BigIntFromQuantity),
  blobGasUsed: schemas.optional(BigIntFromQuantity)
}

const block = {
  ...header,
  /** In bytes. */
  size: BigIntFromQuantity,
  totalBlockScore: schemas.optional(BigIntFromQuantity)
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

const blockSchema = Schema.Struct({ ...block, transactions: Schema.Array(Hash.FromWire) })
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
  committee: schemas.optional(Schema.Array(Address.FromWire)),
  committers: schemas.optional(Schema.Array(Address.FromWire)),
  proposer: schemas.optional(Address.FromWire),
  /** Proposer of round 0. */
  originProposer: schemas.optional(Address.FromWire),
  round: schemas.optional(Schema.Int),
  sigHash: schemas.optional(Hash.FromWire)
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
