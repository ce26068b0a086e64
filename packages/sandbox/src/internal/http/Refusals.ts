import { BadRequest, InternalError, NotFound, Unauthorized } from "@effect-klaytn/core/ErrorBody"
import { gateway, history } from "@effect-klaytn/core/ServiceCode"
import type { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import type { RequestIds } from "./RequestIds.js"

const texts = {
  invalidQuery: "[InvalidQueryParameterValue]invalid query value",
  requiredPresets: "[InvalidQueryParameterValue]required presets",
  invalidPresets: "[InvalidQueryParameterValue]invalid presets query",
  bothSides: "[InvalidQueryParameterValue]both from-only and to-only could not be true",
  range: "[OutOfRangeQueryParameterValue]invalid timestamp range",
  hash: "[InvalidUriValue]invalid tx hash",
  address: "[InvalidUriValue]invalid account address",
  preset: "[ResourceNotFound]preset not found"
} as const

/** What the service says when it refuses, word for word as it was seen. Texts marked inferred are this sandbox's. */
export class Refusals {
  readonly #ids: RequestIds

  constructor(ids: RequestIds) {
    this.#ids = ids
  }

  #body<const Code extends number>(code: Code, message: string) {
    return { code, message, requestId: this.#ids.next() }
  }

  noCredential() {
    return new Unauthorized(
      this.#body(gateway.invalidAuthorization, "The authorization header you provided is invalid.")
    )
  }

  wrongCredential() {
    return new Unauthorized(this.#body(gateway.invalidCredential, "The credential you provided is not valid."))
  }

  /** Inferred: no source shows the answer to a chain that is missing or unknown. */
  chain() {
    return new BadRequest(this.#body(history.invalidQuery, `${texts.invalidQuery}; x-chain-id`))
  }

  route() {
    return new BadRequest(this.#body(gateway.invalidPathOrMethod, "invalid path or method"))
  }

  query(which: "invalidQuery" | "requiredPresets" | "invalidPresets" | "bothSides" = "invalidQuery") {
    return new BadRequest(this.#body(history.invalidQuery, texts[which]))
  }

  range() {
    return new BadRequest(this.#body(history.outOfRange, texts.range))
  }

  path(which: "hash" | "address") {
    return new BadRequest(this.#body(history.invalidUri, texts[which]))
  }

  preset() {
    return new NotFound(this.#body(history.notFound, texts.preset))
  }

  internal() {
    return new InternalError(this.#body(history.internal, "[InternalServerError]"))
  }

  /** What the service says to a parameter that the contract does not read. */
  parameter(error: HttpApiDecodeError, presets: string | undefined) {
    const [parameter] = error.issues[0]?.path ?? []
    if (parameter === "hash" || parameter === "address") return this.path(parameter)
    if (parameter !== "presets") return this.query()
    return this.query(presets === undefined || presets === "" ? "requiredPresets" : "invalidPresets")
  }
}
