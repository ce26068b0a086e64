/**
 * Lets in requests with a known credential and a served chain, and refuses all others.
 */
import * as Chain from "@effect-klaytn/core/Chain"
import type { BadRequest, Unauthorized } from "@effect-klaytn/core/ErrorBody"
import { Access } from "@effect-klaytn/core/OperationApi"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { ServiceRefusals } from "./ServiceRefusals.js"

/**
 * The credentials that are let in, and the chains.
 *
 * @category models
 */
export interface Callers {
  /** Checks an `Authorization` header: whether it has the form of HTTP Basic, and a credential that is known. */
  readonly check: (header: string | undefined) => "ok" | "malformed" | "wrong"
  /** The only chain that is served: a request may name it or none. Default: both, and a request has to name one. */
  readonly chain?: Chain.Chain | undefined
}

/**
 * The ID and the secret of an `Authorization` header, with a colon between them; undefined if it is no HTTP Basic.
 *
 * @category reading
 */
export const pairOf = (header: string | undefined): Uint8Array | undefined => {
  const token = /^basic +([a-z0-9+/]+={0,2})$/i.exec(header ?? "")?.[1]
  const pair = Buffer.from(token ?? "", "base64")
  // `Buffer.from` skips what is not base64: only what encodes back to the same text was.
  const isBase64 = token !== undefined && pair.toString("base64").replace(/=+$/, "") === token.replace(/=+$/, "")
  return isBase64 && pair.includes(":") ? pair : undefined
}

const readChain = Schema.decodeUnknownOption(Chain.FromString)

/**
 * The chain that a request names, if any.
 *
 * @category reading
 */
export const chainOf = (request: HttpServerRequest.HttpServerRequest): Chain.Chain | undefined =>
  Option.getOrUndefined(readChain(request.headers[Chain.header]))

/** The chain that a request is for; undefined if it names one that is not served. */
const servedChain = (
  { chain }: Callers,
  request: HttpServerRequest.HttpServerRequest
): Chain.Chain | undefined => {
  if (chain === undefined) return chainOf(request)
  return request.headers[Chain.header] === undefined || chainOf(request) === chain ? chain : undefined
}

/**
 * Whether a request has access.
 *
 * @category guards
 */
export const isAuthorised = (callers: Callers, request: HttpServerRequest.HttpServerRequest): boolean =>
  callers.check(request.headers["authorization"]) === "ok" && servedChain(callers, request) !== undefined

/**
 * Checks a request: first its credential, then its chain.
 *
 * @category middleware
 */
export const authorise = (
  callers: Callers,
  refusals: ServiceRefusals
): Effect.Effect<Chain.Chain, Unauthorized | BadRequest, HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const verdict = callers.check(request.headers["authorization"])
    if (verdict === "malformed") return Effect.fail(refusals.noCredential())
    if (verdict === "wrong") return Effect.fail(refusals.wrongCredential())
    const chain = servedChain(callers, request)
    return chain === undefined
      ? Effect.fail(refusals.chain(request.headers[Chain.header], callers.chain))
      : Effect.succeed(chain)
  })

/**
 * The same as the middleware of the contract.
 *
 * @category layers
 */
export const accessLayer = (callers: Callers, refusals: ServiceRefusals): Layer.Layer<Access> =>
  Layer.succeed(Access, Access.of({ basic: () => authorise(callers, refusals) }))
