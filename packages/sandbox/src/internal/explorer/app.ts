import type { CustodyFailure } from "@effect-klaytn/custody/CustodyError"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import type { ChainId } from "../../Chain.js"
import { pageFiles } from "../packageFiles.js"
import { accountPage, accountsPage, accountView } from "./accounts.js"
import { blockPage, blocksPage } from "./blocks.js"
import { type ChainView, type ExplorerReads, type Missing, viewOf } from "./ExplorerReads.js"
import { brief } from "./format.js"
import { html, render } from "./Html.js"
import { frame, heading, type Page, page } from "./layout.js"
import { overviewPage } from "./overview.js"
import { account, beforeRow, hash, optional, place, whole } from "./parameters.js"
import { requestsPage, requestsView } from "./requests.js"
import { search } from "./search.js"
import { tokenIdPage, tokenIdView, tokenPage, tokensPage, tokenView } from "./tokens.js"
import { transactionPage } from "./transaction.js"
import { transactionsPage } from "./transactionList.js"
import { transfersPage } from "./transfers.js"
import { poolPage, poolView, walletPage } from "./walletPages.js"

// --- answers ---

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22)

const respond = (request: HttpServerRequest.HttpServerRequest, text: string, contentType: string, status = 200) => {
  const tag = `"${digest(text)}"`
  // A browser asks again each time, and gets no body if nothing has changed.
  const headers = { etag: tag, "cache-control": "no-cache" }
  return status === 200 && request.headers["if-none-match"] === tag
    ? HttpServerResponse.empty({ status: 304, headers })
    : HttpServerResponse.text(text, { status, headers, contentType })
}

/** A route for each of the files that pages load. */
const files = (router: HttpRouter.HttpRouter): HttpRouter.HttpRouter =>
  pageFiles("explorer").reduce((routes, { contentType, name, text }) => {
    const file = Effect.map(HttpServerRequest.HttpServerRequest, (request) => respond(request, text, contentType))
    return HttpRouter.get(routes, `/explorer/${name}`, file)
  }, router)

const searchOf = ({ url }: HttpServerRequest.HttpServerRequest): URLSearchParams =>
  new URL(url, "http://localhost").searchParams

const respondPage = (id: ChainId, shown: Page, status?: number): HttpApp.Default =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
    const body = html`${shown.body}`
    const query = brief(searchOf(request).get("q") ?? "", 200)
    const text = render(frame(id, { ...shown, body }, { query, version: digest(render(body)) }))
    return respond(request, text, "text/html; charset=utf-8", status)
  })

const problem = (title: string, message: string): Page =>
  page(undefined, title, heading("Explorer", title), html`<section class="card"><p>${message}</p></section>`)

const noPage = problem("No such page", "This address leads to no page of the explorer.")

/** What goes wrong on the way to a page. */
type Failure = Missing | CustodyFailure | ParseResult.ParseError

const failed = (id: ChainId) => (failure: Failure): HttpApp.Default => {
  switch (failure._tag) {
    case "Missing":
      return respondPage(id, problem(failure.title, failure.message), 404)
    case "ParseError":
      return respondPage(id, noPage, 404)
    case "NodeFailure":
    case "StoreFailure":
    case "WalletRefused":
      return Effect.zipRight(
        Effect.logError("the explorer could not read the database", failure),
        respondPage(id, problem("The database failed", "The sandbox's log says more."), 500)
      )
  }
}

const chainIds: ReadonlyMap<string, ChainId> = new Map([["1001", 1001], ["8217", 8217]])

type Show<P> = (view: ChainView, parameters: P) => Effect.Effect<Page, Failure>

/** A page of a chain, by the parameters in its path and query. */
const answer = <P, I>(reads: ExplorerReads, parameters: Schema.Schema<P, I>, show: Show<P>) =>
  Effect.gen(function*() {
    const inPath = yield* HttpRouter.params
    const request = yield* HttpServerRequest.HttpServerRequest
    const id = chainIds.get(inPath["chain"] ?? "1001")
    if (id === undefined) return yield* respondPage(1001, noPage, 404)
    const given = { ...Object.fromEntries(searchOf(request)), ...inPath }
    return yield* Schema.decodeUnknown(parameters)(given).pipe(
      Effect.flatMap((known) => show(viewOf(reads, id), known)),
      Effect.flatMap((shown) => respondPage(id, shown)),
      Effect.catchAll(failed(id))
    )
  })

/** Redirects a search to the page it finds, or shows a choice of pages. */
const findIn = (reads: ExplorerReads) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const params = searchOf(request)
    const id = chainIds.get(params.get("chain") ?? "") ?? 1001
    return yield* search(reads, id, params.get("q") ?? "").pipe(
      Effect.flatMap((found) =>
        "path" in found
          ? Effect.succeed(HttpServerResponse.empty({ status: 303, headers: { location: found.path } }))
          : respondPage(id, found.page)
      ),
      Effect.catchAll(failed(id))
    )
  })

// --- routes ---

const nothing = Schema.Struct({})

/** The explorer: pages that show what the sandbox holds. It reads, and changes nothing. */
export const make = (reads: ExplorerReads): HttpApp.Default => {
  const overview = answer(reads, nothing, overviewPage)
  /** The route of a page of a chain. */
  const onChain = <P, I>(path: `/${string}`, parameters: Schema.Schema<P, I>, show: Show<P>) =>
    HttpRouter.get(`/explorer/:chain${path}`, answer(reads, parameters, show))
  return HttpRouter.empty.pipe(
    HttpRouter.get("/", overview),
    HttpRouter.get("/explorer", overview),
    HttpRouter.get("/explorer/search", findIn(reads)),
    files,
    HttpRouter.get("/explorer/:chain", overview),
    onChain("/requests", requestsView, requestsPage),
    onChain("/blocks", Schema.Struct(beforeRow), blocksPage),
    onChain("/blocks/:at", Schema.Struct({ at: Schema.Union(hash, whole), ...beforeRow }), blockPage),
    onChain("/transactions", Schema.Struct({ before: optional(place) }), transactionsPage),
    onChain("/transactions/:hash", Schema.Struct({ hash }), transactionPage),
    onChain("/transfers", Schema.Struct(beforeRow), transfersPage),
    onChain("/tokens", Schema.Struct({ after: optional(account) }), tokensPage),
    onChain("/tokens/:contract", tokenView, tokenPage),
    onChain("/tokens/:contract/:token", tokenIdView, tokenIdPage),
    onChain("/accounts", nothing, accountsPage),
    onChain("/accounts/:address", accountView, accountPage),
    onChain("/wallet", nothing, walletPage),
    onChain("/wallet/:type/:pool", poolView, poolPage),
    Effect.catchTag("RouteNotFound", () => respondPage(1001, noPage, 404)),
    Effect.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause)
        ? Effect.failCause(cause)
        : Effect.zipRight(
          Effect.logError("the explorer could not show a page", cause),
          respondPage(1001, problem("The explorer failed", "The sandbox's log says more."), 500)
        )
    )
  )
}
