import { isJson } from "@effect-klaytn/service/Route"
import { authorise } from "@effect-klaytn/service/ServiceAccess"
import { answer, type ServiceRefusals } from "@effect-klaytn/service/ServiceRefusals"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { Chain, ChainId } from "../../Chain.js"
import type { CredentialStore } from "../http/CredentialStore.js"
import { NodeSettings, type Settings } from "../NodeSettings.js"
import { type FindMethod, respond } from "./envelope.js"

/** A node's time limit for one request. */
const longest = "30 seconds"

const json = (text: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(text, { contentType: "application/json" })

/** What a node answers where nothing is asked. */
export const nothing = json("")

/** An answer of the HTTP layer, in plain text. */
export const plain = (status: number, text: string, headers: Record<string, string> = {}) =>
  HttpServerResponse.text(`${text}\n`, { status, headers })

/** Answers a request whose body was already read, and whose size was checked. `end` is written behind an answer. */
export const serve = (chain: Chain, request: HttpServerRequest.HttpServerRequest, find?: FindMethod, end = "") => {
  if (!isJson(request.headers["content-type"])) {
    return Effect.succeed(plain(415, "invalid content type, only application/json is supported"))
  }
  return Effect.flatMap(Effect.orDie(request.text), (body) =>
    Effect.timeoutTo(respond(chain, body, find), {
      duration: longest,
      onSuccess: (text) => json(text === "" ? text : text + end),
      onTimeout: () => plain(503, "timeout")
    }))
}

/** The node: first the gateway's check of credential and chain, then JSON-RPC. */
export const make = (parts: {
  readonly chain: (chainId: ChainId) => Chain
  readonly credentials: CredentialStore
  readonly refusals: ServiceRefusals
  readonly settings: Settings
}): HttpApp.Default =>
  Effect.matchEffect(authorise(parts.credentials, parts.refusals), {
    onFailure: (failure) => Effect.succeed(answer(failure)),
    onSuccess: (chainId) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => serve(parts.chain(chainId), request)).pipe(
        Effect.provideService(NodeSettings, parts.settings)
      )
  })
