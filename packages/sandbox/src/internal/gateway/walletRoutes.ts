import * as ResourcesApi from "@effect-klaytn/wallet/ResourcesApi"
import * as TransactionsApi from "@effect-klaytn/wallet/TransactionsApi"
import * as WalletAdditionsApi from "@effect-klaytn/wallet/WalletAdditionsApi"
import * as WalletApi from "@effect-klaytn/wallet/WalletApi"
import { type Operation, operationsOf } from "./Route.js"

/** The operations of the wallet's part, read from the contracts. */
export const walletOperations: ReadonlyArray<Operation> = operationsOf("wallet", [
  WalletApi,
  WalletAdditionsApi,
  TransactionsApi,
  ResourcesApi
])
