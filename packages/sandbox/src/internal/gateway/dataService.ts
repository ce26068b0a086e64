import * as DataService from "@effect-klaytn/indexer/DataService"
import { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import type * as HttpApp from "@effect/platform/HttpApp"
import { RouteNotFound } from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { accessLayer, authorise } from "./access.js"
import { contractApp } from "./contractApp.js"
import type { CredentialStore } from "./CredentialStore.js"
import { answer, isRefusal, type Refusals } from "./Refusals.js"
import { operationOf } from "./routes.js"

/** The service: every request gets an answer in the service's form, whatever goes wrong. */
export const make = (
  parts: DataService.DataParts & {
    readonly refusals: Refusals
    readonly credentials: CredentialStore
    /** The wallet's part. */
    readonly wallet: HttpApp.Default
  }
): Effect.Effect<HttpApp.Default, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { credentials, refusals, wallet } = parts

    const explain = (
      cause: Cause.Cause<unknown>,
      url: string
    ): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
      const failure = Cause.squash(cause)
      // The contract's encoder can't tell these classes apart, and would give all the status of the first.
      if (isRefusal(failure)) return Effect.succeed(answer(failure))
      // A path like an operation's, with a parameter that can't be decoded as text.
      if (failure instanceof RouteNotFound) return Effect.succeed(answer(refusals.route()))
      if (failure instanceof HttpApiDecodeError) {
        return Effect.succeed(answer(refusals.parameter(failure, new URL(url, "http://sandbox"))))
      }
      return Effect.as(Effect.logError("the sandbox could not answer a request", cause), answer(refusals.internal()))
    }

    const routes = Layer.provide(DataService.layer(parts), accessLayer(credentials, refusals))
    const data = yield* contractApp(routes, (cause, { url }) => explain(cause, url))

    const unknownRoute = Effect.match(authorise(credentials, refusals), {
      onFailure: answer,
      onSuccess: () => answer(refusals.route())
    })

    return Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) =>
      Effect.flatMap(operationOf(method, url), (operation) => {
        if (operation === undefined) {
          return unknownRoute
        }
        return operation.room === "wallet" ? wallet : data
      }))
  })
