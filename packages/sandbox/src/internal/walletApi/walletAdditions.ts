import * as KeyId from "@effect-klaytn/core/KeyId"
import * as Krn from "@effect-klaytn/core/Krn"
import { feePayers, keys as keyEndpoints } from "@effect-klaytn/wallet/WalletAdditionsApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { makeUpdateMultiSig } from "./multisigUpdate.js"
import * as accountHandlers from "./walletAccounts.js"
import * as countHandlers from "./walletCounts.js"
import * as keyHandlers from "./walletKeys.js"
import * as multisigHandlers from "./walletMultisig.js"
import * as readHandlers from "./walletReads.js"
import type { WalletRequest } from "./WalletRequest.js"
import { WalletServiceApi } from "./WalletServiceApi.js"

/** What the wallet offers beside the document's operations and beside transactions, as the contract has it. */
export const additionsLayer = (request: WalletRequest) => {
  const accounts = accountHandlers.make(request)
  const keys = keyHandlers.make(request)
  const counts = countHandlers.make(request)
  const newFeePayer = request.body(feePayers.createFeePayer.request.payload)
  const signing = request.body(keyEndpoints.sign.request.payload)
  const multisig = multisigHandlers.make(request)
  const updateMultiSig = makeUpdateMultiSig(request)
  const reads = readHandlers.make(request)
  return HttpApiBuilder.group(WalletServiceApi, "walletAdditions", (handlers) =>
    handlers
      .handleRaw("getAccount", ({ headers, path }) => accounts.getAccount(headers, path.address))
      .handleRaw("deleteAccount", ({ headers, path }) => accounts.deleteAccount(headers, path.address))
      .handleRaw("disableAccount", ({ headers, path }) => accounts.disableAccount(headers, path.address))
      .handleRaw("enableAccount", ({ headers, path }) => accounts.enableAccount(headers, path.address))
      .handleRaw("updateMultiSig", ({ headers, path }) => updateMultiSig(headers, path.address))
      .handleRaw("getAccountsByPublicKey", ({ path }) => accounts.getAccountsByPublicKey(path.publicKey))
      .handleRaw("createFeePayer", ({ headers }) =>
        Effect.flatMap(newFeePayer, ({ withoutAccountUpdate = false }) =>
          accounts.createFeePayer(headers, withoutAccountUpdate)))
      .handleRaw("getFeePayer", ({ headers, path }) =>
        accounts.getFeePayer(headers, path.address))
      .handleRaw("deleteFeePayer", ({ headers, path }) =>
        accounts.deleteFeePayer(headers, path.address))
      .handleRaw("getKeys", ({ urlParams: { krn, ...query } }) => keys.getKeys(Krn.format(krn), query))
      .handleRaw("getKey", ({ path }) => keys.getKey(KeyId.format(path.keyId)))
      .handleRaw("deleteKey", ({ path }) => keys.deleteKey(KeyId.format(path.keyId)))
      .handleRaw("sign", ({ path }) => Effect.flatMap(signing, ({ data }) => keys.sign(KeyId.format(path.keyId), data)))
      .handleRaw("getTransaction", ({ path }) => reads.getTransaction(path.hash))
      .handleRaw("callContract", () => reads.callContract)
      .handleRaw("getPendingTransactions", ({ path, urlParams }) =>
        multisig.getPendingTransactions(path.address, urlParams))
      .handleRaw("signPending", ({ headers, path }) =>
        multisig.signPending(headers, path.address, path.transactionId))
      .handleRaw("addSignatures", ({ path }) =>
        multisig.addSignatures(path.transactionId))
      .handleRaw(
        "getSignature",
        ({ headers, path }) => multisig.getSignature(headers, path.address, path.transactionId)
      )
      .handleRaw("countAccounts", () => counts.countAccounts)
      .handleRaw("countAccountsInPool", ({ headers }) => counts.countAccountsInPool(headers))
      .handleRaw("getChargedFees", ({ urlParams }) => reads.getChargedFees(urlParams))
      .handleRaw("getChargedFee", ({ path }) => reads.getChargedFee(path.hash)))
}
