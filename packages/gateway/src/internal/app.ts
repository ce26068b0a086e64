/** All that a gateway answers. */
import * as Deadline from "@effect-klaytn/core/Deadline"
import { BadRequest } from "@effect-klaytn/core/ErrorBody"
import type { WalletCaller } from "@effect-klaytn/custody/WalletCaller"
import * as DataApp from "@effect-klaytn/indexer/DataApp"
import type { StoreFailure } from "@effect-klaytn/indexer/IndexError"
import { whyForeignHost, whyForeignPage, whyForeignSite } from "@effect-klaytn/service/LocalRequest"
import { exchange, find, isExchange } from "@effect-klaytn/service/Route"
import { authorise } from "@effect-klaytn/service/ServiceAccess"
import { answer } from "@effect-klaytn/service/ServiceRefusals"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { GatewayCaller, GatewayStatus } from "../GatewayStatus.js"
import * as indexId from "./indexId.js"
import * as nodeApp from "./nodeApp.js"
import * as shares from "./shares.js"
import * as walletRoute from "./walletRoute.js"

/** What it works with. */
export interface Parts extends DataApp.Parts, nodeApp.Parts {
  readonly status: Effect.Effect<GatewayStatus>
  /** The ID of the index, once it has its first block. */
  readonly indexId: Effect.Effect<Option.Option<string>, StoreFailure>
  /** Whether the index has ever reached the newest block of the node. */
  readonly isComplete: Effect.Effect<boolean>
  /** Why blocks of the index may not be of the chain. */
  readonly whyDoubted: () => string | undefined
  /** Whether requests need no credential, and come from programs of this machine alone. */
  readonly isOpen: boolean
  /** The caller of an `Authorization` header that was let in. */
  readonly callerOf: (header: string | undefined) => WalletCaller | undefined
  /** Whether it is known who may call: the wallet, or anything. */
  readonly areCallersKnown: (of: "wallet" | "all") => boolean
  /** How many pages of one caller are read at a time. */
  readonly pagesOfCaller: number
  /** The wallet's operations, if there is a wallet. */
  readonly wallet: HttpApp.Default | undefined
}

const json = HttpServerResponse.unsafeJson

/** A part of what is answered. The name stands in the metrics. */
interface Route {
  readonly name: string
  readonly app: HttpApp.Default
}

const encodeStatus = Schema.encodeSync(GatewayStatus)

/** The fields of a caller that may be shown; a row has its access key, too. */
const encodeCaller = ({ limits, name, pools, rights }: WalletCaller) =>
  Schema.encodeSync(GatewayCaller)({ name, rights, limits, ...(pools === undefined ? {} : { pools }) })

/** Refuses a request without access, in the service's form. */
const authorised = ({ callers, refusals }: Parts, app: HttpApp.Default): HttpApp.Default =>
  Effect.matchEffect(authorise(callers, refusals), {
    onFailure: (refusal) => Effect.succeed(answer(refusal)),
    onSuccess: () => app
  })

/** Refuses a known caller without the right to read. */
const readable = ({ callerOf, callers, refusals }: Parts, app: HttpApp.Default): HttpApp.Default =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const header = request.headers["authorization"]
    const isReader = callers.check(header) !== "ok" || callerOf(header)?.rights.includes("read") === true
    return isReader ? app : Effect.sync(() => answer(refusals.right("read")))
  })

/** Whether the caller of a request sees a part of the wallet alone. */
const isOfPools = ({ callerOf }: Parts) =>
  Effect.map(
    HttpServerRequest.HttpServerRequest,
    ({ headers }) => callerOf(headers["authorization"])?.pools !== undefined
  )

/** What is told to all: nothing of the accounts and fee payers of others. */
const withoutAccounts = ({ wallet, ...status }: GatewayStatus): GatewayStatus =>
  wallet === undefined ? status : { ...status, wallet: { ...wallet, oldestSends: [], feePayers: [] } }

/** The pages about the gateway itself, by their paths. */
const ownPages = (parts: Parts): Readonly<Record<string, HttpApp.Default>> => {
  const { metrics, status } = parts
  return {
    "/health": Effect.succeed(json({ status: "ok" })),
    "/ready": Effect.map(
      status,
      ({ isReady, notReady }) => json(isReady ? { isReady } : { isReady, notReady }, { status: isReady ? 200 : 503 })
    ),
    "/status": authorised(
      parts,
      Effect.zipWith(status, isOfPools(parts), (one, isPart) => json(encodeStatus(isPart ? withoutAccounts(one) : one)))
    ),
    "/caller": authorised(
      parts,
      Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => {
        const caller = parts.callerOf(headers["authorization"])
        // It was revoked a moment ago.
        return caller === undefined ? answer(parts.refusals.wrongCredential()) : json(encodeCaller(caller))
      })
    ),
    "/metrics": authorised(
      parts,
      Effect.zipWith(status, isOfPools(parts), (one, isPart) =>
        isPart
          ? json({ message: "the metrics name accounts of all pools: ask as a caller without pools" }, { status: 403 })
          : HttpServerResponse.text(metrics.text(one), { contentType: metrics.contentType }))
    )
  }
}

