/**
 * Contracts with handlers as HTTP apps.
 */
import type * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

/**
 * The HTTP app of a contract with all of its handlers. `explain` turns any failure into a response; where it returns
 * undefined, the contract encodes the failures that it declares.
 *
 * @category constructors
 */
export const make = (
  routes: Layer.Layer<HttpApi.Api>,
  explain: (
    cause: Cause.Cause<unknown>,
    request: HttpServerRequest.HttpServerRequest
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse | undefined>
): Effect.Effect<HttpApp.Default, never, Scope.Scope> =>
  Effect.gen(function*() {
    const errors = HttpApiBuilder.middleware((app) =>
      Effect.catchAllCause(app, (cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.failCause(cause)
          : Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
            Effect.flatMap(
              explain(cause, request),
              (response) => response === undefined ? Effect.failCause(cause) : Effect.succeed(response)
            )))
    )
    const context = yield* Layer.build(
      Layer.mergeAll(
        routes,
        errors,
        HttpApiBuilder.Router.Live,
        HttpApiBuilder.Middleware.layer,
        HttpServer.layerContext
      )
    )
    const api = yield* HttpRouter.withRouterConfig(Effect.provide(HttpApiBuilder.httpApp, context), {
      maxParamLength: 16_384
    })
    return Effect.provide(api, context)
  })
