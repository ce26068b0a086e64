import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ActiveFault, Answer } from "../../Fault.js"
import { exchange, isExchange, methodsOf } from "../rpc/exchange.js"
import { chainOf } from "./access.js"
import type { Faults } from "./Faults.js"
import type { Journal } from "./Journal.js"
import { operationOf } from "./operations.js"
import type { RequestIds } from "./RequestIds.js"

/** What stands between the wire and the service. */
export interface PipelineParts {
  readonly journal: Journal
  readonly faults: Faults
  readonly ids: RequestIds
}

const injected = (answer: typeof Answer.Type, ids: RequestIds): HttpServerResponse.HttpServerResponse => {
  const options = {
    status: answer.status,
    headers: answer.retryAfter === undefined ? {} : { "retry-after": answer.retryAfter }
  }
  if (answer.body !== undefined) return HttpServerResponse.text(answer.body, options)
  if (answer.code === undefined) return HttpServerResponse.empty(options)
  const body = { code: answer.code, message: answer.message ?? "injected by the sandbox", requestId: ids.next() }
  return HttpServerResponse.unsafeJson(body, options)
}

/** Cuts the connection; the server then gives up the request, so this never comes back. */
const reset: HttpApp.Default = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
  Effect.zipRight(
    Effect.sync(() => NodeHttpServerRequest.toServerResponse(request).socket?.resetAndDestroy()),
    Effect.never
  ))

/** The answer, or nothing when the connection is to be cut. */
type Outcome = Effect.Effect<
  HttpServerResponse.HttpServerResponse | undefined,
  never,
  Effect.Effect.Context<HttpApp.Default>
>

const withFault = (app: HttpApp.Default, fault: ActiveFault | undefined, ids: RequestIds): Outcome => {
  if (fault === undefined) return app
  const { action } = fault
  switch (action.kind) {
    case "answer":
      return Effect.sync(() => injected(action, ids))
    case "delay":
      return Effect.zipRight(Effect.sleep(action.milliseconds), app)
    case "drop":
      return action.when === "before" ? Effect.succeed(undefined) : Effect.as(app, undefined)
  }
}

const named = (request: HttpServerRequest.HttpServerRequest) =>
  isExchange(request) ? Effect.succeed(exchange) : operationOf(request.method, request.url)

/**
 * Puts the faults and the journal around the service. A request is in the journal before its answer is sent; one that
 * its client gave up is there too.
 */
export const make = (app: HttpApp.Default, { faults, ids, journal }: PipelineParts): HttpApp.Default =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) =>
      Effect.flatMap(Effect.all([Clock.currentTimeMillis, methodsOf(request), named(request)]), ([
        at,
        rpcMethods,
        operation
      ]) => {
        const chainId = chainOf(request)
        const fault = faults.take(operation === undefined ? [] : [operation.name, ...rpcMethods], chainId)
        const write = (status: number | undefined) =>
          Effect.map(Clock.currentTimeMillis, (now) =>
            journal.add({
              at,
              method: request.method,
              url: request.url,
              operation: operation?.name,
              route: operation?.template,
              rpcMethods: operation === exchange ? rpcMethods : undefined,
              chainId,
              status,
              fault: fault?.id,
              durationMillis: now - at
            }))
        // The server's own fiber cannot be interrupted, and would outlive a client that has gone.
        return Effect.interruptible(withFault(app, fault, ids)).pipe(
          Effect.onInterrupt(() => write(undefined)),
          Effect.tap((response) => write(response?.status)),
          Effect.flatMap((response) => response === undefined ? Effect.interruptible(reset) : Effect.succeed(response))
        )
      })
  )
