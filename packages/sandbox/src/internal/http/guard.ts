import { type RequestHeaders, whyForeignHost, whyForeignPage } from "@effect-klaytn/service/LocalRequest"
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

/** Refuses what pages of other sites load or link to. Browsers say so also where they send no `Origin`, as for images. */
const foreignSite = ({ headers }: RequestHeaders, what: string): string | undefined => {
  const site = headers["sec-fetch-site"] ?? "none"
  return site === "none" || site === "same-origin"
    ? undefined
    : `${what} does not answer web pages: the request's Sec-Fetch-Site is not \`none\``
}

/** Whether the page of a request is this server's own: its origin has the name by which the request came. */
const isSameOrigin = ({ headers: { host, origin } }: RequestHeaders): boolean =>
  origin !== undefined && host !== undefined && URL.canParse(origin) && /^https?:/.test(origin) &&
  new URL(origin).host === host

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

/** Whether somebody has followed a link of another page in a browser. */
const isFollowedLink = ({ headers }: RequestHeaders): boolean =>
  headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document"

/** What a browser shows then. The link to the same address is one of this sandbox, which is followed. */
const linkPage = HttpServerResponse.text(
  "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>A link into a sandbox</title>" +
    "<main><h1>A link of another page led here</h1><p>A sandbox opens no page for a link of another site: it holds private keys. " +
    "If you meant to come here, <a href=\"\">open the page</a>, or type its address.</p></main></html>",
  { status: 403, contentType: "text/html; charset=utf-8" }
)

const guard = (app: HttpApp.Default, whyNot: (request: RequestHeaders) => string | undefined): HttpApp.Default =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const message = whyNot(request)
    if (message === undefined) return app
    const { _tag } = new NotLocal({ message })
    return Effect.succeed(
      isFollowedLink(request) ? linkPage : HttpServerResponse.unsafeJson({ _tag, message }, { status: 403 })
    )
  })

const noCredential = HttpServerResponse.unsafeJson(
  { _tag: "Unauthorized", message: "this sandbox is exposed: send its credential (Basic)" },
  { status: 401, headers: { "www-authenticate": "Basic realm=\"sandbox\"" } }
)

/** Answers with the headers that every page of the sandbox has. */
const asPage = Effect.map(HttpServerResponse.setHeaders(pageHeaders))

/** The guards of a sandbox. Pages of `origins` may use the JSON-RPC for development, beside pages of this machine. */
export const make = (isAuthorised: IsAuthorised, origins: ReadonlySet<string> = new Set()) => {
  /**
   * Refuses a foreign host name that resolves to this machine: its pages would count as same-origin. A sandbox that other
   * machines reach has any name.
   */
  const foreignHost = (request: RequestHeaders): string | undefined =>
    isAuthorised === undefined ? whyForeignHost(server, request) : undefined

  /** Asks for the credential where other machines reach the sandbox. */
  const authorised = (app: HttpApp.Default): HttpApp.Default =>
    isAuthorised === undefined
      ? app
      : Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
        isAuthorised(headers["authorization"]) ? app : Effect.succeed(noCredential))

  /** Why a request may not reach the JSON-RPC for development; undefined if it may. */
  const whyNotDevRpc = (request: RequestHeaders): string | undefined => {
    const origin = request.headers["origin"]
    return foreignHost(request) ?? (origin === undefined
      ? foreignSite(request, "the JSON-RPC for development")
      : origins.has(origin)
      ? undefined
      : whyForeignPage(server, request))
  }

  /**
   * Pages of the sandbox have the name that it was reached by, which is any where other machines reach it. A foreign name that
   * leads there brings no credential, so that this is for what asks for one only.
   */
  const foreignPage = (request: RequestHeaders): string | undefined =>
    isAuthorised !== undefined && isSameOrigin(request) ? undefined : whyForeignPage(server, request)

  /** Why a request may not reach the service, which asks for the credential itself; undefined if it may. */
  const whyNotService = (request: RequestHeaders): string | undefined => foreignHost(request) ?? foreignPage(request)

  return {
    whyNotDevRpc,
    whyNotService,
    /** Keeps foreign names and the pages of other sites away from the service. */
    service: (app: HttpApp.Default): HttpApp.Default => guard(app, whyNotService),
    /** Keeps foreign names and all pages away from the controls, which ask for no credential on this machine. */
    control: (app: HttpApp.Default): HttpApp.Default =>
      guard(authorised(app), (request) => foreignHost(request) ?? anyPage(request)),
    /** Keeps foreign names and the pages of other sites away from the sandbox's own pages. */
    page: (app: HttpApp.Default): HttpApp.Default =>
      asPage(
        guard(authorised(app), (request) =>
          foreignHost(request) ?? foreignPage(request) ?? foreignSite(request, "this page of the sandbox"))
      ),
    /**
     * Keeps foreign names and pages away from the JSON-RPC for development, which asks for no credential, and lets local
     * pages and those of `origins` read its answers.
     */
    devRpc: (app: HttpApp.Default): HttpApp.Default =>
      guard(
        Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers: { origin } }) =>
          origin === undefined
            ? app
            : Effect.map(
              app,
              HttpServerResponse.setHeaders({ "access-control-allow-origin": origin, vary: "origin" })
            )),
        whyNotDevRpc
      )
  }
}

/** The guards of a sandbox. */
export type Guards = ReturnType<typeof make>
