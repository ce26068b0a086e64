import { ResourcesGroup } from "@effect-klaytn/wallet/ResourcesApi"
import { TransactionsGroup } from "@effect-klaytn/wallet/TransactionsApi"
import { WalletAdditionsGroup } from "@effect-klaytn/wallet/WalletAdditionsApi"
import { WalletGroup } from "@effect-klaytn/wallet/WalletApi"
import { type Operation, operationsOf } from "./Operation.js"

/** The operations of the wallet's part, read from the contracts. */
export const walletOperations: ReadonlyArray<Operation> = [
  ...operationsOf("wallet", "wallet", [WalletGroup, WalletAdditionsGroup, TransactionsGroup]),
  ...operationsOf("wallet", "resource", [ResourcesGroup])
]
