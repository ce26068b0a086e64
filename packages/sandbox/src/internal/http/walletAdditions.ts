import * as KeyId from "@effect-klaytn/core/KeyId"
import * as Krn from "@effect-klaytn/core/Krn"
import { feePayers, keys as keyEndpoints } from "@effect-klaytn/wallet/WalletAdditionsApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as accountHandlers from "./walletAccounts.js"
import * as countHandlers from "./walletCounts.js"
import type { WalletDesk } from "./WalletDesk.js"
import * as keyHandlers from "./walletKeys.js"
import { WalletServiceApi } from "./WalletServiceApi.js"

/** What the wallet offers beside the document's operations and beside transactions, as the contract has it. */
export const additionsLayer = (desk: WalletDesk) => {
  const accounts = accountHandlers.make(desk)
  const keys = keyHandlers.make(desk)
  const counts = countHandlers.make(desk)
  const newFeePayer = desk.body(Option.getOrThrow(feePayers.createFeePayer.payloadSchema))
  const signing = desk.body(Option.getOrThrow(keyEndpoints.sign.payloadSchema))
  const later = Effect.suspend(() => Effect.fail(desk.refusals.route()))
  return HttpApiBuilder.group(WalletServiceApi, "walletAdditions", (handlers) =>
    handlers
      .handleRaw("getAccount", ({ headers, path }) => accounts.getAccount(headers, path.address))
      .handleRaw("deleteAccount", ({ headers, path }) => accounts.deleteAccount(headers, path.address))
      .handleRaw("disableAccount", ({ headers, path }) => accounts.disableAccount(headers, path.address))
      .handleRaw("enableAccount", ({ headers, path }) => accounts.enableAccount(headers, path.address))
      .handleRaw("updateMultiSig", () => later)
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
      .handleRaw("getTransaction", () => later)
      .handleRaw("callContract", () => later)
      .handleRaw("getPendingTransactions", () => later)
      .handleRaw("signPending", () => later)
      .handleRaw("addSignatures", () => later)
      .handleRaw("getSignature", () => later)
      .handleRaw("countAccounts", () => counts.countAccounts)
      .handleRaw("countAccountsInPool", ({ headers }) => counts.countAccountsInPool(headers))
      .handleRaw("getChargedFees", () => later)
      .handleRaw("getChargedFee", () => later))
}
