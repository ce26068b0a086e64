import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { registerAll } from "./registration.js"
import { createAccount, getAccounts, getFeePayers } from "./walletAccounts.js"
import { newKeys } from "./walletKeys.js"
import { type WalletService, WalletServiceApi } from "./WalletService.js"
import { sendValueHandler } from "./walletTransactions.js"

/** The six operations of the API document. */
export const walletLayer = (service: WalletService) =>
  HttpApiBuilder.group(WalletServiceApi, "wallet", (handlers) =>
    handlers
      .handleRaw("getAccounts", service.serve(getAccounts))
      .handleRaw("createAccount", service.serve(createAccount))
      .handleRaw("getFeePayers", service.serve(getFeePayers))
      .handleRaw("sendValue", sendValueHandler(service))
      .handleRaw("createKeys", service.serve(newKeys))
      .handleRaw("registerAccounts", service.serve(registerAll)))
