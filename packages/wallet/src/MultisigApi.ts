/**
 * The contract of multisig: giving an account several keys, and the transactions that wait for their signatures.
 *
 * **Not in the API document**: everything here was seen in public clients of the service, which may answer differently,
 * or not at all. "Not found" is HTTP 400 with code 1061010.
 */
import * as Amount from "@effect-klaytn/core/Amount"
import * as Chain from "@effect-klaytn/core/Chain"
import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Krn from "@effect-klaytn/core/Krn"
import * as Operation from "@effect-klaytn/core/Operation"
import * as Paged from "@effect-klaytn/core/Paged"
import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Schema from "effect/Schema"
import { MultiSigKey } from "./Account.js"
import { accountPath, ChecksumAddress, Count, listQuery, maybe, transaction } from "./internal/contract/fields.js"
import { Signature } from "./TransactionResult.js"
import { PoolHeader } from "./WalletApi.js"

const { get, post, put } = Operation.of("wallet", [ErrorBody.BadRequest])

const pendingId = {
  /** The ID of the waiting transaction. */
  transactionId: Hash.FromWire
}

/**
 * An account that was given several keys, and the transaction that did it.
 *
 * @category schemas
 */
export const MultiSigAccount = Schema.Struct({
  /** The address of the account. */
  address: ChecksumAddress,
  /** The pool that it belongs to. */
  krn: Krn.FromString,
  /** The keys of a multisig account; absent if it has one key. */
  multiSigKeys: Schema.Array(MultiSigKey),
  /** The weight that signatures need together. */
  threshold: Schema.Int,
  /** The hash of the transaction. */
  transactionHash: Hash.FromWire,
  /** When it last changed. */
  updatedAt: UnixTime
}).annotations({ identifier: "MultiSigAccount" })

/**
 * An account that was given several keys, and the transaction that did it.
 *
 * @category models
 */
export type MultiSigAccount = typeof MultiSigAccount.Type

/**
 * A transaction that waits for signatures.
 *
 * **Details**
 *
 * `status` 2 means waiting; it is the only value seen. `threshold` is the weight that the signatures must reach.
 *
 * @category schemas
 */
export const PendingTransaction = Schema.Struct({
  /** The address of the account. */
  address: ChecksumAddress,
  /** The chain. */
  chainId: Chain.Chain,
  /** When it was made. */
  createdAt: UnixTime,
  /** When it last changed. */
  updatedAt: UnixTime,
  /** The ID of a transaction that waits for signatures. */
  transactionId: Hash.FromWire,
  /** The weight that signatures need together. */
  threshold: Schema.Int,
  /** 2 means waiting: the only one seen. */
  status: Schema.Int,
  /** The kind, by its name. */
  type: maybe(Schema.String),
  /** The keys of a multisig account; absent if it has one key. */
  multiSigKeys: maybe(Schema.Array(Schema.Struct({
    /** The address of the account. */
    address: ChecksumAddress,
    /** How much a signature with this key counts. */
    weight: Schema.Int
  }))),
  /** The transaction that is to be signed. */
  txData: Schema.Struct({
    ...transaction,
    /** How much gas the transaction may use. */
    gas: maybe(Count),
    /** The price of a unit of gas, in peb. */
    gasPrice: maybe(Amount.FromQuantity),
    /** The nonce of the sender. */
    nonce: maybe(Count)
  })
}).annotations({ identifier: "PendingTransaction" })

/**
 * A transaction that waits for signatures.
 *
 * @category models
 */
export type PendingTransaction = typeof PendingTransaction.Type

/**
 * The result of a signature: `status` is `Signed`, or `Submitted` when the threshold was met and the service sent the
 * transaction; `reminders` are the accounts that have not signed yet.
 *
 * @category schemas
 */
export const SigningStatus = Schema.Struct({
  /** The ID of a transaction that waits for signatures. */
  transactionId: Hash.FromWire,
  /** The weight that signatures need together. */
  threshold: Schema.Int,
  /** The weight of this signature. */
  weight: maybe(Schema.Int),
  /** The weight of all signatures so far. */
  signedWeight: maybe(Schema.Int),
  /** `Signed`, or `Submitted` when there were enough signatures and the service sent the transaction. */
  status: Schema.String,
  /** The hash of the transaction. */
  transactionHash: maybe(Hash.FromWire),
  /** The accounts that have not signed yet. */
  reminders: maybe(Schema.Array(ChecksumAddress))
}).annotations({ identifier: "SigningStatus" })

/**
 * The result of a signature: `status` is `Signed`, or `Submitted` when the threshold was met and the service sent the
 * transaction; `reminders` are the accounts that have not signed yet.
 *
 * @category models
 */
export type SigningStatus = typeof SigningStatus.Type

/**
 * Gives an account several keys.
 *
 * @category endpoints
 */
export const updateMultiSig = put("updateMultiSig", "/v2/account/:address/multisig", {
  path: accountPath,
  headers: PoolHeader,
  payload: Schema.Struct({
    /** The weight that signatures need together. */
    threshold: Schema.Int,
    /** The keys with their weights. */
    weightedKeys: Schema.Array(MultiSigKey)
  }),
  success: MultiSigAccount
})

/**
 * Lists the waiting transactions of a multisig account or of one of its signers.
 *
 * @category endpoints
 */
export const getPendingTransactions = get("getPendingTransactions", "/v2/multisig/account/:address/tx", {
  path: accountPath,
  urlParams: listQuery,
  success: Paged.schema(PendingTransaction)
})

/**
 * Signs with an account of the pool and adds the signature; signing again adds nothing.
 *
 * @category endpoints
 */
export const signPending = post("signPending", "/v2/multisig/account/:address/tx/:transactionId/sign", {
  path: { ...accountPath, ...pendingId },
  headers: PoolHeader,
  success: SigningStatus,
  safety: "keyed"
})

/**
 * Adds signatures that were made elsewhere.
 *
 * @category endpoints
 */
export const addSignatures = post("addSignatures", "/v2/multisig/tx/:transactionId/sign", {
  path: pendingId,
  payload: Schema.Struct({
    /** The signatures of the sender. */
    signatures: Schema.Array(Signature)
  }),
  success: SigningStatus,
  safety: "keyed"
})

/**
 * Makes a signature without adding it.
 *
 * @category endpoints
 */
export const getSignature = post("getSignature", "/v2/account/:address/tx/:transactionId/sign", {
  path: { ...accountPath, ...pendingId },
  headers: PoolHeader,
  success: Signature,
  safety: "safe"
})
