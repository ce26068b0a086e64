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
import type { StoreFailure } from "../../ChainError.js"
import { pageFiles } from "../packageFiles.js"
import { accountPage, accountsPage } from "./accounts.js"
import { blockPage, blocksPage } from "./blocks.js"
import type { ExplorerReads, Missing } from "./ExplorerReads.js"
import { brief } from "./format.js"
import { html, render } from "./Html.js"
import { frame, heading, type Page } from "./layout.js"
import { overviewPage } from "./overview.js"
import { requestsPage } from "./requests.js"
import { search } from "./search.js"
import { tokenIdPage, tokenPage, tokensPage } from "./tokens.js"
import { transactionPage } from "./transaction.js"
import { transactionsPage } from "./transactionList.js"
import { transfersPage } from "./transfers.js"
import { poolPage, walletPage } from "./walletPages.js"

// --- what stands in an address ---

const chainId = Schema.transformLiterals(["1001", 1001], ["8217", 8217])

/** Hex of a length, in any case. */
const hex = (digits: number) =>
  Schema.Lowercase.pipe(
    Schema.compose(Schema.TemplateLiteral("0x", Schema.String)),
    Schema.filter((text) => text.length === digits + 2 && /^0x[0-9a-f]*$/.test(text))
  )

const account = hex(40)
const hash = hex(64)

const whole = Schema.NumberFromString.pipe(Schema.int(), Schema.nonNegative(), Schema.lessThanOrEqualTo(2 ** 53 - 1))

/** Digits of a token's ID. */
const tokenId = Schema.compose(Schema.String.pipe(Schema.pattern(/^\d{1,78}$/)), Schema.BigInt)

/** A place among the transactions: `12-3`. */
const place = Schema.transform(
  Schema.String.pipe(Schema.pattern(/^\d{1,10}-\d{1,7}$/)),
  Schema.Struct({ block: Schema.Int, index: Schema.Int }),
  {
    strict: true,
    decode: (text) => {
      const [block = 0, index = 0] = text.split("-").map(Number)
      return { block, index }
    },
    encode: ({ block, index }) => `${block}-${index}`
  }
)

const optional = Schema.optional

// --- answers ---

