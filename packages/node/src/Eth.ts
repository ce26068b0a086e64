/**
 * Blocks, transactions and receipts as `eth_` methods return them.
 *
 * **Details**
 *
 * The chain's own transaction types take this shape too, as type 0 with the sender's first signature; account updates,
 * cancellations and anchors get `to` equal to `from`. The bytes of such a transaction can't be rebuilt from this
 * object: the `klay_` methods return everything.
 */
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
  blockHash: schemas.optional(schemas.Hash),
  blockNumber: schemas.optional(schemas.Quantity),
  transactionIndex: schemas.optional(schemas.Quantity),
  hash: schemas.Hash,
  from: schemas.Address,
  to: schemas.optional(schemas.Address),
  nonce: schemas.Quantity,
  gas: schemas.Quantity,
  gasPrice: schemas.optional(schemas.Peb),
  value: schemas.Peb,
  input: schemas.Bytes,
  type: schemas.SmallQuantity,
  v: schemas.Quantity,
  r: schemas.Quantity,
  s: schemas.Quantity,
  chainId: schemas.optional(schemas.Quantity),
  accessList: schemas.optional(AccessList),
  maxFeePerGas: schemas.optional(schemas.Peb),
  maxPriorityFeePerGas: schemas.optional(schemas.Peb),
  maxFeePerBlobGas: schemas.optional(schemas.Peb),
  blobVersionedHashes: schemas.optional(Schema.Array(schemas.Hash)),
  authorizationList: schemas.optional(AuthorizationList)
}).annotations({ identifier: "EthTransaction" })

/**
 * A transaction.
 *
 * @category models
 */
export interface Transaction extends Schema.Schema.Type<typeof Transaction> {}

const receipt = Schema.Struct({
  blockHash: schemas.Hash,
  blockNumber: schemas.Quantity,
  transactionHash: schemas.Hash,
  transactionIndex: schemas.Quantity,
  from: schemas.Address,
  to: schemas.optional(schemas.Address),
  gasUsed: schemas.Quantity,
  cumulativeGasUsed: schemas.Quantity,
  effectiveGasPrice: schemas.optional(schemas.Peb),
  contractAddress: schemas.optional(schemas.Address),
  logs: Schema.Array(Log),
  logsBloom: schemas.Bytes,
  status: schemas.SmallQuantity,
  type: schemas.SmallQuantity,
  blobGasUsed: schemas.optional(schemas.Quantity),
  blobGasPrice: schemas.optional(schemas.Peb)
}).annotations({ identifier: "EthReceipt" })

/**
 * A receipt. `status` is 1 for success, 0 for failure; `contractAddress` is that of a creation that succeeded.
 *
 * @category schemas
 */
export const Receipt: Schema.Schema<Receipt, unknown> = schemas.prepare(receipt, schemas.dropUncreated)

/**
 * A receipt.
 *
 * @category models
 */
export interface Receipt extends Schema.Schema.Type<typeof receipt> {}

const header = {
  number: schemas.optional(schemas.Quantity),
  hash: schemas.optional(schemas.Hash),
  parentHash: schemas.Hash,
  sha3Uncles: schemas.Hash,
  stateRoot: schemas.Hash,
  transactionsRoot: schemas.Hash,
  receiptsRoot: schemas.Hash,
  nonce: schemas.optional(schemas.Bytes),
  mixHash: schemas.optional(schemas.Hash),
  logsBloom: schemas.optional(schemas.Bytes),
  /** The block's proposer. */
  miner: schemas.optional(schemas.Address),
  difficulty: schemas.Quantity,
  totalDifficulty: schemas.optional(schemas.Quantity),
  extraData: schemas.Bytes,
  size: schemas.optional(schemas.Quantity),
  gasLimit: schemas.Quantity,
  gasUsed: schemas.Quantity,
  timestamp: schemas.Timestamp,
  baseFeePerGas: schemas.optional(schemas.Peb),
  randomReveal: schemas.optional(schemas.Bytes),
  excessBlobGas: schemas.optional(schemas.Quantity),
  blobGasUsed: schemas.optional(schemas.Quantity)
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
  uncles: schemas.optional(Schema.Array(schemas.Hash)),
  transactions: Schema.Array(schemas.Hash)
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
  uncles: schemas.optional(Schema.Array(schemas.Hash)),
  transactions: Schema.Array(Transaction)
}).annotations({ identifier: "EthFullBlock" })

/**
 * A block with its transactions.
 *
 * @category models
 */
export interface FullBlock extends Schema.Schema.Type<typeof FullBlock> {}
