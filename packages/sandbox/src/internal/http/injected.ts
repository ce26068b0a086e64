import type { RequestIds } from "@effect-klaytn/service/RequestIds"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { Answer } from "../../Fault.js"
import type { RequestFault } from "./Faults.js"

const inject = (answer: typeof Answer.Type, ids: RequestIds): HttpServerResponse.HttpServerResponse => {
  const options = {
    status: answer.status,
    headers: answer.retryAfter === undefined ? {} : { "retry-after": answer.retryAfter }
  }
  if (answer.body !== undefined) return HttpServerResponse.text(answer.body, options)
  if (answer.code === undefined) return HttpServerResponse.empty(options)
  const body = { code: answer.code, message: answer.message ?? "injected by the sandbox", requestId: ids.next() }
  return HttpServerResponse.unsafeJson(body, options)
}

/** Cuts the connection. Never returns: the server interrupts the request. */
export const reset: HttpApp.Default = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
  Effect.zipRight(
    Effect.sync(() => NodeHttpServerRequest.toServerResponse(request).socket?.resetAndDestroy()),
    Effect.never
  ))

/** The response, or undefined to cut the connection. */
type Outcome = Effect.Effect<
  HttpServerResponse.HttpServerResponse | undefined,
  never,
  Effect.Effect.Context<HttpApp.Default>
>

/** Answers a request by a fault, if it meets one. */
export const withFault = (app: HttpApp.Default, fault: RequestFault | undefined, ids: RequestIds): Outcome => {
  if (fault === undefined) return app
  const { action } = fault
  switch (action.kind) {
    case "answer":
      return Effect.sync(() => inject(action, ids))
    case "delay":
      return Effect.zipRight(Effect.sleep(action.milliseconds), app)
    case "drop":
      return Effect.zipRight(
        action.when === "before" ? Effect.void : Effect.asVoid(app),
        Effect.as(Effect.sleep(action.milliseconds ?? 0), undefined)
      )
  }
}
