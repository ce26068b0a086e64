import * as DataApp from "@effect-klaytn/indexer/DataApp"
import { authorise } from "@effect-klaytn/service/ServiceAccess"
import { answer } from "@effect-klaytn/service/ServiceRefusals"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { operationOf } from "./routes.js"

/** The service: data and wallet, and an answer in the service's form to all else. */
export const make = (
  parts: DataApp.Parts & {
    /** The wallet's part. */
    readonly wallet: HttpApp.Default
  }
): Effect.Effect<HttpApp.Default, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { callers, refusals, wallet } = parts
    const data = yield* DataApp.make(parts)
    const unknownRoute = Effect.match(authorise(callers, refusals), {
      onFailure: answer,
      onSuccess: () => answer(refusals.route())
    })
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) =>
      Effect.flatMap(operationOf(method, url), (operation) =>
        operation === undefined ? unknownRoute : operation.room === "wallet" ? wallet : data))
  })
