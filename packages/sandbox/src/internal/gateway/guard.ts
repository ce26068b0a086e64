import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { NotLocal } from "../../ControlError.js"

const ownHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

type RequestHeaders = Pick<HttpServerRequest.HttpServerRequest, "headers">

/** Refuses a foreign host name that resolves to this machine: its pages would count as same-origin. */
const foreignHost = ({ headers }: RequestHeaders): string | undefined =>
  ownHost.test(headers["host"] ?? "")
    ? undefined
    : "the sandbox answers on this machine's own addresses only: 127.0.0.1, [::1] or localhost"

/** Refuses pages of other sites. Local pages may reach the service, for example through a development server's proxy. */
const foreignPage = ({ headers }: RequestHeaders): string | undefined => {
  const origin = headers["origin"]
  return origin === undefined || ownHost.test(origin.replace(/^https?:\/\//i, ""))
    ? undefined
    : "the sandbox does not answer web pages of other sites: the request has a foreign Origin"
}

/** Refuses all pages. Requests that browsers send without `Origin`, as for images, have `Sec-Fetch-Site`. */
const anyPage = ({ headers }: RequestHeaders): string | undefined => {
  if (headers["origin"] !== undefined) {
    return "the control interface does not answer web pages: the request has an Origin"
  }
  const site = headers["sec-fetch-site"] ?? "none"
  return site === "none" || site === "same-origin"
    ? undefined
    : "the control interface does not answer web pages: the request's Sec-Fetch-Site is not `none`"
}

const guard = (app: HttpApp.Default, whyNot: (request: RequestHeaders) => string | undefined): HttpApp.Default =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const message = whyNot(request)
    if (message === undefined) return app
    const { _tag } = new NotLocal({ message })
    return Effect.succeed(HttpServerResponse.unsafeJson({ _tag, message }, { status: 403 }))
  })

/** Keeps foreign names and the pages of other sites away from the service. */
export const service = (app: HttpApp.Default): HttpApp.Default =>
  guard(app, (request) => foreignHost(request) ?? foreignPage(request))

/** Keeps foreign names and all pages away from the controls, which ask for no credential. */
export const control = (app: HttpApp.Default): HttpApp.Default =>
  guard(app, (request) => foreignHost(request) ?? anyPage(request))
