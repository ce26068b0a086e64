import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { registerAll } from "./registration.js"
import * as accountHandlers from "./walletAccounts.js"
import * as keyHandlers from "./walletKeys.js"
import type { WalletRequest } from "./WalletRequest.js"
import { WalletServiceApi } from "./WalletServiceApi.js"
import * as transactionHandlers from "./walletTransactions.js"

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
