import { isExchange } from "@effect-klaytn/service/Route"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"

/** An app and the requests it answers; the path is without the query. */
interface Owner {
  readonly owns: (method: string, path: string) => boolean
  readonly app: HttpApp.Default
}

/** The node. */
export const isNode: Owner["owns"] = (method, url) => isExchange({ method, url })

/** The control interface. */
export const isControl: Owner["owns"] = (_, path) => /^\/_sandbox(?:\/|$)/.test(path)

/** The OpenAPI document and its page. */
export const isOpenApi: Owner["owns"] = (method, path) =>
  method === "GET" && (path === "/openapi.json" || /^\/api(?:\/|$)/.test(path))

/** The chains' JSON-RPC for development. */
export const isDevRpc: Owner["owns"] = (_, path) => /^\/rpc(?:\/|$)/.test(path)

/** The explorer: its own paths and the root, which is a path of the service for all that is no page. */
export const isExplorer: Owner["owns"] = (method, path) =>
  (method === "GET" || method === "HEAD") && /^\/(?:explorer(?:\/.*)?)?$/.test(path)

/** Sends a request to the first app that owns it, or else to the service. */
export const route = (owners: ReadonlyArray<Owner>, service: HttpApp.Default): HttpApp.Default =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) => {
    const path = url.split("?", 1)[0] ?? ""
    return owners.find(({ owns }) => owns(method, path))?.app ?? service
  })

/**
 * An app that is built at its first request, for the lifetime of the scope. A fiber of the scope builds it, so a client
 * that leaves in the meantime interrupts only its own request. `Effect.cached` would keep the interruption of its first
 * caller, even around an uninterruptible effect, and give it to all later ones.
 */
export const buildLater = (
  build: Effect.Effect<HttpApp.Default, never, Scope.Scope>
): Effect.Effect<HttpApp.Default, never, Scope.Scope> =>
  Effect.gen(function*() {
    const requested = yield* Deferred.make<void>()
    const builder = yield* Effect.forkScoped(Effect.zipRight(Deferred.await(requested), build))
    return Effect.zipRight(
      Deferred.succeed(requested, undefined),
      Effect.flatten(Effect.flatten(Fiber.await(builder)))
    )
  })
