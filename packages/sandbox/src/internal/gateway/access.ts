import * as Chain from "@effect-klaytn/core/Chain"
import type { BadRequest, Unauthorized } from "@effect-klaytn/core/ErrorBody"
import { Access } from "@effect-klaytn/core/OperationApi"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { CredentialStore } from "./CredentialStore.js"

/** The words for a request that is not let in. */
export interface AccessRefusals {
  readonly noCredential: () => Unauthorized
  readonly wrongCredential: () => Unauthorized
  /** `given` is the header's text. */
  readonly chain: (header: string | undefined) => BadRequest
}

const readChain = Schema.decodeUnknownOption(Chain.FromString)

/** The chain that a request names, if it names one. */
export const chainOf = (request: HttpServerRequest.HttpServerRequest): Chain.Chain | undefined =>
  Option.getOrUndefined(readChain(request.headers[Chain.header]))

/** Whether a request is let in, for those who have nothing to answer. */
export const isAuthorised = (credentials: CredentialStore, request: HttpServerRequest.HttpServerRequest): boolean =>
  credentials.check(request.headers["authorization"]) === "ok" && chainOf(request) !== undefined

/** The check of every request: first its credential, then its chain. */
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
