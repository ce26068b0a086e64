/**
 * The contract of what the wallet offers beside the document's operations and beside transactions: accounts, fee payers,
 * keys, multisig, receipts, statistics and charged fees.
 *
 * **Beyond the document**: everything here was seen in public clients of the service; it may answer otherwise, or not at
 * all. "Not found" is HTTP 400 with code 1061010.
 *
 * @since 0.1.0
 */
import { Access } from "@effect-klaytn/core/Access"
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Chain from "@effect-klaytn/core/Chain"
import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Hex from "@effect-klaytn/core/Hex"
import * as KeyId from "@effect-klaytn/core/KeyId"
import * as Krn from "@effect-klaytn/core/Krn"
import { RetrySafety } from "@effect-klaytn/core/Operation"
import * as Paged from "@effect-klaytn/core/Paged"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { Account, FeePayerAccount, MultiSigKey } from "./Account.js"
import { ChargedFee } from "./ChargedFee.js"
import { ChecksumAddress, Count } from "./internal/wire.js"
import { Key } from "./Key.js"
import { PendingTransaction, SigningStatus } from "./PendingTransaction.js"
import { Receipt } from "./Receipt.js"
import { Signature } from "./TransactionResult.js"
import { PoolHeader } from "./WalletApi.js"

const address = Schema.Struct({ address: Address.FromWire })
const keyId = Schema.Struct({ keyId: KeyId.FromString })
const pendingId = { transactionId: Hash.FromWire }

/**
 * The answer of a deletion.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Deleted = Schema.Struct({ status: Schema.String }).annotations({ identifier: "Deleted" })

/**
 * An account whose state was changed.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ChangedAccount = Schema.Struct({
  address: ChecksumAddress,
  krn: Krn.FromString,
  updatedAt: UnixTime.UnixTime
}).annotations({ identifier: "ChangedAccount" })

/**
 * An account that was given several keys, and the transaction that did it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const MultiSigAccount = Schema.Struct({
  address: ChecksumAddress,
  krn: Krn.FromString,
  multiSigKeys: Schema.Array(MultiSigKey),
  threshold: Schema.Int,
  transactionHash: Hash.FromWire,
  updatedAt: UnixTime.UnixTime
}).annotations({ identifier: "MultiSigAccount" })

/**
 * A key as a list shows it: without its `blob`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ListedKey = Schema.Struct({
  keyId: KeyId.FromString,
  krn: Krn.FromString,
  publicKey: Hex.HexDataFromWire
}).annotations({ identifier: "ListedKey" })

/** One account. */
const getAccount = HttpApiEndpoint.get("getAccount", "/v2/account/:address")
  .setPath(address)
  .setHeaders(PoolHeader)
  .addSuccess(Account)
  .addError(ErrorBody.BadRequest)

const deleteAccount = HttpApiEndpoint.del("deleteAccount", "/v2/account/:address")
  .setPath(address)
  .setHeaders(PoolHeader)
  .addSuccess(Deleted)
  .addError(ErrorBody.BadRequest)

const disableAccount = HttpApiEndpoint.put("disableAccount", "/v2/account/:address/disable")
  .setPath(address)
  .setHeaders(PoolHeader)
  .addSuccess(ChangedAccount)
  .addError(ErrorBody.BadRequest)

const enableAccount = HttpApiEndpoint.put("enableAccount", "/v2/account/:address/enable")
  .setPath(address)
  .setHeaders(PoolHeader)
  .addSuccess(ChangedAccount)
  .addError(ErrorBody.BadRequest)

const updateMultiSig = HttpApiEndpoint.put("updateMultiSig", "/v2/account/:address/multisig")
  .setPath(address)
  .setHeaders(PoolHeader)
  .setPayload(Schema.Struct({ threshold: Schema.Int, weightedKeys: Schema.Array(MultiSigKey) }))
  .addSuccess(MultiSigAccount)
  .addError(ErrorBody.BadRequest)

