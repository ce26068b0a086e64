import * as OperationApi from "@effect-klaytn/core/OperationApi"
import { find } from "@effect-klaytn/service/Route"
import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
import * as DatabaseLog from "@effect-klaytn/store/DatabaseLog"
import * as AccountsApi from "@effect-klaytn/wallet/AccountsApi"
import * as FeesApi from "@effect-klaytn/wallet/FeesApi"
import * as KeysApi from "@effect-klaytn/wallet/KeysApi"
import * as MultisigApi from "@effect-klaytn/wallet/MultisigApi"
import * as ResourcesApi from "@effect-klaytn/wallet/ResourcesApi"
import * as TransactionsApi from "@effect-klaytn/wallet/TransactionsApi"
import * as WalletApi from "@effect-klaytn/wallet/WalletApi"
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { ChainWallet } from "../../ChainWallet.js"
import type { CustodyFailure, StoreFailure } from "../../CustodyError.js"
import type { Wallet } from "../../Wallet.js"
import { type CallerRequest, CurrentCaller, type WalletCaller } from "../../WalletCaller.js"
import type { WalletGuard } from "../../WalletGuard.js"
import { operations } from "../../WalletRoutes.js"
import type { WalletSettings } from "../../WalletSettings.js"
import { overwritten } from "../OpenedSecrets.js"
import { nodeMessage, type WalletRefusals } from "./WalletRefusals.js"
import { type Failure, WalletRequest } from "./WalletRequest.js"

/** Who calls, and the guard that says what the caller may do. */
export interface Guarded {
  readonly guard: Pick<WalletGuard, "enter">
  /** The caller of an `Authorization` header that was let in. */
  readonly callerOf: (header: string | undefined) => WalletCaller | undefined
  readonly requestId: () => string
}

/** The names of the pools that a request names: in `x-krn`, in its query, or in the ID of a key. */
const poolsOf = ({ headers, url }: HttpServerRequest.HttpServerRequest): ReadonlyArray<string> =>
  [...`${headers["x-krn"] ?? ""} ${decoded(url)}`.matchAll(/krn:[^:]*:wallet:[^:]*:[a-z]+-pool:([^:,&?/\s]+)/g)]
    .map(([, name = ""]) => name)

const decoded = (url: string): string => {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}

/** The parts that all handlers of the wallet share. */
export class WalletService {
  constructor(
    readonly wallet: Wallet,
    readonly refusals: WalletRefusals,
    readonly settings: WalletSettings,
    readonly guarded?: Guarded
  ) {}

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
            : this.#entered(Effect.flatMap(
              this.seen(wallet),
              (seen) => run(new WalletRequest(seen, this.refusals, this.settings), input)
            ))
        }),
        Effect.map((body) => HttpServerResponse.unsafeJson(body)),
        Effect.catchTag(
          "TransactionRejected",
          ({ message }) => this.refusals.fail("nodeRefused", nodeMessage(message))
        )
      )

  /** What the caller of this request sees of a wallet. */
  seen(wallet: ChainWallet): Effect.Effect<ChainWallet> {
    return Effect.map(CurrentCaller, (request) => {
      const pools = request?.caller.pools
      return pools === undefined ? wallet : wallet.within(pools)
    })
  }

  /** Runs a request that the guard lets in, as a request of its caller. What was opened for the request is overwritten. */
  #entered<A, R>(
    handled: Effect.Effect<A, Failure, R>
  ): Effect.Effect<A, Exclude<Failure, CustodyFailure>, R | HttpServerRequest.HttpServerRequest> {
    return Effect.gen(this, function*() {
      const { guarded } = this
      const http = yield* HttpServerRequest.HttpServerRequest
      const request = guarded && (yield* this.#requestOf(guarded, http))
      const entered = request === undefined || guarded === undefined
        ? Effect.void
        : guarded.guard.enter({ ...request, pools: poolsOf(http) })
      return yield* Effect.zipRight(entered, overwritten(handled)).pipe(
        Effect.provideService(CurrentCaller, request),
        Effect.catchTags({
          WalletRefused: ({ message, reason }) =>
            this.#failed(request, (requestId) => Effect.fail(this.refusals.policy(reason, message, requestId))),
          StoreFailure: (failure) => this.#failed(request, (requestId) => this.#unstored(failure, requestId)),
          NodeFailure: ({ message, operation }) =>
            this.#failed(request, (requestId) =>
              Effect.zipRight(
                Effect.logWarning(`a request was not answered: ${message}`),
                Effect.fail(this.refusals.node(operation, http, requestId))
              ))
        })
      )
    })
  }

  /** Fails a request, and says in the log which one it was. */
  #failed<E>(request: CallerRequest | undefined, fail: (requestId: string) => Effect.Effect<never, E>) {
    return Effect.suspend(() => {
      const requestId = request?.requestId ?? this.refusals.requestId()
      const caller = request && { caller: request.caller.name, operation: request.operation }
      return Effect.annotateLogs(fail(requestId), { requestId, ...caller })
    })
  }

  #requestOf({ callerOf, requestId }: Guarded, { headers, method, url }: HttpServerRequest.HttpServerRequest) {
    const caller = callerOf(headers["authorization"])
    // The caller was there a moment ago.
    if (caller === undefined) {
      return Effect.failSync(() => this.refusals.policy("rights", "the credential is not known any more", requestId()))
    }
    const operation = find(operations, method, url)?.name ?? "none"
    return Effect.sync((): CallerRequest => ({ caller, operation, requestId: requestId() }))
  }

  /** No operation declares that a database is not there now: the app answers this. */
  #unstored(failure: StoreFailure, requestId: string) {
    return Effect.zipRight(
      DatabaseLog.failure(failure.message, failure),
      DatabaseFault.of(failure).kind === "Statement"
        ? Effect.fail(this.refusals.databaseFailed(requestId))
        : Effect.die(failure)
    )
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
