import * as Chain from "@effect-klaytn/core/Chain"
import type { BadRequest, Unauthorized } from "@effect-klaytn/core/ErrorBody"
import { Access } from "@effect-klaytn/core/OperationApi"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { CredentialStore } from "./CredentialStore.js"

/** The refusals of a request without access. */
export interface AccessRefusals {
  readonly noCredential: () => Unauthorized
  readonly wrongCredential: () => Unauthorized
  /** Refuses a missing or unknown chain. */
  readonly chain: (header: string | undefined) => BadRequest
}

const readChain = Schema.decodeUnknownOption(Chain.FromString)

/** The chain that a request names, if any. */
export const chainOf = (request: HttpServerRequest.HttpServerRequest): Chain.Chain | undefined =>
  Option.getOrUndefined(readChain(request.headers[Chain.header]))

/** Whether a request has access. */
export const isAuthorised = (credentials: CredentialStore, request: HttpServerRequest.HttpServerRequest): boolean =>
  credentials.check(request.headers["authorization"]) === "ok" && chainOf(request) !== undefined

/** Checks a request: first its credential, then its chain. */
export const authorise = (
  credentials: CredentialStore,
  refusals: AccessRefusals
): Effect.Effect<Chain.Chain, Unauthorized | BadRequest, HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const verdict = credentials.check(request.headers["authorization"])
    if (verdict === "malformed") return Effect.fail(refusals.noCredential())
    if (verdict === "wrong") return Effect.fail(refusals.wrongCredential())
    const chain = chainOf(request)
    return chain === undefined ? Effect.fail(refusals.chain(request.headers[Chain.header])) : Effect.succeed(chain)
  })

/** The same as the middleware of the contract. */
export const accessLayer = (credentials: CredentialStore, refusals: AccessRefusals): Layer.Layer<Access> =>
  Layer.succeed(Access, Access.of({ basic: () => authorise(credentials, refusals) }))
