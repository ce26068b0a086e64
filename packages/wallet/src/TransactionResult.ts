/**
 * What the service says about a transaction: its answer to a send, and the receipt that it returns for a hash.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Hex from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import { Count, maybe, noneAsEmpty } from "./internal/fields.js"

/**
 * A signature as on the wire: upper-case names, quantities without leading zeros.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Signature = Schema.Struct({
  V: Hex.BigIntFromQuantity,
  R: Hex.BigIntFromQuantity,
  S: Hex.BigIntFromQuantity
}).annotations({ identifier: "Signature" })

/**
 * A signature as on the wire: upper-case names, quantities without leading zeros.
 *
 * @since 0.1.0
 * @category models
 */
export type Signature = typeof Signature.Type

/**
 * The answer to a send: one record for sent, signed and pending transactions. The document does not show it; every
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
 * @since 0.1.0
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
  input: maybe(Hex.HexDataFromWire),
  accountKey: maybe(Hex.HexDataFromWire),
  feePayer: noneAsEmpty,
  feeRatio: maybe(Count),
  rlp: maybe(Hex.HexDataFromWire),
  signatures: maybe(Schema.Array(Signature)),
  status: maybe(Schema.String),
  transactionHash: maybe(Hash.FromWire),
  transactionId: maybe(Hash.FromWire)
}).annotations({ identifier: "TransactionResult" })

/**
 * The result of a transaction.
 *
 * @since 0.1.0
 * @category models
 */
export type TransactionResult = typeof TransactionResult.Type

/**
 * An event log of a contract.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Log = Schema.Struct({
  address: Address.FromWire,
  topics: Schema.Array(Hash.FromWire),
  data: Hex.HexDataFromWire,
  blockNumber: Hex.BigIntFromQuantity,
  blockHash: Hash.FromWire,
  transactionHash: Hash.FromWire,
  transactionIndex: Hex.BigIntFromQuantity,
  logIndex: Hex.BigIntFromQuantity,
  removed: maybe(Schema.Boolean)
}).annotations({ identifier: "Log" })

/**
 * The receipt of `GET /v2/tx/{transaction-hash}`. Beyond the document; every field was seen in public clients.
 *
 * **Details**
 *
 * `status` is `Committed` or `CommitError`, or while the transaction waits `Submitted` or `Pending`; any other string
 * is kept. While it waits, `blockHash` is zeros, `blockNumber` is 0, and `gasUsed`, `logs`, `logsBloom` and
 * `transactionHash` are absent; `hash` is always present. Quantities are `bigint`, amounts are in peb.
 * `contractAddress` is present after a deployment; every form in which the service says "none" is decoded as absent.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Receipt = Schema.Struct({
  hash: Hash.FromWire,
  transactionHash: maybe(Hash.FromWire),
  senderTxHash: maybe(Hash.FromWire),
  blockHash: maybe(Hash.FromWire),
  blockNumber: maybe(Hex.BigIntFromQuantity),
  transactionIndex: maybe(Hex.BigIntFromQuantity),
  status: Schema.String,
  type: Schema.String,
  typeInt: Count,
  from: Address.FromWire,
  to: noneAsEmpty,
  contractAddress: noneAsEmpty,
  nonce: Hex.BigIntFromQuantity,
  value: maybe(Amount.FromQuantity),
  input: maybe(Hex.HexDataFromWire),
  key: maybe(Hex.HexDataFromWire),
  gas: Hex.BigIntFromQuantity,
  gasPrice: maybe(Amount.FromQuantity),
  gasUsed: maybe(Hex.BigIntFromQuantity),
  feePayer: noneAsEmpty,
  feeRatio: maybe(Schema.Union(Count, Schema.String)),
  signatures: maybe(Schema.Array(Signature)),
  feePayerSignatures: maybe(Schema.Array(Signature)),
  logs: maybe(Schema.Array(Log)),
  logsBloom: maybe(Hex.HexDataFromWire),
  codeFormat: maybe(Schema.String),
  humanReadable: maybe(Schema.Boolean)
}).annotations({ identifier: "Receipt" })

/**
 * The receipt of `GET /v2/tx/{transaction-hash}`.
 *
 * @since 0.1.0
 * @category models
 */
export type Receipt = typeof Receipt.Type
