/** JSON-RPC that is passed on to the node. */
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import type { ServiceClient } from "@effect-klaytn/core/ServiceClient"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import { isJson, maxBytes } from "@effect-klaytn/service/Route"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { isWrite, limits } from "../NodeAccess.js"
import type { GatewayMetrics } from "./GatewayMetrics.js"
import * as nodeCalls from "./nodeCalls.js"
import { nodeProblem } from "./nodeProblem.js"
import * as rawResults from "./rawResults.js"
import * as shares from "./shares.js"
import type { Reason, Unavailable } from "./unavailable.js"

/** What it works with. */
export interface Parts {
  /** The client of the service `node`, which tries each request once. */
  readonly client: ServiceClient
  readonly unavailable: Unavailable
  readonly metrics: GatewayMetrics
  /** Whose request it is, by its header. */
  readonly callerOf: (header: string | undefined) => { readonly name: string } | undefined
  /** Why no transaction is given to the node now, in words; undefined if one may be. */
  readonly whyClosed: Effect.Effect<string | undefined>
}

const json = (text: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(text, { contentType: "application/json" })

/** An answer in plain text, as the HTTP layer of a node gives it. */
const plain = (status: number, text: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(`${text}\n`, { status })

const tooLarge = plain(413, `content length too large (at most ${maxBytes} bytes)`)

const notInTime = { status: 504, message: "the node did not answer in time", retryAfter: 2 } as const

/** The status and the words for a request that the node did not answer. Never a word of the node: it may be a secret. */
const failureOf = (error: ServiceError): Reason => {
  switch (error._tag) {
    case "OutcomeUnknown":
      return {
        status: 502,
        message: "it is not known whether the node got the transaction: look up its hash before you send it again"
      }
    case "TimedOut":
      return notInTime
    case "RateLimited":
      return { status: 503, message: "the node throttles this gateway", retryAfter: 2 }
    case "Unauthorized":
      return { status: 502, message: "the node refuses the credential of this gateway" }
    case "MalformedResponse":
      return { status: 502, message: "the node's answer is too large or can't be read" }
    default:
      return { status: 502, message: "the node can't be reached", retryAfter: 2 }
  }
}

/** Sends calls to the node, in one request. */
const send = (
  client: ServiceClient,
  calls: ReadonlyArray<nodeCalls.NodeCall>
): Effect.Effect<ReadonlyArray<JsonRpc.Answer>, ServiceError> =>
  calls.length === 0 ? Effect.succeed([]) : JsonRpc.exchange(client, {
    name: "node.exchange",
    safety: calls.some(({ method }) => isWrite(method)) ? "once" : "safe",
    requests: calls,
    parse: rawResults.parse,
    read: Either.right
  })

const passOn = (
  { client, metrics, unavailable }: Parts,
  body: nodeCalls.Body
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const calls = Arr.getRights(body.messages)
  metrics.called("refused", body.messages.length - calls.length)
  metrics.called("passed", calls.length)
  return Effect.matchEffect(send(client, calls), {
    onFailure: (error) =>
      Effect.as(
        Effect.logWarning(`a request to the node failed: ${nodeProblem(error)}`),
        unavailable(failureOf(error))
      ),
    onSuccess: (answers) => Effect.succeed(json(nodeCalls.answerBody(body, answers)))
  })
}

const hasWrite = ({ messages }: nodeCalls.Body): boolean =>
  Arr.getRights(messages).some(({ method }) => isWrite(method))

/** The calls of a body, without transactions while none is given to the node. */
const open = ({ whyClosed }: Parts, body: nodeCalls.Body): Effect.Effect<nodeCalls.Body> =>
  hasWrite(body)
    ? Effect.map(whyClosed, (why) => why === undefined ? body : nodeCalls.withoutWrites(body, why))
    : Effect.succeed(body)

const respond = (
  parts: Parts,
  text: string
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Either.match(nodeCalls.read(text), {
    onLeft: (refused) => {
      parts.metrics.called("refused", 1)
      return Effect.succeed(json(nodeCalls.refusalText(refused)))
    },
    onRight: (read) => Effect.flatMap(open(parts, read), (body) => passOn(parts, body))
  })

type Bounded = <A>(effect: Effect.Effect<A>) => Effect.Effect<A, never, HttpServerRequest.HttpServerRequest>

/** `bounded` waits for a place at the node: a body that arrives slowly has none yet. */
const serve = (
  parts: Parts,
  request: HttpServerRequest.HttpServerRequest,
  bounded: Bounded
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest> => {
  const { headers } = request
  if (!isJson(headers["content-type"])) {
    return Effect.succeed(plain(415, "invalid content type, only application/json is supported"))
  }
  if (Number(headers["content-length"] ?? 0) > maxBytes) return Effect.succeed(tooLarge)
  return request.text.pipe(
    HttpIncomingMessage.withMaxBodySize(Option.some(maxBytes)),
    Effect.matchEffect({
      // Reading fails only if the client left, or if there are more bytes than it declared.
      onFailure: () => Effect.succeed(tooLarge),
      onSuccess: (text) => bounded(respond(parts, text))
    })
  )
}

/** The app of requests to the node, without checks of access. */
export const make = (parts: Parts): Effect.Effect<HttpApp.Default> =>
  Effect.sync(() => {
    const places = Effect.unsafeMakeSemaphore(limits.concurrency)
    const share = shares.ofNode(parts.callerOf, limits.concurrencyOfCaller, shares.busyness())
    return Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      (request) => serve(parts, request, (effect) => share(places.withPermits(1)(effect)))
    ).pipe(
      Effect.timeoutTo({
        duration: `${limits.seconds} seconds`,
        onSuccess: (response) => response,
        onTimeout: () => parts.unavailable(notInTime)
      })
    )
  })
