import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { registerAll } from "./registration.js"
import { createAccount, getAccounts, getFeePayers } from "./walletAccounts.js"
import { newKeys } from "./walletKeys.js"
import { type WalletRequest, WalletServiceApi } from "./WalletRequest.js"
import { sendValueHandler } from "./walletTransactions.js"

/** The six operations of the API document. */
export const walletLayer = (request: WalletRequest) => {
  const { serve } = request
  return HttpApiBuilder.group(WalletServiceApi, "wallet", (handlers) =>
    handlers
      .handleRaw("getAccounts", serve(({ headers, urlParams }) => getAccounts(request, headers, urlParams)))
      .handleRaw("createAccount", serve(({ headers }) => createAccount(request, headers)))
      .handleRaw("getFeePayers", serve(({ headers, urlParams }) => getFeePayers(request, headers, urlParams)))
      .handleRaw("sendValue", sendValueHandler(request))
      .handleRaw("createKeys", serve(({ headers }) => newKeys(request, headers)))
      .handleRaw("registerAccounts", serve(() => registerAll(request))))
}
