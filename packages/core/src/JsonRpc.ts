/**
 * JSON-RPC 2.0 as the service's node speaks it: {@link exchange} sends several calls in one request and assigns the
 * answers to them, {@link call} makes a single call with a decoded result.
 *
 * **Details**
 *
 * The packages that call a node, `node` and `wallet`, share this module, so that both reach the same node under the
 * same configuration, and text of a node is cleaned like all other text of the service. `wallet` looks things up with
 * {@link call}; `node` sends its batches with {@link exchange}.
 *
 * Answers are assigned by ID, in any order. The body may be any text: a result or an error may be of any depth, and
 * only a bounded and clean copy of an error is kept, see `Sanitize`. A call that the body does not answer, or answers
 * twice and differently, gets a `Malformed` refusal instead of waiting forever.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import {
  createJSONRPCNotification,
  createJSONRPCRequest,
  JSONRPCErrorCode,
  type JSONRPCRequest
} from "json-rpc-2.0/dist/models.js"
import * as Decoder from "./Decoder.js"
import type { Endpoint } from "./Endpoints.js"
import { notJson } from "./internal/calls/request.js"
import * as losslessJson from "./internal/decoding/losslessJson.js"
import { sentence } from "./internal/errors/errorText.js"
import { mismatch } from "./internal/errors/parseIssue.js"
import { kindOf } from "./internal/values/cleanText.js"
import type { Safety } from "./Operation.js"
import * as Sanitize from "./Sanitize.js"
import type { ServiceClient } from "./ServiceClient.js"
import type { EarlierAttempts, InvalidInput, Mismatch, ServiceError } from "./ServiceError.js"

/** The route of the node, from the API document: a label of spans and metrics. */
const route = "/v1/klaytn"

/**
 * The path of node requests. The base address may end in `/v1/klaytn`, as the console shows it, or leave it out.
 *
 * **Example**
 *
 * ```ts
 * import * as Endpoints from "@effect-klaytn/core/Endpoints"
 * import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
 *
 * const node = Endpoints.knownHosts.node
 * console.log(node + JsonRpc.path(node)) // https://node-api.klaytnapi.com/v1/klaytn
 * ```
 *
 * @category constructors
 */
export const path = (endpoint: Endpoint | undefined): string => endpoint?.endsWith(route) === true ? "" : route

/**
 * The error codes that JSON-RPC defines.
 *
 * @category constants
 */
export const ErrorCode: typeof JSONRPCErrorCode = JSONRPCErrorCode

/**
 * An error, cleaned: its message on one line without secrets, its data bounded in size and depth. `code` is 0 if there
 * is none.
 *
 * @category models
 */
export interface ErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
  /** The gateway's ID for this request, if it sent one. */
  readonly requestId?: string
}

const reverts =
  /execution reverted|VM error occurs while running smart contract|VM Exception while processing transaction/i

/**
 * Whether an error of a node says that a contract refused a call: the code 3, or the words of Kaia, go-ethereum, Hardhat and Ganache.
 *
 * @category accessors
 */
export const isRevert = ({ code, message }: Pick<ErrorObject, "code" | "message">): boolean =>
  code === 3 || reverts.test(message)

/**
 * Why a call has no result.
 *
 * **Details**
 *
 * - `NodeError`: the node answered with an error: to the `call` itself; without an ID, as the only answer to the
 *   `request`; or without an ID beside answers to other calls, for the `rest`. `redact` removes the credential from
 *   text that is decoded from the error's data.
 * - `GatewayError`: the gateway in front of the node answered instead, with one of the service's codes.
 * - `Malformed`: the body has no answer to the call, an answer with neither result nor error, or several that differ.
 *
 * @category models
 */
export type Refusal =
  | {
    readonly _tag: "NodeError"
    readonly error: ErrorObject
    readonly redact: Sanitize.Redact
    readonly scope: "call" | "request" | "rest"
  }
  | { readonly _tag: "GatewayError"; readonly error: ErrorObject }
  | { readonly _tag: "Malformed"; readonly mismatch: Mismatch }

/**
 * The answer to a call: the JSON of its result, or why there is none.
 *
 * @category models
 */
export type Answer = Either.Either<unknown, Refusal>

/**
 * Parses JSON without throwing. Whole numbers above 2^53 become `bigint`; those of more than 100 digits are refused.
 *
 * @category reading
 */
