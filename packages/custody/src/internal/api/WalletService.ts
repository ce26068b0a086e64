import * as OperationApi from "@effect-klaytn/core/OperationApi"
import * as AccountsApi from "@effect-klaytn/wallet/AccountsApi"
import * as FeesApi from "@effect-klaytn/wallet/FeesApi"
import * as KeysApi from "@effect-klaytn/wallet/KeysApi"
import * as MultisigApi from "@effect-klaytn/wallet/MultisigApi"
import * as ResourcesApi from "@effect-klaytn/wallet/ResourcesApi"
import * as TransactionsApi from "@effect-klaytn/wallet/TransactionsApi"
import * as WalletApi from "@effect-klaytn/wallet/WalletApi"
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { Wallet } from "../../Wallet.js"
import type { WalletSettings } from "../../WalletSettings.js"
import { nodeMessage, type WalletRefusals } from "./WalletRefusals.js"
import { type Failure, WalletRequest } from "./WalletRequest.js"

/** The parts that all handlers of the wallet share. */
export class WalletService {
  constructor(readonly wallet: Wallet, readonly refusals: WalletRefusals, readonly settings: WalletSettings) {}

  /**
   * Makes a handler that answers with the result of `run` as JSON. Refusals of the node and failures of the database become
   * the service's errors.
   */
  readonly serve =
    <Input, R>(run: (request: WalletRequest, input: Input) => Effect.Effect<unknown, Failure, R>) => (input: Input) =>
      OperationApi.RequestChain.pipe(
        Effect.flatMap((chainId) => {
          const wallet = this.wallet.chain(chainId)
          return wallet === undefined
            ? Effect.failSync(() => this.refusals.chain(`${chainId}`))
            : run(new WalletRequest(wallet, this.refusals, this.settings), input)
        }),
        Effect.map((body) => HttpServerResponse.unsafeJson(body)),
        Effect.catchTags({
          TransactionRejected: ({ message }) => this.refusals.fail("nodeRefused", nodeMessage(message)),
          StoreFailure: ({ message }) => this.#internal(message),
          NodeFailure: ({ message }) => this.#internal(message)
        })
      )

  #internal(message: string) {
    return Effect.zipRight(Effect.logError(message), Effect.failSync(() => this.refusals.internal()))
  }
}

/** The wallet's operations, and the list of resources. */
export class WalletServiceApi extends HttpApi.make("klaytn-wallet")
  .add(OperationApi.group("wallet", WalletApi))
  .add(OperationApi.group("accounts", AccountsApi))
  .add(OperationApi.group("keys", KeysApi))
  .add(OperationApi.group("multisig", MultisigApi))
  .add(OperationApi.group("fees", FeesApi))
  .add(OperationApi.group("transactions", TransactionsApi))
  .add(OperationApi.group("resource", ResourcesApi))
{}
