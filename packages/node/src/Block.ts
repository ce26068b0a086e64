/**
 * Blocks and headers as `klay_` and `kaia_` methods return them.
 *
 * **Details**
 *
 * The fields follow the node's code. Those that only some versions send are optional: `totalBlockScore` until v2.0,
 * `baseFeePerGas` since the Magma upgrade, `randomReveal` and `mixHash` since Randao, the blob fields since Osaka. Both
 * spellings of `blockScore` and `mixHash` are read. Numbers and gas are `bigint`, `timestamp` is in Unix seconds,
 * `timestampFoS` is the hundredths of that second, and prices are in peb.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import { FromQuantity as PebFromQuantity } from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity, HexDataFromWire } from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import * as field from "./internal/field.js"
import { Receipt } from "./Receipt.js"
import { Transaction } from "./Transaction.js"

const spellings = field.spelled({ blockscore: "blockScore", mixhash: "mixHash" })

const header = {
  number: field.absent(BigIntFromQuantity),
  hash: field.absent(Hash.FromWire),
  parentHash: Hash.FromWire,
  logsBloom: field.absent(HexDataFromWire),
  transactionsRoot: Hash.FromWire,
  stateRoot: Hash.FromWire,
  receiptsRoot: Hash.FromWire,
  reward: field.absent(Address.FromWire),
  blockScore: field.absent(BigIntFromQuantity),
  extraData: HexDataFromWire,
  gasUsed: BigIntFromQuantity,
  timestamp: field.Timestamp,
  timestampFoS: field.absent(field.SmallQuantity),
  governanceData: field.absent(HexDataFromWire),
  voteData: field.absent(HexDataFromWire),
  baseFeePerGas: field.absent(PebFromQuantity),
  randomReveal: field.absent(HexDataFromWire),
  mixHash: field.absent(Hash.FromWire),
  excessBlobGas: field.absent(BigIntFromQuantity),
  blobGasUsed: field.absent(BigIntFromQuantity)
}

const block = {
  ...header,
  /** In bytes. */
  size: BigIntFromQuantity,
  totalBlockScore: field.absent(BigIntFromQuantity)
}

const headerSchema = Schema.Struct(header).annotations({ identifier: "Header" })

/**
 * A block header. `number` and `hash` are absent if it is pending.
 *
 * @since 0.1.0
 * @category models
 */
export interface Header extends Schema.Schema.Type<typeof headerSchema> {}

/**
 * The schema of a header.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Header: Schema.Schema<Header, unknown> = field.prepared(headerSchema, spellings)

const blockSchema = Schema.Struct({ ...block, transactions: Schema.Array(Hash.FromWire) })
  .annotations({ identifier: "Block" })

/**
 * A block with the hashes of its transactions.
 *
 * @since 0.1.0
 * @category models
 */
export interface Block extends Schema.Schema.Type<typeof blockSchema> {}

/**
 * The schema of a block with the hashes of its transactions.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Block: Schema.Schema<Block, unknown> = field.prepared(blockSchema, spellings)

const fullBlockSchema = Schema.Struct({ ...block, transactions: Schema.Array(Transaction) })
  .annotations({ identifier: "FullBlock" })

/**
 * A block with its transactions.
 *
 * @since 0.1.0
 * @category models
 */
export interface FullBlock extends Schema.Schema.Type<typeof fullBlockSchema> {}

/**
 * The schema of a block with its transactions.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FullBlock: Schema.Schema<FullBlock, unknown> = field.prepared(fullBlockSchema, spellings)

const consensusBlockSchema = Schema.Struct({
  ...block,
  /** Receipts, or plain transactions if the node has no receipts of the block. */
  transactions: Schema.Array(Schema.Union(Receipt, Transaction)),
  /** None for block 0. */
  committee: field.absent(Schema.Array(Address.FromWire)),
  committers: field.absent(Schema.Array(Address.FromWire)),
  proposer: field.absent(Address.FromWire),
  /** Proposer of round 0. */
  originProposer: field.absent(Address.FromWire),
  round: field.absent(Schema.Int),
  sigHash: field.absent(Hash.FromWire)
}).annotations({ identifier: "ConsensusBlock" })

/**
 * A block with the receipts of its transactions, its proposer and its committee.
 *
 * @since 0.1.0
 * @category models
 */
export interface ConsensusBlock extends Schema.Schema.Type<typeof consensusBlockSchema> {}

/**
 * The schema of a block with its receipts and committee.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ConsensusBlock: Schema.Schema<ConsensusBlock, unknown> = field.prepared(consensusBlockSchema, spellings)
