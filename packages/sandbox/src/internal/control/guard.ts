import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { NotLocal } from "../../ControlError.js"

const ownHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

const whyNot = ({ headers }: HttpServerRequest.HttpServerRequest): string | undefined => {
  if (headers["origin"] !== undefined) {
    return "the control interface does not answer web pages: the request has an Origin"
  }
  // A name that somebody else resolved to this machine.
  return ownHost.test(headers["host"] ?? "")
    ? undefined
    : "the control interface answers on this machine's own addresses only: 127.0.0.1, [::1] or localhost"
}

/** Keeps web pages and foreign names out; all that a browser sends across sites has one mark or the other. */
export const guarded = (app: HttpApp.Default): HttpApp.Default =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const message = whyNot(request)
    if (message === undefined) return app
    const { _tag } = new NotLocal({ message })
    return Effect.succeed(HttpServerResponse.unsafeJson({ _tag, message }, { status: 403 }))
  })
