/**
 * The contract of multisig: giving an account several keys, and the transactions that wait for their signatures.
 *
 * **Not in the API document**: everything here was seen in public clients of the service, which may answer differently,
 * or not at all. "Not found" is HTTP 400 with code 1061010.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Chain from "@effect-klaytn/core/Chain"
import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import * as Hash from "@effect-klaytn/core/Hash"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as Krn from "@effect-klaytn/core/Krn"
import * as Operation from "@effect-klaytn/core/Operation"
import * as Paged from "@effect-klaytn/core/Paged"
import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Schema from "effect/Schema"
import { MultiSigKey } from "./Account.js"
import { ChecksumAddress, Count, listQuery, maybe, noneAsEmpty } from "./internal/fields.js"
import { Signature } from "./TransactionResult.js"
import { PoolHeader } from "./WalletApi.js"

const { get, post, put } = Operation.of("wallet", [ErrorBody.BadRequest])

const pendingId = { transactionId: Hash.FromWire }

/**
 * An account that was given several keys, and the transaction that did it.
 *
 * @category schemas
 */
export const MultiSigAccount = Schema.Struct({
  address: ChecksumAddress,
  krn: Krn.FromString,
  multiSigKeys: Schema.Array(MultiSigKey),
  threshold: Schema.Int,
  transactionHash: Hash.FromWire,
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
  address: ChecksumAddress,
  chainId: Chain.Chain,
  createdAt: UnixTime,
  updatedAt: UnixTime,
  transactionId: Hash.FromWire,
  threshold: Schema.Int,
  status: Schema.Int,
  type: maybe(Schema.String),
  multiSigKeys: maybe(Schema.Array(Schema.Struct({ address: ChecksumAddress, weight: Schema.Int }))),
  txData: Schema.Struct({
    from: Address.FromWire,
    gas: maybe(Count),
    gasPrice: maybe(Amount.FromQuantity),
    nonce: maybe(Count),
    typeInt: Count,
    to: noneAsEmpty,
    value: maybe(Amount.FromQuantity),
    input: maybe(HexEncoding.HexDataFromWire)
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
  transactionId: Hash.FromWire,
  threshold: Schema.Int,
  weight: maybe(Schema.Int),
  signedWeight: maybe(Schema.Int),
  status: Schema.String,
  transactionHash: maybe(Hash.FromWire),
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
  path: { address: Address.FromWire },
  headers: PoolHeader,
  payload: Schema.Struct({ threshold: Schema.Int, weightedKeys: Schema.Array(MultiSigKey) }),
  success: MultiSigAccount
})

/**
 * Lists the waiting transactions of a multisig account or of one of its signers.
 *
 * @category endpoints
 */
export const getPendingTransactions = get("getPendingTransactions", "/v2/multisig/account/:address/tx", {
  path: { address: Address.FromWire },
  urlParams: listQuery,
  success: Paged.schema(PendingTransaction)
})

/**
 * Signs with an account of the pool and adds the signature; signing again adds nothing.
 *
 * @category endpoints
 */
export const signPending = post("signPending", "/v2/multisig/account/:address/tx/:transactionId/sign", {
  path: { address: Address.FromWire, ...pendingId },
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
  payload: Schema.Struct({ signatures: Schema.Array(Signature) }),
  success: SigningStatus,
  safety: "keyed"
})

/**
 * Makes a signature without adding it.
 *
 * @category endpoints
 */
export const getSignature = post("getSignature", "/v2/account/:address/tx/:transactionId/sign", {
  path: { address: Address.FromWire, ...pendingId },
  headers: PoolHeader,
  success: Signature,
  safety: "safe"
})
