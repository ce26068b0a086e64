/**
 * Blocks and headers as `eth_` methods return them.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import { FromQuantity as PebFromQuantity } from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity, HexDataFromWire } from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import { EthTransaction } from "./EthTransaction.js"
import * as field from "./internal/field.js"

const header = {
  number: field.absent(BigIntFromQuantity),
  hash: field.absent(Hash.FromWire),
  parentHash: Hash.FromWire,
  sha3Uncles: Hash.FromWire,
  stateRoot: Hash.FromWire,
  transactionsRoot: Hash.FromWire,
  receiptsRoot: Hash.FromWire,
  nonce: field.absent(HexDataFromWire),
  mixHash: field.absent(Hash.FromWire),
  logsBloom: field.absent(HexDataFromWire),
  /** The block's proposer. */
  miner: field.absent(Address.FromWire),
  difficulty: BigIntFromQuantity,
  totalDifficulty: field.absent(BigIntFromQuantity),
  extraData: HexDataFromWire,
  size: field.absent(BigIntFromQuantity),
  gasLimit: BigIntFromQuantity,
  gasUsed: BigIntFromQuantity,
  timestamp: field.Timestamp,
  baseFeePerGas: field.absent(PebFromQuantity),
  randomReveal: field.absent(HexDataFromWire),
  excessBlobGas: field.absent(BigIntFromQuantity),
  blobGasUsed: field.absent(BigIntFromQuantity)
}

/**
 * A block header. `number`, `hash`, `nonce` and `miner` are absent if it is pending.
 *
 * @since 0.1.0
 * @category schemas
 */
export const EthHeader = Schema.Struct(header).annotations({ identifier: "EthHeader" })

/**
 * A block header.
 *
 * @since 0.1.0
 * @category models
 */
export interface EthHeader extends Schema.Schema.Type<typeof EthHeader> {}

/**
 * A block with the hashes of its transactions. `uncles` is always empty on this chain.
 *
 * @since 0.1.0
 * @category schemas
 */
export const EthBlock = Schema.Struct({
  ...header,
  uncles: field.absent(Schema.Array(Hash.FromWire)),
  transactions: Schema.Array(Hash.FromWire)
}).annotations({ identifier: "EthBlock" })

/**
 * A block with the hashes of its transactions.
 *
 * @since 0.1.0
 * @category models
 */
export interface EthBlock extends Schema.Schema.Type<typeof EthBlock> {}

/**
 * A block with its transactions.
 *
 * @since 0.1.0
 * @category schemas
 */
export const EthFullBlock = Schema.Struct({
  ...header,
  uncles: field.absent(Schema.Array(Hash.FromWire)),
  transactions: Schema.Array(EthTransaction)
}).annotations({ identifier: "EthFullBlock" })

/**
 * A block with its transactions.
 *
 * @since 0.1.0
 * @category models
 */
export interface EthFullBlock extends Schema.Schema.Type<typeof EthFullBlock> {}
