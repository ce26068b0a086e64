/**
 * Transactions and receipts as `eth_` methods return them.
 *
 * **Details**
 *
 * The chain's own types take this shape too, as type 0 with the sender's first signature; account updates,
 * cancellations and anchors get `to` equal to `from`. The bytes of such a transaction can't be rebuilt from this
 * object: the `klay_` methods return everything.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import { FromQuantity as PebFromQuantity } from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity, HexDataFromWire } from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import { AccessList, AuthorizationList } from "./AccessList.js"
import * as field from "./internal/field.js"
import { Log } from "./Log.js"

/**
 * A transaction. `blockHash`, `blockNumber` and `transactionIndex` are absent while it is pending. `type` is 0 to 4.
 *
 * @since 0.1.0
 * @category schemas
 */
export const EthTransaction = Schema.Struct({
  blockHash: field.absent(Hash.FromWire),
  blockNumber: field.absent(BigIntFromQuantity),
  transactionIndex: field.absent(BigIntFromQuantity),
  hash: Hash.FromWire,
  from: Address.FromWire,
  to: field.absent(Address.FromWire),
  nonce: BigIntFromQuantity,
  gas: BigIntFromQuantity,
  gasPrice: field.absent(PebFromQuantity),
  value: PebFromQuantity,
  input: HexDataFromWire,
  type: field.SmallQuantity,
  v: BigIntFromQuantity,
  r: BigIntFromQuantity,
  s: BigIntFromQuantity,
  chainId: field.absent(BigIntFromQuantity),
  accessList: field.absent(AccessList),
  maxFeePerGas: field.absent(PebFromQuantity),
  maxPriorityFeePerGas: field.absent(PebFromQuantity),
  maxFeePerBlobGas: field.absent(PebFromQuantity),
  blobVersionedHashes: field.absent(Schema.Array(Hash.FromWire)),
  authorizationList: field.absent(AuthorizationList)
}).annotations({ identifier: "EthTransaction" })

/**
 * A transaction.
 *
 * @since 0.1.0
 * @category models
 */
export interface EthTransaction extends Schema.Schema.Type<typeof EthTransaction> {}

/**
 * A receipt. `status` is 1 for success, 0 for failure.
 *
 * @since 0.1.0
 * @category schemas
 */
export const EthReceipt = Schema.Struct({
  blockHash: Hash.FromWire,
  blockNumber: BigIntFromQuantity,
  transactionHash: Hash.FromWire,
  transactionIndex: BigIntFromQuantity,
  from: Address.FromWire,
  to: field.absent(Address.FromWire),
  gasUsed: BigIntFromQuantity,
  cumulativeGasUsed: BigIntFromQuantity,
  effectiveGasPrice: field.absent(PebFromQuantity),
  contractAddress: field.absent(Address.FromWire),
  logs: Schema.Array(Log),
  logsBloom: HexDataFromWire,
  status: field.SmallQuantity,
  type: field.SmallQuantity,
  blobGasUsed: field.absent(BigIntFromQuantity),
  blobGasPrice: field.absent(PebFromQuantity)
}).annotations({ identifier: "EthReceipt" })

/**
 * A receipt.
 *
 * @since 0.1.0
 * @category models
 */
export interface EthReceipt extends Schema.Schema.Type<typeof EthReceipt> {}
