/**
 * The service's records of a transaction: its answer to a send, the receipt that it returns for a hash, and what a look-up
 * finds on the chain.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import { ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Data from "effect/Data"
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
 * A transaction of the same account that has to run first, and does not run.
 *
 * @category schemas
 */
export const WaitsFor = Schema.Struct({
  /** The hash of its newest attempt. */
  transactionHash: Hash.FromWire,
  /** Its nonce. */
  nonce: Count
}).annotations({ identifier: "WaitsFor" })

/**
 * What became of a send so far, as the wallet of a gateway of your own tells it. The hosted service was never seen to.
 *
 * **Details**
 *
 * | `stage` | Meaning | `since` | `transactionHash` |
 * |---|---|---|---|
 * | `waiting` | the node has it, no block does | it was signed | its newest attempt |
 * | `refused` | the node does not take it; it is sent again until that passes, or is cancelled | the first refusal in a row | its newest attempt |
 * | `limited` | its price is below the base fee, and the limits of its caller forbid a higher one | the first time in a row | its newest attempt |
 * | `behind` | a transaction before it does not run, see `waitsFor`, or none has the nonce before it, see `reason` | it was signed | its newest attempt |
 * | `cancelling` | a cancellation of its nonce is under way; `reason` says why | the cancellation was signed | the cancellation |
 * | `mined` | a block has it | the wallet saw it | the attempt that the block has |
 * | `cancelled` | a block has the cancellation of its nonce; `reason` says why | the wallet saw it | the cancellation |
 * | `replaced` | a block has another transaction with its nonce | the wallet saw it | that transaction, if it is known |
 * | `given up` | the wallet sends it no more; `reason` says why | it gave up | its newest attempt |
 *
 * The first five may still become any of the others. After the last four a payment that did not run is made with a new
 * `Idempotency-Key`.
 *
 * @category schemas
 */
export const Outcome = Schema.Struct({
  /** How far it is; any other string is kept. */
  stage: Schema.String,
  /** Unix seconds. */
  since: Count,
  /** The transaction that stands for the stage. */
  transactionHash: maybe(Hash.FromWire),
  /** The node's last refusal, or why it was cancelled. */
  reason: maybe(Schema.String),
  /** What has to run first. */
  waitsFor: maybe(WaitsFor)
}).annotations({ identifier: "Outcome" })

/**
 * What became of a send so far.
 *
 * @category models
 */
export type Outcome = typeof Outcome.Type

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
 * | sent, and waits for a transaction before it | `Pending` | yes | yes | no |
 * | under the same `Idempotency-Key`, when it can't run any more | `CommitError` | yes | yes | no |
 *
 * The last two are those of the wallet of a gateway of your own, with `waitsFor` and `outcome`.
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
  /** `Submitted` if it was sent, `Pending` if it waits for signatures or for another one, absent if it was only signed. */
  status: maybe(Schema.String),
  /** The hash of the transaction, if it was sent. */
  transactionHash: maybe(Hash.FromWire),
  /** The ID of a transaction that waits for signatures. */
  transactionId: maybe(Hash.FromWire),
  /** The transaction that has to run first and does not run, if there is one. */
  waitsFor: maybe(WaitsFor),
  /** What became of it, if that is not what the other fields say. */
  outcome: maybe(Outcome)
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
 * A gateway of your own answers for every hash of a send of its wallet, which may have been signed again at a higher price: with
 * the receipt of the one that a block has, and with `CommitError`, no block and an `outcome` if it can't run any more.
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
  humanReadable: maybe(Schema.Boolean),
  /** What became of it, as a gateway of your own knows it of a send of its wallet. */
  outcome: maybe(Outcome)
}).annotations({ identifier: "Receipt" })

/**
 * The receipt of `GET /v2/tx/{transaction-hash}`.
 *
 * @category models
 */
export type Receipt = typeof Receipt.Type

/**
 * What the wallet of a gateway of your own tells of a send: the stage of an {@link Outcome}, and the reason that it gives.
 *
 * @category schemas
 */