export const parse: (text: string) => Either.Either<unknown, "not JSON"> = losslessJson.parse

const codeOf = (code: unknown): number => {
  const value = typeof code === "string" && /^-?\d{1,9}$/.test(code) ? Number(code) : code
  return typeof value === "number" && Number.isSafeInteger(value) ? value : 0
}

/**
 * Reads the `error` field of a response, whatever its value.
 *
 * @category reading
 */
export const errorObject = (redact: Sanitize.Redact) => (error: unknown): ErrorObject => {
  const clean = Sanitize.text(redact)
  if (!Predicate.isReadonlyRecord(error)) {
    return { code: 0, message: typeof error === "string" ? clean(error) : kindOf(error) }
  }
  const { code, data, message } = error
  return {
    code: codeOf(code),
    message: typeof message === "string" ? clean(message) : "",
    ...(data === undefined || data === null ? {} : { data: Sanitize.json(redact)(data) })
  }
}

/**
 * Writes parameters as JSON. Those that can't be written, such as a `bigint`, fail as `InvalidInput` of the operation.
 *
 * @category constructors
 */
export const writeParams = (
  operation: string,
  params: ReadonlyArray<unknown>
): Either.Either<string, InvalidInput> => {
  try {
    // Undefined if the caller has no types and gives no list.
    const text: string | undefined = JSON.stringify(params)
    return text === undefined ? Either.left(notJson(operation)) : Either.right(text)
  } catch {
    return Either.left(notJson(operation))
  }
}

/**
 * One call of a request.
 *
 * @category models
 */
export interface Request {
  readonly method: string
  /** As JSON, from {@link writeParams}. */
  readonly params: string
}

/**
 * Some calls that are sent together.
 *
 * @category models
 */
export interface Exchange<A> {
  /** The name of the operation in errors and spans. */
  readonly name: string
  readonly safety: Safety
  /** At least one; a single one is not sent as a list. */
  readonly requests: ReadonlyArray<Request>
  /** Gets an answer for each request, in order; must not throw. A mismatch fails the exchange as malformed. */
  readonly read: (answers: ReadonlyArray<Answer>, earlier: EarlierAttempts) => Either.Either<A, Mismatch>
  /**
   * Parses a body in another way, such as one that leaves results as they are written; undefined for a body that is to be parsed as
   * always. Default: every body is parsed as {@link parse} does, but for results that have too long numbers.
   */
  readonly parse?: ((text: string) => unknown) | undefined
}

type Json = { readonly [key: string]: unknown }

/** The library's envelope around parameters that are JSON already. */
const enclose = (envelope: JSONRPCRequest, params: string): string =>
  `${JSON.stringify(envelope).slice(0, -1)},"params":${params}}`

/** The library's envelope of a method, before and after its ID, so that it is written once for many calls. */
const around = (method: string): readonly [before: string, after: string] => {
  const id = "\"id\":1"
  const text = enclose(createJSONRPCRequest(1, method), "")
  const at = text.indexOf(id) + id.length - 1
  return [text.slice(0, at), text.slice(at + 1, -1)]
}

/** The envelopes of some requests, whose IDs count from 1: one alone, or a list of them. */
const writeBody = (requests: ReadonlyArray<Request>): string => {
  const known = new Map<string, readonly [before: string, after: string]>()
  let body = ""
  for (const [i, { method, params }] of requests.entries()) {
    const parts = known.get(method) ?? around(method)
    known.set(method, parts)
    body += `${i === 0 ? "" : ","}${parts[0]}${i + 1}${parts[1]}${params}}`
  }
  return requests.length === 1 ? body : `[${body}]`
}

const gatewayError = ({ code, message, requestId }: Json, redact: Sanitize.Redact): ErrorObject => ({
  ...errorObject(redact)({ code, message }),
  ...(typeof requestId === "string" ? { requestId: Sanitize.text(redact)(requestId) } : {})
})

/** Some servers write a number as a string. */
const idOf = (id: unknown): number | undefined =>
  typeof id === "number" ? id : typeof id === "string" && /^[1-9]\d{0,8}$/.test(id) ? Number(id) : undefined

const malformed = (expected: string, actual: string): Refusal => ({
  _tag: "Malformed",
  mismatch: { path: [], expected, actual }
})

