import { ResourcesGroup } from "@effect-klaytn/wallet/ResourcesApi"
import { TransactionsGroup } from "@effect-klaytn/wallet/TransactionsApi"
import { WalletAdditionsGroup } from "@effect-klaytn/wallet/WalletAdditionsApi"
import { WalletGroup } from "@effect-klaytn/wallet/WalletApi"
import * as HttpApi from "@effect/platform/HttpApi"

/** The wallet's part of what the sandbox serves, and the list of resources. */
export class WalletServiceApi
  extends HttpApi.make("klaytn-wallet").add(WalletGroup).add(WalletAdditionsGroup).add(TransactionsGroup).add(
    ResourcesGroup
  )
{}
