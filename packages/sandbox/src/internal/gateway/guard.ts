import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { NotLocal } from "../../ControlError.js"

const ownHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

/** The headers of a request, by names in lower case. */
export interface RequestHeaders {
  readonly headers: { readonly [name: string]: string | undefined }
}

/** Refuses a foreign host name that resolves to this machine: its pages would count as same-origin. */
const foreignHost = ({ headers }: RequestHeaders): string | undefined =>
  ownHost.test(headers["host"] ?? "")
    ? undefined
    : "the sandbox answers on this machine's own addresses only: 127.0.0.1, [::1] or localhost"

const withoutScheme = (origin: string): string => origin.replace(/^https?:\/\//i, "")

/** Refuses pages of other sites. Local pages may reach the service, for example through a development server's proxy. */
const foreignPage = ({ headers }: RequestHeaders): string | undefined => {
  const origin = headers["origin"]
  return origin === undefined || ownHost.test(withoutScheme(origin))
    ? undefined
    : "the sandbox does not answer web pages of other sites: the request has a foreign Origin"
}

/** Refuses what pages of other sites load or link to. Browsers say so also where they send no `Origin`, as for images. */
const foreignSite = ({ headers }: RequestHeaders, what: string): string | undefined => {
  const site = headers["sec-fetch-site"] ?? "none"
  return site === "none" || site === "same-origin"
    ? undefined
    : `${what} does not answer web pages: the request's Sec-Fetch-Site is not \`none\``
}

const anyPage = (request: RequestHeaders): string | undefined =>
  request.headers["origin"] === undefined
    ? foreignSite(request, "the control interface")
    : "the control interface does not answer web pages: the request has an Origin"

/** No foreign or inline resources, no framing, and no referrer. */
const pageHeaders = {
  "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
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

/** Whether an origin is one of this machine's own. */
const isOwnOrigin = (origin: string): boolean => /^https?:\/\//i.test(origin) && ownHost.test(withoutScheme(origin))

/**
 * Keeps foreign names and pages away from an app that asks for no credential, and gives local pages and those of
 * `origins` access to its answers.
 */
export const devRpc = (app: HttpApp.Default, origins: ReadonlySet<string>): HttpApp.Default =>
  guard(
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
      const origin = headers["origin"]
      return origin === undefined
        ? app
        : Effect.map(app, HttpServerResponse.setHeaders({ "access-control-allow-origin": origin, vary: "origin" }))
    }),
    (request) => whyNotDevRpc(request, origins)
  )

/** Why a request may not reach the JSON-RPC for development; undefined if it may. */
export const whyNotDevRpc = (request: RequestHeaders, origins: ReadonlySet<string>): string | undefined => {
  const origin = request.headers["origin"]
  if (origin === undefined) return foreignHost(request) ?? foreignSite(request, "the JSON-RPC for development")
  return foreignHost(request) ?? (isOwnOrigin(origin) || origins.has(origin)
    ? undefined
    : "the sandbox does not answer web pages of other sites: the request has a foreign Origin")
}

/** Keeps foreign names and all pages away from the controls, which ask for no credential. */
export const control = (app: HttpApp.Default): HttpApp.Default =>
  guard(app, (request) => foreignHost(request) ?? anyPage(request))

/** Keeps foreign names and the pages of other sites away from the sandbox's own pages, which ask for no credential. */
export const page = (app: HttpApp.Default): HttpApp.Default =>
  Effect.map(
    guard(
      app,
      (request) => foreignHost(request) ?? foreignPage(request) ?? foreignSite(request, "this page of the sandbox")
    ),
    HttpServerResponse.setHeaders(pageHeaders)
  )