/** The answer to everything that is not served. */
const notServed = ({ refusals, wallet }: Parts): HttpApp.Default =>
  Effect.sync(() => {
    const { code, message, requestId } = refusals.route()
    const served = wallet === undefined
      ? "this gateway serves transfer history, token data and the node, and no wallet"
      : "this gateway serves transfer history, token data, the node and a wallet"
    return answer(new BadRequest({ code, message: `${message}: ${served}`, requestId }))
  })

/** Refuses requests for data while their answers would be incomplete, or may be of blocks that are not of the chain. */
const whileRight = ({ isComplete, unavailable, whyDoubted }: Parts, data: HttpApp.Default): HttpApp.Default =>
  Effect.flatMap(isComplete, (is) => {
    const doubted = whyDoubted()
    if (is && doubted === undefined) return data
    const message = doubted === undefined
      ? "the index is being made: it has not reached the newest block of the node yet, see /status"
      : `the index may have blocks that are not of the chain: ${doubted}, see /status`
    return Effect.succeed(unavailable({ status: 503, message, retryAfter: 10 }))
  })

/** Refuses requests while nobody knows which callers were revoked. */
const whileKnown = (
  { areCallersKnown, unavailable }: Parts,
  of: "wallet" | "all",
  app: HttpApp.Default
): HttpApp.Default =>
  Effect.suspend(() =>
    areCallersKnown(of) ? app : Effect.succeed(unavailable({
      status: 503,
      message: "who may call is not known: the database of the callers has not answered for a minute",
      retryAfter: 2
    }))
  )

/** Keeps foreign names and the pages of other sites away from a gateway that asks for no credential. */
const guarded = ({ isOpen }: Parts, app: HttpApp.Default): HttpApp.Default =>
  isOpen
    ? Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const message = whyForeignHost("the gateway", request) ?? whyForeignPage("the gateway", request) ??
        whyForeignSite("the gateway", request)
      return message === undefined ? app : Effect.succeed(json({ message }, { status: 403 }))
    })
    : app

/** What is answered is data for one program: no page reads it as something else, embeds it or keeps it. */
const dataHeaders = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff"
}

/** Measures how long a request takes. */
const measured = ({ metrics }: Parts, { app, name }: Route): HttpApp.Default =>
  Effect.suspend(() => {
    const since = performance.now()
    // The server's fiber is uninterruptible: time limits need this, and requests whose client has gone.
    return Effect.tap(Effect.interruptible(app), ({ status }) => {
      metrics.answered(name, status, (performance.now() - since) / 1000)
    })
  })

/** Makes the app. */
export const make = (parts: Parts): Effect.Effect<HttpApp.Default, never, Scope.Scope> =>
  Effect.gen(function*() {
    const pages = ownPages(parts)
    const pagesOf = shares.ofPages(parts.callerOf, parts.pagesOfCaller, shares.busyness())
    const data = readable(parts, whileRight(parts, pagesOf(indexId.said(yield* DataApp.make(parts), parts.indexId))))
      // Of a request, and not of each of its reads.
      .pipe(Deadline.withDeadline(DataApp.patience))
    const node: Route = { name: exchange.name, app: authorised(parts, readable(parts, yield* nodeApp.make(parts))) }
    const wallet = parts.wallet && walletRoute.bounded(parts.callers, parts.wallet)
    const others: Route = { name: "none", app: authorised(parts, notServed(parts)) }
    const known = (route: Route, of: "wallet" | "all" = "all"): Route => ({
      ...route,
      app: whileKnown(parts, of, route.app)
    })
    const routeOf = ({ method, url }: HttpServerRequest.HttpServerRequest): Route => {
      if (isExchange({ method, url })) return known(node)
      const path = url.split("?", 1)[0] ?? ""
      const page = (method === "GET" || method === "HEAD") && Object.hasOwn(pages, path) ? pages[path] : undefined
      if (page !== undefined) return { name: path.slice(1), app: page }
      const operation = find(DataApp.operations, method, url)
      if (operation !== undefined) return known({ name: operation.name, app: data })
      const ofWallet = wallet === undefined ? undefined : walletRoute.nameOf(method, url)
      return wallet === undefined || ofWallet === undefined ? others : known({ name: ofWallet, app: wallet }, "wallet")
    }
    return Effect.map(
      guarded(
        parts,
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => measured(parts, routeOf(request)))
      ),
      HttpServerResponse.setHeaders(dataHeaders)
    )
  })
