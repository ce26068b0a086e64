/**
 * The service's records of a transaction: its answer to a send, and the receipt that it returns for a hash.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as Schema from "effect/Schema"
import * as fields from "./internal/contract/fields.js"

const { Count, maybe, noneAsEmpty } = fields

/**
 * A signature as on the wire: upper-case names, quantities without leading zeros.
 *
 * @category schemas
 */
export const Signature = Schema.Struct({
  /** The recovery number with the chain in it, in hexadecimal. */
  V: HexEncoding.BigIntFromQuantity,
  /** The number r of the signature, in hexadecimal. */
  R: HexEncoding.BigIntFromQuantity,
  /** The number s of the signature, in hexadecimal. */
  S: HexEncoding.BigIntFromQuantity
}).annotations({ identifier: "Signature" })

/**
 * A signature as on the wire: upper-case names, quantities without leading zeros.
 *
 * @category models
 */
export type Signature = typeof Signature.Type

const transaction = {
  ...fields.transaction,
  /** The address of the fee payer. */
  feePayer: noneAsEmpty,
  /** The signatures of the sender. */
  signatures: maybe(Schema.Array(Signature))
}

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
  ...transaction,
  /** How much gas the transaction may use. */
  gas: Count,
  /** The price of a unit of gas, in peb. */
  gasPrice: Amount.FromQuantity,
  /** The nonce of the sender. */
  nonce: Count,
  /** The key that the account gets, encoded. */
  accountKey: maybe(HexEncoding.HexDataFromWire),
  /** The percentage of the fee that the fee payer pays, 1 to 99; without it, all. */
  feeRatio: maybe(Count),
  /** The transaction, encoded and signed. */
  rlp: maybe(HexEncoding.HexDataFromWire),
  /** `Submitted` if it was sent, `Pending` if it waits for signatures, absent if it was only signed. */
  status: maybe(Schema.String),
  /** The hash of the transaction, if it was sent. */
  transactionHash: maybe(Hash.FromWire),
  /** The ID of a transaction that waits for signatures. */
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
  /** The address of the contract that wrote the log. */
  address: Address.FromWire,
  /** The topics of the log. */
  topics: Schema.Array(Hash.FromWire),
  /** The data of the log. */
  data: HexEncoding.HexDataFromWire,
  /** The number of the block. */
  blockNumber: HexEncoding.BigIntFromQuantity,
  /** The hash of the block. */
  blockHash: Hash.FromWire,
  /** The hash of the transaction. */
  transactionHash: Hash.FromWire,
  /** The position of the transaction in its block, from 0. */
  transactionIndex: HexEncoding.BigIntFromQuantity,
  /** The position of the log in its block, from 0. */
  logIndex: HexEncoding.BigIntFromQuantity,
  /** Whether the block of the log has been replaced. */
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
  ...transaction,
  /** The hash that was asked for. */
  hash: Hash.FromWire,
  /** The hash of the transaction. */
  transactionHash: maybe(Hash.FromWire),
  /** The hash of what the sender signed, without the fee payer's signatures. */
  senderTxHash: maybe(Hash.FromWire),
  /** The hash of the block. */
  blockHash: maybe(Hash.FromWire),
  /** The number of the block. */
  blockNumber: maybe(HexEncoding.BigIntFromQuantity),
  /** The position of the transaction in its block, from 0. */
  transactionIndex: maybe(HexEncoding.BigIntFromQuantity),
  /** `Committed` or `CommitError`; `Submitted` or `Pending` while it waits. */
  status: Schema.String,
  /** The kind, by its name. */
  type: Schema.String,
  /** The address of the contract that the transaction deployed, if it did. */
  contractAddress: noneAsEmpty,
  /** The nonce of the sender. */
  nonce: HexEncoding.BigIntFromQuantity,
  /** The key that the account got, encoded. */
  key: maybe(HexEncoding.HexDataFromWire),
  /** How much gas the transaction may use. */
  gas: HexEncoding.BigIntFromQuantity,
  /** The price of a unit of gas, in peb. */
  gasPrice: maybe(Amount.FromQuantity),
  /** How much gas the transaction used. */
  gasUsed: maybe(HexEncoding.BigIntFromQuantity),
  /** The percentage of the fee that the fee payer pays, 1 to 99; without it, all. */
  feeRatio: maybe(Schema.Union(Count, Schema.String)),
  /** The signatures of the fee payer. */
  feePayerSignatures: maybe(Schema.Array(Signature)),
  /** The logs of the contracts that were called. */
  logs: maybe(Schema.Array(Log)),
  /** The Bloom filter of the logs. */
  logsBloom: maybe(HexEncoding.HexDataFromWire),
  /** The format of the code that was deployed. */
  codeFormat: maybe(Schema.String),
  /** Whether the deployed contract has a name for its address. */
  humanReadable: maybe(Schema.Boolean)
}).annotations({ identifier: "Receipt" })

/**
 * The receipt of `GET /v2/tx/{transaction-hash}`.
 *
 * @category models
 */
export type Receipt = typeof Receipt.Type