export const Told = Schema.Struct({ stage: Schema.String, reason: Schema.optional(Schema.String) }).annotations({
  identifier: "Told"
})

/**
 * What the wallet of a gateway of your own tells of a send.
 *
 * @category models
 */
export type Told = typeof Told.Type

/**
 * A transaction as the chain shows it.
 *
 * **Details**
 *
 * `value` is in peb, 0 for types without one; `input` is `0x` for types without one; `key` is the account key of an
 * account update; `feePayer` is present if someone other than the sender pays the fee; `senderTxHash` is the hash of
 * everything that the sender signed, which stays when a fee payer signs. `state` is `waiting` (not in a
 * block yet), `succeeded`, `failed` (it used its nonce and its fee, and moved nothing), or `executed` (it is in a
 * block, but its success is not known). `block` is the number of that block, if it is known. `told` is what the wallet of a
 * gateway of your own tells of one of its sends that waits, see {@link Outcome}: that its node does not take it, for example.
 *
 * @category schemas
 */
export const FoundTransaction = Schema.Struct({
  transactionHash: Hash.Hash,
  from: Address.Address,
  nonce: Schema.Number,
  typeInt: Schema.Number,
  to: Schema.optional(Address.Address),
  value: Schema.BigInt,
  input: Schema.String,
  key: Schema.optional(Schema.String),
  feePayer: Schema.optional(Address.Address),
  senderTxHash: Schema.optional(Hash.Hash),
  state: Schema.Literal("waiting", "executed", "succeeded", "failed"),
  block: Schema.optional(Schema.Int),
  told: Schema.optional(Told)
}).annotations({ identifier: "FoundTransaction" })

/**
 * A transaction as the chain shows it.
 *
 * @category models
 */
export type FoundTransaction = typeof FoundTransaction.Type

/**
 * A look-up could not be made. `cause` is the failure of the call it needed, if there was one. A look-up changes
 * nothing, so it can be repeated. One that would take more than 50 requests, such as a search for hundreds of nonces at
 * once, fails this way each time: `problem` says what to do.
 *
 * @category errors
 */
export class LookupFailed extends Schema.TaggedError<LookupFailed>("@effect-klaytn/wallet/LookupFailed")(
  "LookupFailed",
  { problem: Schema.String, cause: Schema.optional(ServiceError) }
) {
  override get message(): string {
    return this.cause === undefined ? this.problem : `${this.problem}: ${this.cause.message}`
  }
  /** All fields: by default an error would leave out its cause. */
  override toJSON(): unknown {
    return { ...Schema.encodeSync(LookupFailed)(this), message: this.message }
  }
}

/**
 * What a look-up found out about a send with an unknown outcome.
 *
 * - `Executed`: it is in a block; `transaction.state` says whether it succeeded. `certainty` is `nonce` if the
 *   transaction took the nonce of the send. It is `content` if the send had no nonce and exactly one transaction of the
 *   account since then has the same content and was not waiting before. Another send with the same content at the same
 *   time looks the same too; a unique memo rules that out.
 * - `Waiting`: the service or its node knows it, and it is not in a block yet.
 * - `Superseded`: another transaction took the nonce, so this send can never happen.
 * - `NotExecuted`: so far nothing took the nonce, or no transaction since then has the same content. It may still
 *   happen, because a request can arrive late. Repeating a send with the same nonce above 0 is safe; a new send is not.
 * - `Ambiguous`: several transactions match, or there is nothing to search by; `why` says which.
 *
 * @category models
 */
export type SendVerdict = Data.TaggedEnum<{
  Executed: { readonly transaction: FoundTransaction; readonly certainty: "nonce" | "content" }
  Waiting: { readonly transaction: FoundTransaction }
  Superseded: { readonly transaction: FoundTransaction }
  NotExecuted: { readonly nextNonce: number | undefined }
  Ambiguous: { readonly transactions: ReadonlyArray<FoundTransaction>; readonly why: string }
}>

/**
 * Constructors, `$is` and `$match` of {@link SendVerdict}.
 *
 * @category constructors
 */
export const SendVerdict = Data.taggedEnum<SendVerdict>()