const getAccountsByPublicKey = HttpApiEndpoint.get("getAccountsByPublicKey", "/v2/pubkey/:publicKey/account")
  .setPath(Schema.Struct({ publicKey: Hex.HexDataFromWire }))
  .setHeaders(PoolHeader)
  .addSuccess(Schema.Struct({
    items: Schema.optionalWith(Schema.Array(Schema.Struct({ address: ChecksumAddress, chainId: Chain.Chain })), {
      default: () => []
    })
  }))
  .addError(ErrorBody.BadRequest)

const createFeePayer = HttpApiEndpoint.post("createFeePayer", "/v2/feepayer")
  .setHeaders(PoolHeader)
  .setPayload(Schema.Struct({ withoutAccountUpdate: Schema.optional(Schema.Boolean) }))
  .addSuccess(FeePayerAccount)
  .addError(ErrorBody.BadRequest)

const getFeePayer = HttpApiEndpoint.get("getFeePayer", "/v2/feepayer/:address")
  .setPath(address)
  .setHeaders(PoolHeader)
  .addSuccess(FeePayerAccount)
  .addError(ErrorBody.BadRequest)

const deleteFeePayer = HttpApiEndpoint.del("deleteFeePayer", "/v2/feepayer/:address")
  .setPath(address)
  .setHeaders(PoolHeader)
  .addSuccess(Deleted)
  .addError(ErrorBody.BadRequest)

const getKeys = HttpApiEndpoint.get("getKeys", "/v2/key")
  .setUrlParams(Schema.Struct({
    krn: Krn.FromString,
    size: Schema.optional(Paged.Size),
    cursor: Schema.optional(Schema.String)
  }))
  .addSuccess(Paged.schema(ListedKey))
  .addError(ErrorBody.BadRequest)

const getKey = HttpApiEndpoint.get("getKey", "/v2/key/:keyId")
  .setPath(keyId)
  .addSuccess(Key)
  .addError(ErrorBody.BadRequest)

const deleteKey = HttpApiEndpoint.del("deleteKey", "/v2/key/:keyId")
  .setPath(keyId)
  .addSuccess(Deleted)
  .addError(ErrorBody.BadRequest)

/** A signature over the same bytes is the same in effect, so it may be made again. */
const sign = HttpApiEndpoint.post("sign", "/v2/key/:keyId/sign")
  .setPath(keyId)
  .setPayload(Schema.Struct({ data: Hex.HexDataFromWire }))
  .addSuccess(Schema.Struct({ signedData: Hex.HexDataFromWire }))
  .addError(ErrorBody.BadRequest)
  .annotate(RetrySafety, "safe")

/**
 * The receipt of a transaction.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const getTransaction = HttpApiEndpoint.get("getTransaction", "/v2/tx/:hash")
  .setPath(Schema.Struct({ hash: Hash.FromWire }))
  .addSuccess(Receipt)
  .addError(ErrorBody.BadRequest)

/** Calls a contract and changes nothing. */
const callContract = HttpApiEndpoint.post("callContract", "/v2/tx/contract/call")
  .setHeaders(PoolHeader)
  .setPayload(Schema.Struct({
    from: Schema.optional(Address.FromWire),
    to: Address.FromWire,
    value: Schema.optional(Amount.FromQuantity),
    gas: Schema.optional(Count),
    data: Schema.Struct({
      methodName: Schema.String,
      arguments: Schema.Array(Schema.Struct({ type: Schema.String, value: Schema.Unknown }))
    })
  }))
  .addSuccess(Schema.Struct({ data: Hex.HexDataFromWire, result: Hex.HexDataFromWire }))
  .addError(ErrorBody.BadRequest)
  .annotate(RetrySafety, "safe")

const getPendingTransactions = HttpApiEndpoint.get("getPendingTransactions", "/v2/multisig/account/:address/tx")
  .setPath(address)
  .setUrlParams(Schema.Struct({
    size: Schema.optional(Paged.Size),
    cursor: Schema.optional(Schema.String),
    "from-timestamp": Schema.optional(UnixTime.FromString),
    "to-timestamp": Schema.optional(UnixTime.FromString)
  }))
  .addSuccess(Paged.schema(PendingTransaction))
  .addError(ErrorBody.BadRequest)

