import * as OperationApi from "@effect-klaytn/core/OperationApi"
import * as ResourcesApi from "@effect-klaytn/wallet/ResourcesApi"
import * as TransactionsApi from "@effect-klaytn/wallet/TransactionsApi"
import * as WalletAdditionsApi from "@effect-klaytn/wallet/WalletAdditionsApi"
import * as WalletApi from "@effect-klaytn/wallet/WalletApi"
import * as HttpApi from "@effect/platform/HttpApi"

/** The wallet's part of what the sandbox serves, and the list of resources. */
export class WalletServiceApi extends HttpApi.make("klaytn-wallet")
  .add(OperationApi.group("wallet", WalletApi))
  .add(OperationApi.group("walletAdditions", WalletAdditionsApi))
  .add(OperationApi.group("transactions", TransactionsApi))
  .add(OperationApi.group("resource", ResourcesApi))
{}
