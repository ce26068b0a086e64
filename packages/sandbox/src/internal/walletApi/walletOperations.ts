import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { registration } from "./registration.js"
import * as accountHandlers from "./walletAccounts.js"
import * as keyHandlers from "./walletKeys.js"
import type { WalletRequest } from "./WalletRequest.js"
import { WalletServiceApi } from "./WalletServiceApi.js"
import * as transactionHandlers from "./walletTransactions.js"

/** The six operations of the document, as the contract has them. */
export const walletLayer = (desk: WalletRequest) => {
  const accounts = accountHandlers.make(desk)
  const keys = keyHandlers.make(desk)
  const transactions = transactionHandlers.make(desk)
  return HttpApiBuilder.group(WalletServiceApi, "wallet", (handlers) =>
    handlers
      .handleRaw("getAccounts", ({ headers, urlParams }) => accounts.getAccounts(headers, urlParams))
      .handleRaw("createAccount", ({ headers }) => accounts.createAccount(headers))
      .handleRaw("getFeePayers", ({ headers, urlParams }) => accounts.getFeePayers(headers, urlParams))
      .handleRaw("sendValue", transactions.sendValue)
      .handleRaw("createKeys", ({ headers }) => keys.createKeys(headers))
      .handleRaw("registerAccounts", () => registration(desk)))
}