const isError = ({ error }: Json): boolean => error !== undefined && error !== null

const nodeError = ({ error }: Json, redact: Sanitize.Redact, scope: "call" | "request" | "rest"): Refusal => ({
  _tag: "NodeError",
  error: errorObject(redact)(error),
  redact,
  scope
})

/** A null `result` or `error` beside the other member is ignored. */
const answerIn = (response: Json, redact: Sanitize.Redact, spoiled: ReadonlySet<unknown>): Answer => {
  if (spoiled.has(response)) return Either.left(malformed("numbers of at most 100 digits", "a longer one"))
  if (isError(response)) return Either.left(nodeError(response, redact, "call"))
  return response["result"] === undefined
    ? Either.left(malformed("a result or an error", "neither"))
    : Either.right(response["result"])
}

/** Answers nested too deep to serialise count as different. */
const isSame = (one: Answer, other: Answer): boolean => {
  const print = (answer: Answer): string =>
    JSON.stringify(
      Either.isRight(answer) ? [answer.right] : answer.left,
      (_, inner: unknown) => typeof inner === "bigint" ? `${inner}n` : inner
    )
  try {
    return print(one) === print(other)
  } catch {
    return false
  }
}

const unanswered = malformed("an answer to the call", "none with its ID")

/**
 * Whether a refusal says that the body has no answer with the ID of the call, and no error that is meant for the call.
 *
 * @category guards
 */
export const isUnanswered = (refusal: Refusal): boolean => refusal === unanswered

const several: Answer = Either.left(malformed("one answer to the call", "several that differ"))

/**
 * An error without an ID applies to all calls that have no answer of their own, if it is the only one. Beside other
 * answers it does not prove that the remaining calls were not carried out.
 */
const refusalOfRest = (responses: ReadonlyArray<Json>, redact: Sanitize.Redact): Refusal => {
  const [error, another] = responses.filter((response) => idOf(response["id"]) === undefined && isError(response))
  return error === undefined || another !== undefined
    ? unanswered
    : nodeError(error, redact, responses.length > 1 ? "rest" : "request")
}

/** One answer for each ID from 1 to `count`. Identical duplicates count once; duplicates that differ count as none. */
const match = (
  responses: ReadonlyArray<Json>,
  count: number,
  redact: Sanitize.Redact,
  spoiled: ReadonlySet<unknown>
): ReadonlyArray<Answer> => {
  const answers = Array.from({ length: count }, (): Answer | undefined => undefined)
  for (const response of responses) {
    const at = (idOf(response["id"]) ?? 0) - 1
    if (!(at in answers)) continue
    const answer = answerIn(response, redact, spoiled)
    const before = answers[at]
    answers[at] = before === undefined || isSame(before, answer) ? answer : several
  }
  let rest: Answer | undefined
  return answers.map((answer) => answer ?? (rest ??= Either.left(refusalOfRest(responses, redact))))
}

const unparsed: losslessJson.Parsed = { value: undefined, spoiled: new Set() }

/** The answers to requests, in their order, or why the body as a whole can't be read. */
const answersIn = (
  text: string,
  contentType: string,
  redact: Sanitize.Redact,
  { parse = () => undefined, requests: { length: count } }: Pick<Exchange<unknown>, "parse" | "requests">
): Either.Either<ReadonlyArray<Answer>, Mismatch> => {
  const given = parse(text)
  const { spoiled, value: body } = given === undefined
    ? Either.getOrElse(losslessJson.parseParts(text), () => unparsed)
    : { ...unparsed, value: given }
  if (Array.isArray(body)) return Either.right(match(body.filter(Predicate.isReadonlyRecord), count, redact, spoiled))
  if (Predicate.isReadonlyRecord(body)) {
    if (body["result"] !== undefined || body["error"] !== undefined || idOf(body["id"]) !== undefined) {
      return Either.right(match([body], count, redact, spoiled))
    }
    if (!spoiled.has(body) && (body["code"] !== undefined || body["message"] !== undefined)) {
      const answer: Answer = Either.left({ _tag: "GatewayError", error: gatewayError(body, redact) })
      return Either.right(Array.from({ length: count }, () => answer))
    }
  }
  return Either.left({
    path: [],
    expected: "a JSON-RPC response",
    actual: text === "" ? "an empty body" : `${text.length} characters of ${contentType || "no content type"}`
  })
}

