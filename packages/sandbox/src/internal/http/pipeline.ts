import { type Bodies, type Body, largestBody, type TooLarge, withText } from "@effect-klaytn/service/Bodies"
import type { RequestIds } from "@effect-klaytn/service/RequestIds"
import { exchange, isExchange, maxBytes, methodsOf } from "@effect-klaytn/service/Route"
import { chainOf, isAuthorised } from "@effect-klaytn/service/ServiceAccess"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { CredentialStore } from "./CredentialStore.js"
import type { Faults } from "./Faults.js"
import { reset, withFault } from "./injected.js"
import { namesOf, type RequestLog } from "./RequestLog.js"
import { operationOf } from "./routes.js"

/** What a request passes on its way to the service. */
export interface PipelineParts {
  readonly credentials: CredentialStore
  readonly bodies: Bodies
  readonly requestLog: RequestLog
  readonly faults: Faults
  readonly ids: RequestIds
}

const findOperation = (request: HttpServerRequest.HttpServerRequest) =>
  isExchange(request) ? Effect.succeed(exchange) : operationOf(request.method, request.url)

/** The plain text of a node's HTTP layer; the service's own answer to such a body is not known. */
const refuse = (body: TooLarge): HttpApp.Default =>
  Effect.succeed(HttpServerResponse.text(`${body.message}\n`, { status: 413 }))

/**
 * Wraps the service in faults and the request log, and reads the bodies of requests with access: other requests can't make
 * the sandbox hold data. A request is logged before its response is sent, and also if its client has gone.
 */
export const make = (
  app: HttpApp.Default,
  { bodies, credentials, faults, ids, requestLog }: PipelineParts
): HttpApp.Default => {
  const serve = (
    request: HttpServerRequest.HttpServerRequest,
    body: Body | undefined
  ) =>
    Effect.gen(function*() {
      const at = yield* Clock.currentTimeMillis
      const operation = yield* findOperation(request)
      const chainId = chainOf(request)
      const asked = {
        operation: operation?.name,
        rpcMethods: operation === exchange && body?._tag === "Right" ? methodsOf(body.right) : undefined
      }
      const fault = faults.take(namesOf(asked), chainId)
      const write = (status: number | undefined) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          requestLog.add({
            at,
            method: request.method,
            url: request.url,
            ...asked,
            route: operation?.template,
            chainId,
            status,
            fault: fault?.id,
            durationMillis: now - at
          }))
      // The server's fiber is uninterruptible and would outlive a client that has gone.
      const served = Effect.interruptible(withFault(body?._tag === "Left" ? refuse(body.left) : app, fault, ids))
      const response = yield* served.pipe(
        Effect.onInterrupt(() => write(undefined)),
        Effect.tap((response) => write(response?.status))
      )
      return response === undefined ? yield* Effect.interruptible(reset) : response
    })
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    if (!isAuthorised(credentials, request)) return serve(request, undefined)
    return bodies.with(request, isExchange(request) ? maxBytes : largestBody, (body) =>
      Effect.provideService(
        serve(request, body),
        HttpServerRequest.HttpServerRequest,
        Either.match(body, { onLeft: () => request, onRight: (text) => withText(request, text) })
      ))
  })
}
