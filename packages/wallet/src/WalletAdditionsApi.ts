/**
 * The contract of what the wallet offers beyond the document, apart from transactions: accounts, fee payers, keys,
 * multisig, receipts, statistics and charged fees.
 *
 * **Beyond the document**: everything here was seen in public clients of the service, which may answer differently, or
 * not at all. "Not found" is HTTP 400 with code 1061010.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Chain from "@effect-klaytn/core/Chain"
import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Hex from "@effect-klaytn/core/Hex"
import * as KeyId from "@effect-klaytn/core/KeyId"
import * as Krn from "@effect-klaytn/core/Krn"
import * as Operation from "@effect-klaytn/core/Operation"
import * as Paged from "@effect-klaytn/core/Paged"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as Schema from "effect/Schema"
import { Account, FeePayerAccount, MultiSigKey } from "./Account.js"
import { ChargedFee } from "./ChargedFee.js"
import { ChecksumAddress, Count } from "./internal/wire.js"
import { Key } from "./Key.js"
import { PendingTransaction, SigningStatus } from "./PendingTransaction.js"
import { Receipt } from "./Receipt.js"
import { Signature } from "./TransactionResult.js"
import { PoolHeader } from "./WalletApi.js"

const { get, post, put, del } = Operation.of("wallet", [ErrorBody.BadRequest])

const address = { address: Address.FromWire }
const keyId = { keyId: KeyId.FromString }
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
 * A key as lists return it: without its `blob`.
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
const getAccount = get("getAccount", "/v2/account/:address", {
  path: address,
  headers: PoolHeader,
  success: Account
})

const deleteAccount = del("deleteAccount", "/v2/account/:address", {
  path: address,
  headers: PoolHeader,
  success: Deleted
})

const disableAccount = put("disableAccount", "/v2/account/:address/disable", {
  path: address,
  headers: PoolHeader,
  success: ChangedAccount
})

const enableAccount = put("enableAccount", "/v2/account/:address/enable", {
  path: address,
  headers: PoolHeader,
  success: ChangedAccount
})

const updateMultiSig = put("updateMultiSig", "/v2/account/:address/multisig", {
  path: address,
  headers: PoolHeader,
  payload: Schema.Struct({ threshold: Schema.Int, weightedKeys: Schema.Array(MultiSigKey) }),
  success: MultiSigAccount
})

const getAccountsByPublicKey = get("getAccountsByPublicKey", "/v2/pubkey/:publicKey/account", {
  path: { publicKey: Hex.HexDataFromWire },
  headers: PoolHeader,
  success: Schema.Struct({
    items: Schema.optionalWith(Schema.Array(Schema.Struct({ address: ChecksumAddress, chainId: Chain.Chain })), {
      default: () => []
    })
  })
})

const createFeePayer = post("createFeePayer", "/v2/feepayer", {
  headers: PoolHeader,
  payload: Schema.Struct({ withoutAccountUpdate: Schema.optional(Schema.Boolean) }),
  success: FeePayerAccount
})

const getFeePayer = get("getFeePayer", "/v2/feepayer/:address", {
  path: address,
  headers: PoolHeader,
  success: FeePayerAccount
})

const deleteFeePayer = del("deleteFeePayer", "/v2/feepayer/:address", {
  path: address,
  headers: PoolHeader,
  success: Deleted
})

const getKeys = get("getKeys", "/v2/key", {
  urlParams: {
    krn: Krn.FromString,
    ...Paged.query
  },
  success: Paged.schema(ListedKey)
})

const getKey = get("getKey", "/v2/key/:keyId", {
  path: keyId,
  success: Key
})

const deleteKey = del("deleteKey", "/v2/key/:keyId", {
  path: keyId,
  success: Deleted
})

/** Another signature over the same bytes has the same effect, so the call may be repeated. */
const sign = post("sign", "/v2/key/:keyId/sign", {
  path: keyId,
  payload: Schema.Struct({ data: Hex.HexDataFromWire }),
  success: Schema.Struct({ signedData: Hex.HexDataFromWire }),
  safety: "safe"
})

/**
 * The receipt of a transaction.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const getTransaction = get("getTransaction", "/v2/tx/:hash", {
  path: { hash: Hash.FromWire },
  success: Receipt
})

/** Calls a contract without changing anything. */
const callContract = post("callContract", "/v2/tx/contract/call", {
  headers: PoolHeader,
  payload: Schema.Struct({
    from: Schema.optional(Address.FromWire),
    to: Address.FromWire,
    value: Schema.optional(Amount.FromQuantity),
    gas: Schema.optional(Count),
    data: Schema.Struct({
      methodName: Schema.String,
      arguments: Schema.Array(Schema.Struct({ type: Schema.String, value: Schema.Unknown }))
    })
  }),
  success: Schema.Struct({ data: Hex.HexDataFromWire, result: Hex.HexDataFromWire }),
  safety: "safe"
})

const getPendingTransactions = get("getPendingTransactions", "/v2/multisig/account/:address/tx", {
  path: address,
  urlParams: {
    ...Paged.query,
    "from-timestamp": Schema.optional(UnixTime.FromString),
    "to-timestamp": Schema.optional(UnixTime.FromString)
  },
  success: Paged.schema(PendingTransaction)
})

/** Signs with an account of the pool and adds the signature; signing again adds nothing. */
const signPending = post("signPending", "/v2/multisig/account/:address/tx/:transactionId/sign", {
  path: { address: Address.FromWire, ...pendingId },
  headers: PoolHeader,
  success: SigningStatus,
  safety: "keyed"
})

const addSignatures = post("addSignatures", "/v2/multisig/tx/:transactionId/sign", {
  path: pendingId,
  payload: Schema.Struct({ signatures: Schema.Array(Signature) }),
  success: SigningStatus,
  safety: "keyed"
})

/** Makes a signature without adding it. */
const getSignature = post("getSignature", "/v2/account/:address/tx/:transactionId/sign", {
  path: { address: Address.FromWire, ...pendingId },
  headers: PoolHeader,
  success: Signature,
  safety: "safe"
})

const countAccounts = get("countAccounts", "/v2/stat/count", {
  success: Schema.Struct({ accountId: Schema.String, count: Schema.Int })
})

const countAccountsInPool = get("countAccountsInPool", "/v2/stat/count/krn", {
  headers: PoolHeader,
  success: Schema.Struct({ accountId: Schema.String, count: Schema.Int, krn: Krn.FromString })
})

const getChargedFees = get("getChargedFees", "/v2/history/fd/tx", {
  urlParams: {
    from: Schema.optional(Address.FromWire),
    ...Paged.query
  },
  success: Paged.schema(ChargedFee)
})

const getChargedFee = get("getChargedFee", "/v2/history/fd/tx/:hash", {
  path: { hash: Hash.FromWire },
  success: ChargedFee
})

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
 * Multisig transactions: list the waiting ones, and sign them.
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
