/**
 * The wallet's operations over HTTP.
 */
import * as ContractApp from "@effect-klaytn/service/ContractApp"
import { find } from "@effect-klaytn/service/Route"
import { accessLayer, type Callers } from "@effect-klaytn/service/ServiceAccess"
import { answer, isRefusal, notNow, type RequestIds } from "@effect-klaytn/service/ServiceRefusals"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import type * as HttpApp from "@effect/platform/HttpApp"
import { RouteNotFound } from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { StoreFailure } from "./CustodyError.js"
import { refusalOf } from "./internal/api/bodies.js"
import { resourcesLayer } from "./internal/api/resources.js"
import { accountsLayer } from "./internal/api/walletAccounts.js"
import { keysLayer } from "./internal/api/walletKeys.js"
import { multisigLayer } from "./internal/api/walletMultisig.js"
import { walletLayer } from "./internal/api/walletOperations.js"
import { feesLayer } from "./internal/api/walletReads.js"
import { WalletRefusals } from "./internal/api/WalletRefusals.js"
import { WalletService, WalletServiceApi } from "./internal/api/WalletService.js"
import { transactionsLayer } from "./internal/api/walletTransactions.js"
import type { Wallet } from "./Wallet.js"
import type { WalletCaller } from "./WalletCaller.js"
import type { WalletGuard } from "./WalletGuard.js"
import { operations } from "./WalletRoutes.js"
import type { WalletSettings } from "./WalletSettings.js"

/**
 * The parts of the wallet's HTTP app.
 *
 * @category models
 */
export interface Parts {
  readonly wallet: Wallet
  readonly callers: Callers
  readonly ids: RequestIds
  readonly settings: WalletSettings
  /** What callers may do. Default: everything. */
  readonly policy?: {
    readonly guard: Pick<WalletGuard, "enter">
    /** The caller of an `Authorization` header that was let in. */
    readonly callerOf: (header: string | undefined) => WalletCaller | undefined
  } | undefined
}

/** The address without the parameters that have no value: they count as absent. */
const withoutEmpty = (url: string): string => {
  const [path = "", ...query] = url.split("?")
  const kept = query.join("?").split("&").filter((one) => /=./.test(one))
  return kept.length === 0 ? path : `${path}?${kept.join("&")}`
}

/** The parameters in the path and in the query of a request, by name. */
const parametersOf = (method: string, url: string): Record<string, string> => {
  const { pathname, searchParams } = new URL(url, "http://service")
  const segments = pathname.split("/")
  const named = find(operations, method, url)?.template.split("/") ?? []
  const inPath = named.flatMap((name, index) =>
    name.startsWith(":") ? [[name.slice(1), decodeURIComponent(segments[index] ?? "")] as const] : []
  )
  return { ...Object.fromEntries(searchParams), ...Object.fromEntries(inPath) }
}

/**
 * The app of the wallet for requests to one of `operations` of `WalletRoutes`. Every failure is answered in the service's form.
 *
 * @category constructors
 */
export const make = (
  { callers, ids, policy, settings, wallet }: Parts
): Effect.Effect<HttpApp.Default, never, Scope.Scope> =>
  Effect.gen(function*() {
    const refusals = new WalletRefusals(ids)
    const service = new WalletService(
      wallet,
      refusals,
      settings,
      policy && { ...policy, requestId: () => ids.next() }
    )

    const explain = (cause: Cause.Cause<unknown>, { method, url }: HttpServerRequest.HttpServerRequest) => {
      const failure = Cause.squash(cause)
      if (isRefusal(failure)) return Effect.succeed(answer(failure))
      if (failure instanceof StoreFailure) return Effect.succeed(notNow(refusals.unavailable()))
      if (failure instanceof RouteNotFound) return Effect.succeed(answer(refusals.route()))
      if (failure instanceof HttpApiDecodeError) {
        const parameters = parametersOf(method, url)
        return Effect.succeed(answer(refusalOf(refusals, failure.issues[0], parameters, "parameters")))
      }
      const refusal = refusals.fault()
      return Effect.logError("the wallet could not answer a request", cause).pipe(
        Effect.annotateLogs("requestId", refusal.requestId),
        Effect.as(answer(refusal))
      )
    }

    const routes = HttpApiBuilder.api(WalletServiceApi).pipe(
      Layer.provide(walletLayer(service)),
      Layer.provide(accountsLayer(service)),
      Layer.provide(keysLayer(service)),
      Layer.provide(multisigLayer(service)),
      Layer.provide(feesLayer(service)),
      Layer.provide(transactionsLayer(service)),
      Layer.provide(resourcesLayer(service)),
      Layer.provide(accessLayer(callers, refusals))
    )
    const app = yield* ContractApp.make(routes, explain)
    return app.pipe(
      Effect.updateService(
        HttpServerRequest.HttpServerRequest,
        (http) => http.modify({ url: withoutEmpty(http.url) })
      )
    )
  })
