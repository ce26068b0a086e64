/**
 * What the service says about a transaction: its answer to a send, and the receipt that it returns for a hash.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as Schema from "effect/Schema"
import { Count, maybe, noneAsEmpty } from "./internal/fields.js"

/**
 * A signature as on the wire: upper-case names, quantities without leading zeros.
 *
 * @category schemas
 */
export const Signature = Schema.Struct({
  V: HexEncoding.BigIntFromQuantity,
  R: HexEncoding.BigIntFromQuantity,
  S: HexEncoding.BigIntFromQuantity
}).annotations({ identifier: "Signature" })

/**
 * A signature as on the wire: upper-case names, quantities without leading zeros.
 *
 * @category models
 */
export type Signature = typeof Signature.Type

/**
 * The answer to a send: one record for sent, signed and pending transactions. The API document does not show it; every
 * field was seen in public clients.
 *
 * **Details**
 *
 * | Case | `status` | `transactionHash` | `rlp` | `transactionId` |
 * |---|---|---|---|---|
 * | sent | `Submitted` | yes | yes | no |
 * | signed only | absent | no | yes | no |
 * | waits for further signatures | `Pending` | no | no | yes |
 *
 * `transactionHash` is the Keccak-256 hash of `rlp`. `gasPrice` does not always agree with the price inside `rlp`:
 * never compare them. Only fee-delegated transactions have `feePayer`, and only those that share the fee have
 * `feeRatio`.
 *
 * @category schemas
 */
export const TransactionResult = Schema.Struct({
  from: Address.FromWire,
  gas: Count,
  gasPrice: Amount.FromQuantity,
  nonce: Count,
  typeInt: Count,
  value: maybe(Amount.FromQuantity),
  to: noneAsEmpty,
  input: maybe(HexEncoding.HexDataFromWire),
  accountKey: maybe(HexEncoding.HexDataFromWire),
  feePayer: noneAsEmpty,
  feeRatio: maybe(Count),
  rlp: maybe(HexEncoding.HexDataFromWire),
  signatures: maybe(Schema.Array(Signature)),
  status: maybe(Schema.String),
  transactionHash: maybe(Hash.FromWire),
  transactionId: maybe(Hash.FromWire)
}).annotations({ identifier: "TransactionResult" })

/**
 * The result of a transaction.
 *
 * @category models
 */
export type TransactionResult = typeof TransactionResult.Type

/**
 * An event log of a contract.
 *
 * @category schemas
 */
export const Log = Schema.Struct({
  address: Address.FromWire,
  topics: Schema.Array(Hash.FromWire),
  data: HexEncoding.HexDataFromWire,
  blockNumber: HexEncoding.BigIntFromQuantity,
  blockHash: Hash.FromWire,
  transactionHash: Hash.FromWire,
  transactionIndex: HexEncoding.BigIntFromQuantity,
  logIndex: HexEncoding.BigIntFromQuantity,
  removed: maybe(Schema.Boolean)
}).annotations({ identifier: "Log" })

/**
 * The receipt of `GET /v2/tx/{transaction-hash}`. Not in the API document; every field was seen in public clients.
 *
 * **Details**
 *
 * `status` is `Committed` or `CommitError`, or while the transaction waits `Submitted` or `Pending`; any other string
 * is kept. While it waits, `blockHash` is zeros, `blockNumber` is 0, and `gasUsed`, `logs`, `logsBloom` and
 * `transactionHash` are absent; `hash` is always present. Quantities are `bigint`, amounts are in peb.
 * `contractAddress` is present after a deployment; every form in which the service says "none" is decoded as absent.
 *
 * @category schemas
 */
export const Receipt = Schema.Struct({
  hash: Hash.FromWire,
  transactionHash: maybe(Hash.FromWire),
  senderTxHash: maybe(Hash.FromWire),
  blockHash: maybe(Hash.FromWire),
  blockNumber: maybe(HexEncoding.BigIntFromQuantity),
  transactionIndex: maybe(HexEncoding.BigIntFromQuantity),
  status: Schema.String,
  type: Schema.String,
  typeInt: Count,
  from: Address.FromWire,
  to: noneAsEmpty,
  contractAddress: noneAsEmpty,
  nonce: HexEncoding.BigIntFromQuantity,
  value: maybe(Amount.FromQuantity),
  input: maybe(HexEncoding.HexDataFromWire),
  key: maybe(HexEncoding.HexDataFromWire),
  gas: HexEncoding.BigIntFromQuantity,
  gasPrice: maybe(Amount.FromQuantity),
  gasUsed: maybe(HexEncoding.BigIntFromQuantity),
  feePayer: noneAsEmpty,
  feeRatio: maybe(Schema.Union(Count, Schema.String)),
  signatures: maybe(Schema.Array(Signature)),
  feePayerSignatures: maybe(Schema.Array(Signature)),
  logs: maybe(Schema.Array(Log)),
  logsBloom: maybe(HexEncoding.HexDataFromWire),
  codeFormat: maybe(Schema.String),
  humanReadable: maybe(Schema.Boolean)
}).annotations({ identifier: "Receipt" })

/**
 * The receipt of `GET /v2/tx/{transaction-hash}`.
 *
 * @category models
 */
export type Receipt = typeof Receipt.Type