const operation = (name: string, safety: Safety) => ({ name, method: "POST", route, safety }) as const

/**
 * Sends some calls in one request. `client` must be the client of the service `node`.
 *
 * @category constructors
 */
export const exchange = <A>(
  client: ServiceClient,
  { name, parse, read, requests, safety }: Exchange<A>
): Effect.Effect<A, ServiceError> =>
  client.exchange({
    operation: operation(name, safety),
    path: path(client.settings.endpoints.node),
    body: writeBody(requests),
    read: (text, contentType, redact, earlier) =>
      Either.flatMap(
        answersIn(text, contentType, redact, { parse, requests }),
        (answers) => read(answers, earlier)
      )
  })

/**
 * Sends a notification, which gets no answer. `client` must be the client of the service `node`.
 *
 * @category constructors
 */
export const notify = (
  client: ServiceClient,
  method: string,
  params: ReadonlyArray<unknown>
): Effect.Effect<void, ServiceError> =>
  Effect.flatMap(writeParams(`node.${method}`, params), (text) =>
    client.exchange({
      operation: operation("node.exchange", "once"),
      path: path(client.settings.endpoints.node),
      body: enclose(createJSONRPCNotification(method), text),
      read: () => Either.void
    }))

/**
 * The node, or the gateway in front of it, answered a call with an error. `code` and `serviceMessage` are the node's
 * own, cleaned.
 *
 * **Gotchas**
 *
 * For a call that changes something, this does not prove that nothing was done: the caller has to know what the code
 * means.
 *
 * @category errors
 */
export class NodeRefused extends Schema.TaggedError<NodeRefused>("@effect-klaytn/core/NodeRefused")("NodeRefused", {
  /** As in `node.klay_blockNumber`. */
  operation: Schema.String,
  code: Schema.Int,
  serviceMessage: Schema.String,
  /** The gateway's ID for this request, if it sent one. */
  requestId: Schema.optional(Schema.String)
}) {
  override get message() {
    return sentence(this, "the node refused the call")
  }
}

/**
 * One call with the schema of its result.
 *
 * @category models
 */
export interface Call<A, I> {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly result: Schema.Schema<A, I>
  /** `safe` by default, which only suits methods that change nothing. */
  readonly safety?: Safety | undefined
}

/**
 * Makes one call in a request of its own. `client` must be the client of the service `node`. Parameters that can't be
 * written as JSON fail as `InvalidInput`, an error of the node as {@link NodeRefused}, and a result that does not match
 * the schema as `MalformedResponse`.
 *
 * **Example** (the height of the chain)
 *
 * ```ts
 * import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
 * import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
 * import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
 * import * as Effect from "effect/Effect"
 *
 * export const height = Effect.gen(function*() {
 *   const client = yield* ServiceClient.make("node")
 *   return yield* JsonRpc.call(client, { method: "klay_blockNumber", params: [], result: BigIntFromQuantity })
 * })
 * ```
 *
 * @category constructors
 */
export const call = <A, I>(
  client: ServiceClient,
  { method, params, result, safety = "safe" }: Call<A, I>
): Effect.Effect<A, ServiceError | NodeRefused> => {
  const decode = Decoder.make(result)
  const name = `node.${method}`
  // The class drops the data of the error.
  const refused = ({ message, ...error }: ErrorObject): NodeRefused =>
    new NodeRefused({ ...error, operation: name, serviceMessage: message })
  const read = ([answer]: ReadonlyArray<Answer>): Either.Either<Either.Either<A, NodeRefused>, Mismatch> => {
    if (answer === undefined) return Either.left({ path: [], expected: "an answer to the call", actual: "none" })
    if (Either.isRight(answer)) {
      return Either.mapBoth(decode(answer.right), {
        onLeft: (error) => {
          const { path, ...found } = mismatch(error)
          return { ...found, path: ["result", ...path] }
        },
        onRight: Either.right
      })
    }
    return answer.left._tag === "Malformed"
      ? Either.left(answer.left.mismatch)
      : Either.right(Either.left(refused(answer.left.error)))
  }
  return Effect.flatMap(
    writeParams(name, params),
    (text) => Effect.flatten(exchange(client, { name, safety, requests: [{ method, params: text }], read }))
  )
}
