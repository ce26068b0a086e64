/**
 * Blocks, transactions and receipts as `eth_` methods return them.
 *
 * **Details**
 *
 * The chain's own transaction types take this shape too, as type 0 with the sender's first signature; account updates,
 * cancellations and anchors get `to` equal to `from`. The bytes of such a transaction can't be rebuilt from this
 * object: the `klay_` methods return everything.
 */
import * as Address from "@effect-klaytn/core/Address"
import { FromQuantity as PebFromQuantity } from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity, HexDataFromWire } from "@effect-klaytn/core/HexEncoding"
import * as Schema from "effect/Schema"
import * as schemas from "./internal/records/schemas.js"
import { Log } from "./Log.js"
import { AccessList, AuthorizationList } from "./TransactionSchemas.js"

/**
 * A transaction. `blockHash`, `blockNumber` and `transactionIndex` are absent while it is pending. `type` is 0 to 4.
 *
 * @category schemas
 */
export const Transaction = Schema.Struct({
  blockHash: schemas.optional(Hash.FromWire),
  blockNumber: schemas.optional(BigIntFromQuantity),
  transactionIndex: schemas.optional(BigIntFromQuantity),
  hash: Hash.FromWire,
  from: Address.FromWire,
  to: schemas.optional(Address.FromWire),
  nonce: BigIntFromQuantity,
  gas: BigIntFromQuantity,
  gasPrice: schemas.optional(PebFromQuantity),
  value: PebFromQuantity,
  input: HexDataFromWire,
  type: schemas.SmallQuantity,
  v: BigIntFromQuantity,
  r: BigIntFromQuantity,
  s: BigIntFromQuantity,
  chainId: schemas.optional(BigIntFromQuantity),
  accessList: schemas.optional(AccessList),
  maxFeePerGas: schemas.optional(PebFromQuantity),
  maxPriorityFeePerGas: schemas.optional(PebFromQuantity),
  maxFeePerBlobGas: schemas.optional(PebFromQuantity),
  blobVersionedHashes: schemas.optional(Schema.Array(Hash.FromWire)),
  authorizationList: schemas.optional(AuthorizationList)
}).annotations({ identifier: "EthTransaction" })

/**
 * A transaction.
 *
 * @category models
 */
export interface Transaction extends Schema.Schema.Type<typeof Transaction> {}

/**
 * A receipt. `status` is 1 for success, 0 for failure.
 *
 * @category schemas
 */
export const Receipt = Schema.Struct({
  blockHash: Hash.FromWire,
  blockNumber: BigIntFromQuantity,
  transactionHash: Hash.FromWire,
  transactionIndex: BigIntFromQuantity,
  from: Address.FromWire,
  to: schemas.optional(Address.FromWire),
  gasUsed: BigIntFromQuantity,
  cumulativeGasUsed: BigIntFromQuantity,
  effectiveGasPrice: schemas.optional(PebFromQuantity),
  contractAddress: schemas.optional(Address.FromWire),
  logs: Schema.Array(Log),
  logsBloom: HexDataFromWire,
  status: schemas.SmallQuantity,
  type: schemas.SmallQuantity,
  blobGasUsed: schemas.optional(BigIntFromQuantity),
  blobGasPrice: schemas.optional(PebFromQuantity)
}).annotations({ identifier: "EthReceipt" })

/**
 * A receipt.
 *
 * @category models
 */
export interface Receipt extends Schema.Schema.Type<typeof Receipt> {}

const header = {
  number: schemas.optional(BigIntFromQuantity),
  hash: schemas.optional(Hash.FromWire),
  parentHash: Hash.FromWire,
  sha3Uncles: Hash.FromWire,
  stateRoot: Hash.FromWire,
  transactionsRoot: Hash.FromWire,
  receiptsRoot: Hash.FromWire,
  nonce: schemas.optional(HexDataFromWire),
  mixHash: schemas.optional(Hash.FromWire),
  logsBloom: schemas.optional(HexDataFromWire),
  /** The block's proposer. */
  miner: schemas.optional(Address.FromWire),
  difficulty: BigIntFromQuantity,
  totalDifficulty: schemas.optional(BigIntFromQuantity),
  extraData: HexDataFromWire,
  size: schemas.optional(BigIntFromQuantity),
  gasLimit: BigIntFromQuantity,
  gasUsed: BigIntFromQuantity,
  timestamp: schemas.Timestamp,
  baseFeePerGas: schemas.optional(PebFromQuantity),
  randomReveal: schemas.optional(HexDataFromWire),
  excessBlobGas: schemas.optional(BigIntFromQuantity),
  blobGasUsed: schemas.optional(BigIntFromQuantity)
}

/**
 * A block header. `number`, `hash`, `nonce` and `miner` are absent if it is pending.
 *
 * @category schemas
 */
export const Header = Schema.Struct(header).annotations({ identifier: "EthHeader" })

/**
 * A block header.
 *
 * @category models
 */
export interface Header extends Schema.Schema.Type<typeof Header> {}

/**
 * A block with the hashes of its transactions. `uncles` is always empty on this chain.
 *
 * @category schemas
 */
export const Block = Schema.Struct({
  ...header,
  uncles: schemas.optional(Schema.Array(Hash.FromWire)),
  transactions: Schema.Array(Hash.FromWire)
}).annotations({ identifier: "EthBlock" })

/**
 * A block with the hashes of its transactions.
 *
 * @category models
 */
export interface Block extends Schema.Schema.Type<typeof Block> {}

/**
 * A block with its transactions.
 *
 * @category schemas
 */
export const FullBlock = Schema.Struct({
  ...header,
  uncles: schemas.optional(Schema.Array(Hash.FromWire)),
  transactions: Schema.Array(Transaction)
}).annotations({ identifier: "EthFullBlock" })

/**
 * A block with its transactions.
 *
 * @category models
 */
export interface FullBlock extends Schema.Schema.Type<typeof FullBlock> {}
