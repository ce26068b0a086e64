import * as KeyId from "@effect-klaytn/core/KeyId"
import * as Krn from "@effect-klaytn/core/Krn"
import { createFeePayer } from "@effect-klaytn/wallet/AccountsApi"
import { sign } from "@effect-klaytn/wallet/KeysApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { registerAll } from "./registration.js"
import * as accountHandlers from "./walletAccounts.js"
import * as keyHandlers from "./walletKeys.js"
import { makeUpdateMultiSig } from "./walletMultisig.js"
import * as multisigHandlers from "./walletMultisig.js"
import * as readHandlers from "./walletReads.js"
import { type WalletRequest, WalletServiceApi } from "./WalletRequest.js"
import * as transactionHandlers from "./walletTransactions.js"

const accountsLayer = (request: WalletRequest) => {
  const accounts = accountHandlers.make(request)
  const newFeePayer = request.body(createFeePayer.request.payload)
  return HttpApiBuilder.group(WalletServiceApi, "accounts", (handlers) =>
    handlers
      .handleRaw("getAccount", ({ headers, path }) => accounts.getAccount(headers, path.address))
      .handleRaw("deleteAccount", ({ headers, path }) => accounts.deleteAccount(headers, path.address))
      .handleRaw("disableAccount", ({ headers, path }) => accounts.disableAccount(headers, path.address))
      .handleRaw("enableAccount", ({ headers, path }) => accounts.enableAccount(headers, path.address))
      .handleRaw("getAccountsByPublicKey", ({ path }) => accounts.getAccountsByPublicKey(path.publicKey))
      .handleRaw("createFeePayer", ({ headers }) =>
        Effect.flatMap(newFeePayer, ({ withoutAccountUpdate = false }) =>
          accounts.createFeePayer(headers, withoutAccountUpdate)))
      .handleRaw("getFeePayer", ({ headers, path }) =>
        accounts.getFeePayer(headers, path.address))
      .handleRaw("deleteFeePayer", ({ headers, path }) =>
        accounts.deleteFeePayer(headers, path.address))
      .handleRaw("countAccounts", () => accounts.countAccounts)
      .handleRaw("countAccountsInPool", ({ headers }) => accounts.countAccountsInPool(headers)))
}

const keysLayer = (request: WalletRequest) => {
  const keys = keyHandlers.make(request)
  const signing = request.body(sign.request.payload)
  return HttpApiBuilder.group(WalletServiceApi, "keys", (handlers) =>
    handlers
      .handleRaw("getKeys", ({ urlParams: { krn, ...query } }) => keys.getKeys(Krn.format(krn), query))
      .handleRaw("getKey", ({ path }) => keys.getKey(KeyId.format(path.keyId)))
      .handleRaw("deleteKey", ({ path }) => keys.deleteKey(KeyId.format(path.keyId)))
      .handleRaw(
        "sign",
        ({ path }) => Effect.flatMap(signing, ({ data }) => keys.sign(KeyId.format(path.keyId), data))
      ))
}

const multisigLayer = (request: WalletRequest) => {
  const multisig = multisigHandlers.make(request)
  const updateMultiSig = makeUpdateMultiSig(request)
  return HttpApiBuilder.group(WalletServiceApi, "multisig", (handlers) =>
    handlers
      .handleRaw("updateMultiSig", ({ headers, path }) => updateMultiSig(headers, path.address))
      .handleRaw("getPendingTransactions", ({ path, urlParams }) =>
        multisig.getPendingTransactions(path.address, urlParams))
      .handleRaw("signPending", ({ headers, path }) =>
        multisig.signPending(headers, path.address, path.transactionId))
      .handleRaw("addSignatures", ({ path }) => multisig.addSignatures(path.transactionId))
      .handleRaw(
        "getSignature",
        ({ headers, path }) => multisig.getSignature(headers, path.address, path.transactionId)
      ))
}

const feesLayer = (request: WalletRequest) => {
  const reads = readHandlers.make(request)
  return HttpApiBuilder.group(WalletServiceApi, "fees", (handlers) =>
    handlers
      .handleRaw("getChargedFees", ({ urlParams }) => reads.getChargedFees(urlParams))
      .handleRaw("getChargedFee", ({ path }) => reads.getChargedFee(path.hash)))
}

/** The groups of the contract beside the document's operations and beside transactions. */
export const groupsLayer = (request: WalletRequest) =>
  Layer.mergeAll(accountsLayer(request), keysLayer(request), multisigLayer(request), feesLayer(request))

/** The six operations of the document, as the contract has them. */
export const walletLayer = (request: WalletRequest) => {
  const accounts = accountHandlers.make(request)
  const keys = keyHandlers.make(request)
  const transactions = transactionHandlers.make(request)
  return HttpApiBuilder.group(WalletServiceApi, "wallet", (handlers) =>
    handlers
      .handleRaw("getAccounts", ({ headers, urlParams }) => accounts.getAccounts(headers, urlParams))
      .handleRaw("createAccount", ({ headers }) => accounts.createAccount(headers))
      .handleRaw("getFeePayers", ({ headers, urlParams }) => accounts.getFeePayers(headers, urlParams))
      .handleRaw("sendValue", transactions.sendValue)
      .handleRaw("createKeys", ({ headers }) => keys.createKeys(headers))
      .handleRaw("registerAccounts", () => registerAll(request)))
}
