/**
 * The paths of the wallet's operations.
 */
import { type Operation, operationsOf } from "@effect-klaytn/service/Route"
import * as AccountsApi from "@effect-klaytn/wallet/AccountsApi"
import * as FeesApi from "@effect-klaytn/wallet/FeesApi"
import * as KeysApi from "@effect-klaytn/wallet/KeysApi"
import * as MultisigApi from "@effect-klaytn/wallet/MultisigApi"
import * as ResourcesApi from "@effect-klaytn/wallet/ResourcesApi"
import * as TransactionsApi from "@effect-klaytn/wallet/TransactionsApi"
import * as WalletApi from "@effect-klaytn/wallet/WalletApi"

/**
 * The wallet's operations, read from the contracts.
 *
 * @category constants
 */
export const operations: ReadonlyArray<Operation> = operationsOf("wallet", [
  WalletApi,
  AccountsApi,
  KeysApi,
  MultisigApi,
  FeesApi,
  TransactionsApi,
  ResourcesApi
])
