import { type RequestHeaders, whyForeignHost, whyForeignPage } from "@effect-klaytn/indexer/LocalRequest"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { NotLocal } from "../../ControlError.js"

const server = "the sandbox"

/**
 * Checks an `Authorization` header where other machines reach the sandbox; undefined if only this one does, where the
 * controls and the pages ask for none.
 */
export type IsAuthorised = ((header: string | undefined) => boolean) | undefined

/**
 * Refuses a foreign host name that resolves to this machine: its pages would count as same-origin. A sandbox that other
 * machines reach has any name.
 */
const foreignHost = (request: RequestHeaders, isAuthorised: IsAuthorised): string | undefined =>
  isAuthorised === undefined ? whyForeignHost(server, request) : undefined

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

const noCredential = HttpServerResponse.unsafeJson(
  { _tag: "Unauthorized", message: "this sandbox is exposed: send its credential (Basic)" },
  { status: 401, headers: { "www-authenticate": "Basic realm=\"sandbox\"" } }
)

/** Asks for the credential where other machines reach the sandbox. */
const authorised = (app: HttpApp.Default, isAuthorised: IsAuthorised): HttpApp.Default =>
  isAuthorised === undefined
    ? app
    : Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
      isAuthorised(headers["authorization"]) ? app : Effect.succeed(noCredential))

/** Keeps foreign names and the pages of other sites away from the service, which asks for the credential itself. */
export const service = (app: HttpApp.Default, isAuthorised: IsAuthorised): HttpApp.Default =>
  guard(app, (request) => foreignHost(request, isAuthorised) ?? whyForeignPage(server, request))

/**
 * Keeps foreign names and pages away from an app that asks for no credential, and gives local pages and those of
 * `origins` access to its answers.
 */
export const devRpc = (
  app: HttpApp.Default,
  origins: ReadonlySet<string>,
  isAuthorised: IsAuthorised
): HttpApp.Default =>
  guard(
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
      const origin = headers["origin"]
      return origin === undefined
        ? app
        : Effect.map(app, HttpServerResponse.setHeaders({ "access-control-allow-origin": origin, vary: "origin" }))
    }),
    (request) => whyNotDevRpc(request, origins, isAuthorised)
  )

/** Why a request may not reach the JSON-RPC for development; undefined if it may. */
export const whyNotDevRpc = (
  request: RequestHeaders,
  origins: ReadonlySet<string>,
  isAuthorised: IsAuthorised
): string | undefined => {
  const origin = request.headers["origin"]
  return foreignHost(request, isAuthorised) ?? (origin === undefined
    ? foreignSite(request, "the JSON-RPC for development")
    : origins.has(origin)
    ? undefined
    : whyForeignPage(server, request))
}

/** Keeps foreign names and all pages away from the controls, which ask for no credential on this machine. */
export const control = (app: HttpApp.Default, isAuthorised: IsAuthorised): HttpApp.Default =>
  guard(authorised(app, isAuthorised), (request) => foreignHost(request, isAuthorised) ?? anyPage(request))

/** The same for the sandbox's own pages, and the pages of other sites. */
export const page = (app: HttpApp.Default, isAuthorised?: IsAuthorised): HttpApp.Default =>
  Effect.map(
    guard(authorised(app, isAuthorised), (request) =>
      foreignHost(request, isAuthorised) ?? whyForeignPage(server, request) ??
        foreignSite(request, "this page of the sandbox")),
    HttpServerResponse.setHeaders(pageHeaders)
  )
