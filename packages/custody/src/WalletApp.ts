import * as ContractApp from "@effect-klaytn/indexer/ContractApp"
import { find } from "@effect-klaytn/indexer/Route"
import { accessLayer } from "@effect-klaytn/indexer/ServiceAccess"
import { answer, isRefusal } from "@effect-klaytn/indexer/ServiceRefusals"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import type * as HttpApp from "@effect/platform/HttpApp"
import { RouteNotFound } from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { CredentialStore } from "../gateway/CredentialStore.js"
import type { RequestIds } from "../gateway/RequestIds.js"
import { walletOperations } from "../gateway/walletRoutes.js"
import type { Wallet } from "../wallet/Wallet.js"
import { refusalOf } from "./bodies.js"
import { resourcesLayer } from "./resources.js"
import { accountsLayer } from "./walletAccounts.js"
import { keysLayer } from "./walletKeys.js"
import { multisigLayer } from "./walletMultisig.js"
import { walletLayer } from "./walletOperations.js"
import { feesLayer } from "./walletReads.js"
import { WalletRefusals } from "./WalletRefusals.js"
import type { FeeDelegation } from "./WalletRequest.js"
import { WalletService, WalletServiceApi } from "./WalletService.js"
import { transactionsLayer } from "./walletTransactions.js"

/** The parts of the wallet's HTTP app. */
export interface WalletAppParts {
  readonly wallet: Wallet
  readonly credentials: CredentialStore
  readonly ids: RequestIds
  readonly fees: FeeDelegation
}

/** The address without the parameters that have no value: they count as absent. */
const withoutEmpty = (url: string): string => {
  const [path = "", ...query] = url.split("?")
  const kept = query.join("?").split("&").filter((one) => /=./.test(one))
  return kept.length === 0 ? path : `${path}?${kept.join("&")}`
}

/** The parameters in the path and in the query of a request, by name. */
const parametersOf = (method: string, url: string): Record<string, string> => {
  const { pathname, searchParams } = new URL(url, "http://sandbox")
  const segments = pathname.split("/")
  const named = find(walletOperations, method, url)?.template.split("/") ?? []
  const inPath = named.flatMap((name, index) =>
    name.startsWith(":") ? [[name.slice(1), decodeURIComponent(segments[index] ?? "")] as const] : []
  )
  return { ...Object.fromEntries(searchParams), ...Object.fromEntries(inPath) }
}

/** The wallet's part of the service. Every failure is answered in the service's form. */
export const make = (
  { credentials, fees, ids, wallet }: WalletAppParts
): Effect.Effect<HttpApp.Default, never, Scope.Scope> =>
  Effect.gen(function*() {
    const refusals = new WalletRefusals(ids)
    const service = new WalletService(wallet, refusals, fees)

    const explain = (cause: Cause.Cause<unknown>, { method, url }: HttpServerRequest.HttpServerRequest) => {
      const failure = Cause.squash(cause)
      if (isRefusal(failure)) return Effect.succeed(answer(failure))
      if (failure instanceof RouteNotFound) return Effect.succeed(answer(refusals.route()))
      if (failure instanceof HttpApiDecodeError) {
        const parameters = parametersOf(method, url)
        return Effect.succeed(answer(refusalOf(refusals, failure.issues[0], parameters, "parameters")))
      }
      return Effect.as(
        Effect.logError("the sandbox's wallet could not answer a request", cause),
        answer(refusals.internal())
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
      Layer.provide(accessLayer(credentials, refusals))
    )
    const app = yield* ContractApp.make(routes, explain)
    return app.pipe(
      Effect.updateService(
        HttpServerRequest.HttpServerRequest,
        (http) => http.modify({ url: withoutEmpty(http.url) })
      )
    )
  })
