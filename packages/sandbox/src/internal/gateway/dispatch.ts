import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { isExchange } from "./Route.js"

/** The two apps on one address. */
interface Apps {
  readonly service: HttpApp.Default
  readonly control: HttpApp.Default
}

/** Sends a request to the control interface or to the service, by its path. */
export const route = ({ control, service }: Apps): HttpApp.Default =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    ({ url }) => /^\/_sandbox(?:[/?]|$)/.test(url) ? control : service
  )

/** An app that is built by its first request, for the lifetime of the scope. */
export const buildLater = (
  build: Effect.Effect<HttpApp.Default, never, Scope.Scope>
): Effect.Effect<HttpApp.Default, never, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Scope.Scope
    // A client that gives up must not interrupt the build for the next one.
    const app = yield* Effect.cached(Effect.uninterruptible(Scope.extend(build, scope)))
    return Effect.flatten(app)
  })

/** Sends requests for the node to it, and all others on. */
export const withNode = (node: HttpApp.Default, others: HttpApp.Default): HttpApp.Default =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => isExchange(request) ? node : others)
