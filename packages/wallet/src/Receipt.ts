/**
 * The receipt that the wallet returns for a transaction hash.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Hex from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import { Count, maybe, noneAsEmpty } from "./internal/wire.js"
import { Signature } from "./TransactionResult.js"

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