const respond = (
  request: HttpServerRequest.HttpServerRequest,
  text: string,
  contentType: string,
  status = 200
): HttpServerResponse.HttpServerResponse => {
  const tag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`
  // A browser asks again each time, and gets no body if nothing has changed.
  const headers = { etag: tag, "cache-control": "no-cache" }
  return status === 200 && request.headers["if-none-match"] === tag
    ? HttpServerResponse.empty({ status: 304, headers })
    : HttpServerResponse.text(text, { status, headers, contentType })
}

/** A route for each of the files that pages load. */
const files = (router: HttpRouter.HttpRouter): HttpRouter.HttpRouter =>
  pageFiles("explorer").reduce(
    (routes, { contentType, name, text }) =>
      HttpRouter.get(
        routes,
        `/explorer/${name}`,
        Effect.map(HttpServerRequest.HttpServerRequest, (request) => respond(request, text, contentType))
      ),
    router
  )

const show = (id: ChainId, page: Page, status?: number): HttpApp.Default =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
    const query = new URL(request.url, "http://localhost").searchParams.get("q") ?? ""
    const version = createHash("sha256").update(render(page.body)).digest("base64url").slice(0, 22)
    return respond(
      request,
      render(frame(id, page, { query: brief(query, 200), version })),
      "text/html; charset=utf-8",
      status
    )
  })

const problem = (title: string, message: string): Page => ({
  title,
  section: undefined,
  body: html`${heading("Explorer", title)}<section class="card"><p>${message}</p></section>`
})

const noPage = problem("No such page", "This address leads to no page of the explorer.")

/** What goes wrong on the way to a page. */
type Failure = Missing | StoreFailure | ParseResult.ParseError

const failed = (id: ChainId) => (failure: Failure): HttpApp.Default => {
  switch (failure._tag) {
    case "Missing":
      return show(id, problem(failure.title, failure.message), 404)
    case "ParseError":
      return show(id, noPage, 404)
    case "StoreFailure":
      return Effect.zipRight(
        Effect.logError("the explorer could not read the database", failure),
        show(id, problem("The database failed", "The sandbox's log says more."), 500)
      )
  }
}

/** A page of a chain, by what stands in its path and query. */
const page = <
  P,
  PI extends Readonly<Record<string, string | undefined>>,
  Q,
  QI extends Readonly<Record<string, string | undefined>>
>(
  path: Schema.Schema<P, PI>,
  query: Schema.Schema<Q, QI>,
  read: (id: ChainId, path: P, query: Q) => Effect.Effect<Page, Failure>
) =>
  Effect.gen(function*() {
    const params = yield* HttpRouter.params
    const request = yield* HttpServerRequest.HttpServerRequest
    const id = yield* Schema.decodeUnknown(Schema.Struct({ chain: chainId }))(params).pipe(
      Effect.map(({ chain }) => chain),
      Effect.orElseSucceed((): ChainId => 1001)
    )
    const searchParams = Object.fromEntries(new URL(request.url, "http://localhost").searchParams)
    return yield* Effect.gen(function*() {
      if (params["chain"] !== undefined) yield* Schema.decodeUnknown(chainId)(params["chain"])
      const inPath = yield* Schema.decodeUnknown(path)(params)
      const inQuery = yield* Schema.decodeUnknown(query)(searchParams)
      return yield* show(id, yield* read(id, inPath, inQuery))
    }).pipe(Effect.catchAll(failed(id)))
  })

/** Leads from what is searched for to its page. */
const findIn = (reads: ExplorerReads) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const params = new URL(request.url, "http://localhost").searchParams
    const id: ChainId = params.get("chain") === "8217" ? 8217 : 1001
    return yield* Effect.flatMap(search(reads, id, params.get("q") ?? ""), (found) =>
      "path" in found
        ? Effect.succeed(HttpServerResponse.empty({ status: 303, headers: { location: found.path } }))
        : show(id, found.page)).pipe(Effect.catchAll(failed(id)))
  })

// --- the queries of pages ---

const nothing = Schema.Struct({})
const beforeId = Schema.Struct({ before: optional(whole) })
const chain = "/explorer/:chain"
const at = Schema.Union(hash, whole)
const tokenView = Schema.Struct({
  view: Schema.optionalWith(Schema.Literal("transfers", "owners", "items"), { default: () => "transfers" as const }),
  before: optional(whole),
  by: optional(whole),
  owner: optional(account),
  id: optional(tokenId)
})
const accountView = Schema.Struct({
  view: Schema.optionalWith(Schema.Literal("transfers", "tokens", "fees"), {
    default: () => "transfers" as const
  }),
  kind: optional(Schema.Literal("coin", "ft", "nft", "mt")),
  before: optional(whole),
  place: optional(place),
  by: optional(whole),
  contract: optional(account),
  id: optional(tokenId)
})
const requestsView = Schema.Struct({
  before: optional(whole),
  operation: optional(Schema.NonEmptyString),
  status: optional(whole)
})

// --- routes ---

/** Blocks, transactions and transfers. */
const blockRoutes = (reads: ExplorerReads) => (router: HttpRouter.HttpRouter) =>
  router.pipe(
    HttpRouter.get(`${chain}/blocks`, page(nothing, beforeId, (id, _, query) => blocksPage(reads, id, query))),
    HttpRouter.get(
      `${chain}/blocks/:at`,
      page(Schema.Struct({ at }), beforeId, (id, path, query) => blockPage(reads, id, path.at, query))
    ),
    HttpRouter.get(
      `${chain}/transactions`,
      page(nothing, Schema.Struct({ before: optional(place) }), (id, _, query) => transactionsPage(reads, id, query))
    ),
    HttpRouter.get(
      `${chain}/transactions/:hash`,
      page(Schema.Struct({ hash }), nothing, (id, path) => transactionPage(reads, id, path.hash))
    ),
    HttpRouter.get(`${chain}/transfers`, page(nothing, beforeId, (id, _, query) => transfersPage(reads, id, query)))
  )

/** Tokens, accounts and the wallet. */
const accountRoutes = (reads: ExplorerReads) => (router: HttpRouter.HttpRouter) =>
  router.pipe(
    HttpRouter.get(
      `${chain}/tokens`,
      page(nothing, Schema.Struct({ after: optional(account) }), (id, _, query) => tokensPage(reads, id, query))
    ),
    HttpRouter.get(
      `${chain}/tokens/:contract`,
      page(
        Schema.Struct({ contract: account }),
        tokenView,
        (id, path, { before, by, id: last, owner, view }) =>
          tokenPage(reads, id, path.contract, { view, before, by, owner, id: last })
      )
    ),
    HttpRouter.get(
      `${chain}/tokens/:contract/:token`,
      page(
        Schema.Struct({ contract: account, token: tokenId }),
        tokenView,
        (id, path, { by, owner }) => tokenIdPage(reads, id, path.contract, path.token, { by, owner })
      )
    ),
    HttpRouter.get(`${chain}/accounts`, page(nothing, nothing, (id) => accountsPage(reads, id))),
    HttpRouter.get(
      `${chain}/accounts/:address`,
      page(
        Schema.Struct({ address: account }),
        accountView,
        (id, path, { before, by, contract, id: last, kind, place, view }) =>
          accountPage(reads, id, path.address, {
            view,
            kind,
            before,
            place,
            after: by === undefined || contract === undefined
              ? undefined
              : { updatedBy: by, contract, tokenId: last }
          })
      )
    ),
    HttpRouter.get(`${chain}/wallet`, page(nothing, nothing, (id) => walletPage(reads, id))),
    HttpRouter.get(
      `${chain}/wallet/:type/:pool`,
      page(
        Schema.Struct({ type: Schema.String, pool: Schema.String }),
        beforeId,
        (id, path, query) => poolPage(reads, id, path.type, path.pool, query)
      )
    )
  )

/** The explorer: pages that show what the sandbox holds. It reads, and changes nothing. */
export const make = (reads: ExplorerReads): HttpApp.Default => {
  const overview = page(nothing, nothing, (id) => overviewPage(reads, id))
  return HttpRouter.empty.pipe(
    HttpRouter.get("/", overview),
    HttpRouter.get("/explorer", overview),
    HttpRouter.get("/explorer/search", findIn(reads)),
    files,
    HttpRouter.get(chain, overview),
    HttpRouter.get(
      `${chain}/requests`,
      page(
        nothing,
        requestsView,
        (id, _, query) => requestsPage(reads, id, query)
      )
    ),
    blockRoutes(reads),
    accountRoutes(reads),
    Effect.catchTag("RouteNotFound", () => show(1001, noPage, 404)),
    Effect.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause)
        ? Effect.failCause(cause)
        : Effect.zipRight(
          Effect.logError("the explorer could not show a page", cause),
          show(1001, problem("The explorer failed", "The sandbox's log says more."), 500)
        )
    )
  )
}