/** Signs with an account of the pool and adds the signature; signing again adds nothing. */
const signPending = HttpApiEndpoint.post("signPending", "/v2/multisig/account/:address/tx/:transactionId/sign")
  .setPath(Schema.Struct({ address: Address.FromWire, ...pendingId }))
  .setHeaders(PoolHeader)
  .addSuccess(SigningStatus)
  .addError(ErrorBody.BadRequest)
  .annotate(RetrySafety, "keyed")

const addSignatures = HttpApiEndpoint.post("addSignatures", "/v2/multisig/tx/:transactionId/sign")
  .setPath(Schema.Struct(pendingId))
  .setPayload(Schema.Struct({ signatures: Schema.Array(Signature) }))
  .addSuccess(SigningStatus)
  .addError(ErrorBody.BadRequest)
  .annotate(RetrySafety, "keyed")

/** Makes a signature and does not add it. */
const getSignature = HttpApiEndpoint.post("getSignature", "/v2/account/:address/tx/:transactionId/sign")
  .setPath(Schema.Struct({ address: Address.FromWire, ...pendingId }))
  .setHeaders(PoolHeader)
  .addSuccess(Signature)
  .addError(ErrorBody.BadRequest)
  .annotate(RetrySafety, "safe")

const countAccounts = HttpApiEndpoint.get("countAccounts", "/v2/stat/count")
  .addSuccess(Schema.Struct({ accountId: Schema.String, count: Schema.Int }))
  .addError(ErrorBody.BadRequest)

const countAccountsInPool = HttpApiEndpoint.get("countAccountsInPool", "/v2/stat/count/krn")
  .setHeaders(PoolHeader)
  .addSuccess(Schema.Struct({ accountId: Schema.String, count: Schema.Int, krn: Krn.FromString }))
  .addError(ErrorBody.BadRequest)

const getChargedFees = HttpApiEndpoint.get("getChargedFees", "/v2/history/fd/tx")
  .setUrlParams(Schema.Struct({
    from: Schema.optional(Address.FromWire),
    size: Schema.optional(Paged.Size),
    cursor: Schema.optional(Schema.String)
  }))
  .addSuccess(Paged.schema(ChargedFee))
  .addError(ErrorBody.BadRequest)

const getChargedFee = HttpApiEndpoint.get("getChargedFee", "/v2/history/fd/tx/:hash")
  .setPath(Schema.Struct({ hash: Hash.FromWire }))
  .addSuccess(ChargedFee)
  .addError(ErrorBody.BadRequest)

/**
 * Accounts: get, delete, disable, enable, several keys, by public key.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const accounts = {
  getAccount,
  deleteAccount,
  disableAccount,
  enableAccount,
  updateMultiSig,
  getAccountsByPublicKey
} as const

/**
 * Fee payers: create, get, delete.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const feePayers = { createFeePayer, getFeePayer, deleteFeePayer } as const

/**
 * Keys: list, get, delete, sign 32 bytes.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const keys = { getKeys, getKey, deleteKey, sign } as const

/**
 * Multisig transactions: those that wait, and their signatures.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const multiSig = { getPendingTransactions, signPending, addSignatures, getSignature } as const

/**
 * Reads: contract calls, counts and charged fees.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const reads = { callContract, countAccounts, countAccountsInPool, getChargedFees, getChargedFee } as const

/**
 * All of them as a group.
 *
 * @since 0.1.0
 * @category groups
 */
export class WalletAdditionsGroup extends HttpApiGroup.make("walletAdditions")
  .add(getAccount)
  .add(deleteAccount)
  .add(disableAccount)
  .add(enableAccount)
  .add(updateMultiSig)
  .add(getAccountsByPublicKey)
  .add(createFeePayer)
  .add(getFeePayer)
  .add(deleteFeePayer)
  .add(getKeys)
  .add(getKey)
  .add(deleteKey)
  .add(sign)
  .add(getTransaction)
  .add(callContract)
  .add(getPendingTransactions)
  .add(signPending)
  .add(addSignatures)
  .add(getSignature)
  .add(countAccounts)
  .add(countAccountsInPool)
  .add(getChargedFees)
  .add(getChargedFee)
  .middleware(Access)
{}

/**
 * The interface of the additions.
 *
 * @since 0.1.0
 * @category apis
 */
export class WalletAdditionsApi extends HttpApi.make("wallet-additions").add(WalletAdditionsGroup) {}
