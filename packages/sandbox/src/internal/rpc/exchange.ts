import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import type * as HttpServerError from "@effect/platform/HttpServerError"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The body that a node takes at most. */
export const mostBytes = 512 * 1024

/** Name and path of everything that is said to the node: the methods stand in the body. */
export const exchange = { name: "node.exchange", template: "/v1/klaytn" } as const

/** Is a request for the node? Some clients write the method's group into the path, below the node's own. */
export const isExchange = ({ method, url }: { readonly method: string; readonly url: string }): boolean =>
  method === "POST" && /^\/v1\/klaytn(?:[/?]|$)/.test(url)

/** The body, read once however often it is asked for; fails if it is too large or does not come. */
export const bodyOf = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<string, HttpServerError.RequestError> =>
  HttpIncomingMessage.withMaxBodySize(request.text, Option.some(mostBytes))

const named = /"method"\s*:\s*"([^"\\]{1,128})"/g

/** The methods that a request names, each once, as they stand; none if it is not for the node. */
export const methodsOf = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<ReadonlyArray<string>> =>
  !isExchange(request) || Number(request.headers["content-length"] ?? 0) > mostBytes
    ? Effect.succeed([])
    : Effect.match(bodyOf(request), {
      onFailure: () => [],
      onSuccess: (body) => [...new Set([...body.matchAll(named)].map(([, method = ""]) => method))]
    })
