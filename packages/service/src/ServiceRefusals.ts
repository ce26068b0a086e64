/**
 * The error bodies of the service.
 */
import type * as Chain from "@effect-klaytn/core/Chain"
import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import { BadRequest, InternalError, NotFound, Unauthorized } from "@effect-klaytn/core/ErrorBody"
import * as Sanitize from "@effect-klaytn/core/Sanitize"
import { gateway, history } from "@effect-klaytn/core/ServiceCode"
import type { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"

const queryTexts = {
  invalidQuery: "invalid query value",
  requiredPresets: "required presets",
  invalidPresets: "invalid presets query",
  bothSides: "both from-only and to-only could not be true",
  filters: "too many ca-filters query value"
} as const

/**
 * Where the `requestId` of an error body comes from.
 *
 * @category models
 */
export interface RequestIds {
  readonly next: () => string
}

/**
 * What the refusal of a chain says where one chain is served: which, which one was named, and what to set.
 *
 * @category texts
 */
export const otherChain = (header: string | undefined, served: Chain.Chain | undefined): string =>
  served === undefined
    ? ""
    : `: this is chain ${served}, and the request names ${Sanitize.describe(header)}; ` +
      `set KLAYTN_CHAIN_ID=${served}, or the chain of the client`

/**
 * The service's refusals, word for word as observed. Texts marked inferred are our own.
 *
 * @category models
 */
export class ServiceRefusals {
  constructor(private readonly ids: RequestIds) {}

  #body<const Code extends number>(code: Code, message: string) {
    return { code, message, requestId: this.ids.next() }
  }

  noCredential() {
    return new Unauthorized(
      this.#body(gateway.invalidAuthorization, "The authorization header you provided is invalid.")
    )
  }

  wrongCredential() {
    return new Unauthorized(this.#body(gateway.invalidCredential, "The credential you provided is not valid."))
  }

  /** Ours: a gateway knows the caller, who lacks a right. */
  right(name: string) {
    return new BadRequest(this.#body(gateway.notAllowed, `[NotPermitted]the caller has no right "${name}"`))
  }

  /**
   * Inferred: no source shows the answer to a chain that is missing or unknown. The wallet answers by the header. Ours: a server of one
   * chain names both.
   */
  chain(header: string | undefined, served?: Chain.Chain) {
    return this.#query(`${queryTexts.invalidQuery}; x-chain-id${otherChain(header, served)}`)
  }

  route() {
    return new BadRequest(this.#body(gateway.invalidPathOrMethod, "invalid path or method"))
  }

  query(which: keyof typeof queryTexts = "invalidQuery") {
    return this.#query(queryTexts[which])
  }

  /** A time range that is too long or ends before it begins. */
  range() {
    return new BadRequest(this.#body(history.outOfRange, "[OutOfRangeQueryParameterValue]invalid timestamp range"))
  }

  path(which: "hash" | "address") {
    return this.#uri(which === "hash" ? "tx hash" : "account address")
  }

  preset() {
    return new NotFound(this.#body(history.notFound, "[ResourceNotFound]preset not found"))
  }

  /** A contract or token that does not exist, or whose label was removed. */
  token(which: "ft" | "nft" | "mt" | "nft token" | "mt token") {
    return new NotFound(this.#body(history.notFound, `[ResourceNotFound]not found ${which}`))
  }

  /** Ours: the index has less than the whole chain, and not what the answer needs. */
  notIndexed(missing: string) {
    return new BadRequest(this.#body(history.notIndexed, `[NotIndexed]the index does not have ${missing}`))
  }

  /** The service failed. Ours: why, by its class, and what to do about it; no source shows more than the first word. */
  internal(why: string, requestId = this.ids.next()) {
    return new InternalError({ code: history.internal, message: `[InternalServerError]${why}`, requestId })
  }

  /** A fault of the server that nobody has foreseen. */
  fault() {
    return this.internal("a fault of this server: its log has it with this request ID")
  }

  /** The database refused what it was asked, or has rows that can't be so. */
  databaseFailed(requestId?: string) {
    return this.internal("the database of this server failed: its log tells how", requestId)
  }

  /** Ours: something is not there that may be later, by default the database. */
  unavailable(why = "the database can't be reached now") {
    return new InternalError(this.#body(history.internal, why))
  }

  /** The refusal of a parameter that the contract can't decode. */
  parameter(error: HttpApiDecodeError, { pathname, searchParams }: URL) {
    const [parameter, index] = error.issues[0]?.path ?? []
    const isAccount = pathname.startsWith("/v2/account/")
    switch (parameter) {
      case "hash":
      case "address":
        return this.path(parameter)
      case "contract":
        return this.#uri(`${pathname.split("/")[3]} address`)
      case "owner":
        return this.#uri(isAccount ? "account address" : "owner address")
      case "tokenId":
        return this.#uri("token id")
      case "presets":
        return this.query((searchParams.get("presets") ?? "") === "" ? "requiredPresets" : "invalidPresets")
      case "kind":
        return isAccount ? this.#query(`invalid kind:${itemOf(searchParams.get("kind"), index)}`) : this.query()
      case "ca-filters":
        return this.#query(`invalid address: ${itemOf(searchParams.get("ca-filters"), index)}`)
      default:
        return this.query()
    }
  }

  #query(text: string) {
    return new BadRequest(this.#body(history.invalidQuery, `[InvalidQueryParameterValue]${text}`))
  }

  #uri(name: string) {
    return new BadRequest(this.#body(history.invalidUri, `[InvalidUriValue]invalid ${name}`))
  }
}

/** Seconds after which a request that failed for a passing cause may work. */
const retryAfter = { "retry-after": "2" }

/**
 * The answer while something is not there that may be later: 503 with `Retry-After`, in the form of the service's errors.
 *
 * @category responses
 */
export const notNow = ({ code, message, requestId }: InternalError): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeJson({ code, message, requestId }, { status: 503, headers: retryAfter })

/** The item of a list that an issue is about. */
const itemOf = (list: string | null, index: PropertyKey | undefined): string =>
  (list ?? "").split(",")[typeof index === "number" ? index : 0]?.trim() ?? ""

/**
 * An error of the service, as in the body of an answer.
 *
 * @category models
 */
export type Refusal = ErrorBody.ErrorBody

const classes = [ErrorBody.BadRequest, ErrorBody.InternalError, ErrorBody.NotFound, ErrorBody.Unauthorized]

/**
 * The response for a refusal, with the status of its class; for a failure of the service with `Retry-After`.
 *
 * @category responses
 */
export const answer = (refusal: Refusal): HttpServerResponse.HttpServerResponse => {
  const { code, message, requestId } = refusal
  const status = classes.find((one) => refusal instanceof one)?.status ?? ErrorBody.InternalError.status
  const headers = status === ErrorBody.InternalError.status ? retryAfter : {}
  return HttpServerResponse.unsafeJson({ code, message, requestId }, { status, headers })
}

/**
 * Whether a failure is one of the service's own errors.
 *
 * @category guards
 */
export const isRefusal = (failure: unknown): failure is Refusal => classes.some((one) => failure instanceof one)
