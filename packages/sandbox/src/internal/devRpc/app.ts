import { type Bodies, withText } from "@effect-klaytn/service/Bodies"
import type { RequestIds } from "@effect-klaytn/service/RequestIds"
import { isJson, maxBytes } from "@effect-klaytn/service/Route"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Chain } from "../../Chain.js"
import type { Chains } from "../../Chains.js"
import type { Faults } from "../http/Faults.js"
import { reset, withFault } from "../http/injected.js"
import { NodeSettings, type Settings } from "../NodeSettings.js"
import { nothing, plain, serve } from "../rpc/app.js"
import type { DevRpcState } from "./DevRpcState.js"
import { devRpcMethods } from "./methods.js"
import type { SandboxControls } from "./sandboxMethods.js"

/** What the interface works with. */
export interface DevRpcParts {
  readonly chains: Context.Tag.Service<Chains>
  readonly bodies: Bodies
  /** What is held for each chain. */
  readonly states: ReadonlyMap<number, DevRpcState>
  readonly settings: Settings
  readonly controls: Effect.Effect<SandboxControls>
  readonly faults: Pick<Faults, "takeRpc">
  readonly ids: RequestIds
}

/**
 * What a browser asks before it sends JSON to another origin. The headers of the hosted service are allowed, so that a
 * page can change its URL alone; nothing reads them.
 */
const preflight = HttpServerResponse.empty({
  status: 204,
  headers: {
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "content-type, authorization, x-chain-id",
    "access-control-allow-private-network": "true",
    "access-control-max-age": "600"
  }
})

/** A node writes one behind each answer. */
const lineBreak = "\n"

/** The methods of HTTP by which a node takes calls. */
const takesCalls: ReadonlySet<string> = new Set(["POST", "PATCH", "OPTIONS", "HEAD"])

/** The chain of a path such as `/rpc/1001`. */
export const chainOfPath = (chains: Context.Tag.Service<Chains>, url: string): Chain | undefined => {
  const path = url.split("?", 1)[0]
  return chains.all.find(({ chainId }) => path === `/rpc/${chainId}` || path === `/rpc/${chainId}/`)
}

/**
 * The chains as JSON-RPC without a credential, each at its own path. The caller has checked where a request comes from.
 * Requests are not logged, and meet only faults that name them: the others belong to the service.
 */
export const make = (parts: DevRpcParts): HttpApp.Default => {
  const { bodies, chains, controls, faults, ids, settings, states } = parts
  const methods = new Map(Array.from(states, ([chainId, state]) => [chainId, devRpcMethods(state, controls)] as const))
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request): HttpApp.Default => {
    const chain = chainOfPath(chains, request.url)
    if (chain === undefined) {
      const known = chains.all.map(({ chainId }) => `/rpc/${chainId}`).join(" and ")
      return Effect.succeed(plain(404, `there is no chain at this path; the chains are at ${known}`))
    }
    const hasBody = Number(request.headers["content-length"] ?? "0") > 0 ||
      request.headers["transfer-encoding"] !== undefined
    if (request.method === "OPTIONS" && !hasBody) return Effect.succeed(preflight)
    if (request.method === "GET") return Effect.succeed(nothing)
    if (!takesCalls.has(request.method)) {
      return Effect.succeed(plain(405, "method not allowed", { allow: "POST, OPTIONS" }))
    }
    return bodies.with(request, maxBytes, (body) =>
      Either.match(body, {
        onLeft: ({ message }) => Effect.succeed(plain(413, message)),
        onRight: (text) => {
          const answered = text.trim() === "" && isJson(request.headers["content-type"])
            ? Effect.succeed(nothing)
            : serve(chain, withText(request, text), methods.get(chain.chainId), lineBreak)
          // The server's fiber is uninterruptible and would outlive a client that has gone.
          return Effect.interruptible(Effect.flatMap(
            withFault(answered, faults.takeRpc(text, chain.chainId), ids),
            (response) => response === undefined ? reset : Effect.succeed(response)
          ))
        }
      })).pipe(Effect.provideService(NodeSettings, settings))
  })
}
