import * as OperationApi from "@effect-klaytn/core/OperationApi"
import * as AccountsApi from "@effect-klaytn/wallet/AccountsApi"
import * as FeesApi from "@effect-klaytn/wallet/FeesApi"
import * as KeysApi from "@effect-klaytn/wallet/KeysApi"
import * as MultisigApi from "@effect-klaytn/wallet/MultisigApi"
import * as ResourcesApi from "@effect-klaytn/wallet/ResourcesApi"
import * as TransactionsApi from "@effect-klaytn/wallet/TransactionsApi"
import * as WalletApi from "@effect-klaytn/wallet/WalletApi"
import * as HttpApi from "@effect/platform/HttpApi"

/** The wallet's part of what the sandbox serves, and the list of resources. */
export class WalletServiceApi extends HttpApi.make("klaytn-wallet")
  .add(OperationApi.group("wallet", WalletApi))
  .add(OperationApi.group("accounts", AccountsApi))
  .add(OperationApi.group("keys", KeysApi))
  .add(OperationApi.group("multisig", MultisigApi))
  .add(OperationApi.group("fees", FeesApi))
  .add(OperationApi.group("transactions", TransactionsApi))
  .add(OperationApi.group("resource", ResourcesApi))
{}
