/**
 * JSON-RPC 2.0 as the service's node speaks it: its path, how a response is read, and how to make one call.
 *
 * **Details**
 *
 * The packages that call a node, `node` and `wallet`, share {@link path} and the readers of this module, so that both
 * reach the same node under the same configuration, and text of a node is cleaned like all other text of the service.
 * The readers accept any text and never throw: a result or an error may be of any depth, and only a bounded and clean
 * copy of an error is kept, see `Foreign`.
 *
 * `wallet` looks things up with {@link call}, one request each. `node` batches calls: it sends them to {@link path}
 * with `ServiceClient.exchange`, parses the body with {@link parse}, and reads each error object with {@link
 * errorObject}.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Decoder from "./Decoder.js"
import type { Endpoint } from "./Endpoints.js"
import type { Redact } from "./Foreign.js"
import * as foreign from "./internal/foreign.js"
import * as losslessJson from "./internal/losslessJson.js"
import { complaint } from "./internal/parseIssue.js"
import { notJson } from "./internal/request.js"
import * as errorText from "./internal/serviceError.js"
import type { Safety } from "./Operation.js"
import type { Mismatch, ServiceClient } from "./ServiceClient.js"
import type { InvalidInput, ServiceError } from "./ServiceError.js"

/**
 * The route of the node, from its document: a label of spans and metrics.
 *
 * @since 0.1.0
 * @category constants
 */
export const route = "/v1/klaytn"

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
 * @since 0.1.0
 * @category constructors
 */
export const path = (endpoint: Endpoint | undefined): string => endpoint?.endsWith(route) === true ? "" : route

/**
 * The error object of a response, cleaned: its message on one line without secrets, its data bounded in size and depth.
 * `code` is 0 if there is none. `isGateway` is true if it is not an error object of the node but a body of the gateway
 * in front of it, with one of the service's codes.
 *
 * @since 0.1.0
 * @category models
 */
export interface ErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
  readonly requestId?: string
  readonly isGateway: boolean
}

/**
 * Parses JSON without throwing. Whole numbers above 2^53 become `bigint`; those of more than 100 digits are refused.
 *
 * @since 0.1.0
 * @category reading
 */
export const parse: (text: string) => Either.Either<unknown, "not JSON"> = losslessJson.parse

const codeOf = (code: unknown): number | undefined => {
  const value = typeof code === "string" && /^-?\d{1,9}$/.test(code) ? Number(code) : code
  return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined
}

/**
 * Reads the `error` field of a response, whatever its value.
 *
 * @since 0.1.0
 * @category reading
 */
export const errorObject = (redact: Redact): (error: unknown) => ErrorObject => {
  const clean = foreign.words(redact)
  const copy = foreign.json(redact)
  return (error) => {
    if (typeof error === "string") return { code: 0, message: clean(error), isGateway: false }
    if (!Predicate.isReadonlyRecord(error)) return { code: 0, message: foreign.kindOf(error), isGateway: false }
    const { code, data, message } = error
    return {
      code: codeOf(code) ?? 0,
      message: typeof message === "string" ? clean(message) : "",
      ...(data === undefined || data === null ? {} : { data: copy(data) }),
      isGateway: false
    }
  }
}

/**
 * Reads a body of the gateway: its code, its message and its request ID.
 *
 * @since 0.1.0
 * @category reading
 */
export const gatewayObject = (redact: Redact): (body: { readonly [key: string]: unknown }) => ErrorObject => {
  const clean = foreign.words(redact)
  return ({ code, message, requestId }) => ({
    code: codeOf(code) ?? 0,
    message: typeof message === "string" ? clean(message) : "",
    ...(typeof requestId === "string" ? { requestId: clean(requestId) } : {}),
    isGateway: true
  })
}

const has = (record: { readonly [key: string]: unknown }, name: string): boolean =>
  Object.hasOwn(record, name) && record[name] !== undefined

/**
 * Reads the response to a single call: its result, or its error. If both are present and one is null, the other counts.
 *
 * @since 0.1.0
 * @category reading
 */
export const read = (
  text: string,
  contentType: string,
  redact: Redact
): Either.Either<Either.Either<unknown, ErrorObject>, Mismatch> => {
  const parsed = parse(text)
  // A node may answer a single call with a list of one.
  const body = Either.isRight(parsed) && Array.isArray(parsed.right) && parsed.right.length === 1
    ? parsed.right[0]
    : Either.getOrUndefined(parsed)
  if (!Predicate.isReadonlyRecord(body) || Array.isArray(body)) {
    const actual = text === "" ? "an empty body" : `${text.length} characters of ${contentType || "no content type"}`
    return Either.left({ path: [], expected: "a JSON-RPC response", actual })
  }
  if (has(body, "error") && body["error"] !== null) return Either.right(Either.left(errorObject(redact)(body["error"])))
  if (has(body, "result")) return Either.right(Either.right(body["result"]))
  return has(body, "code") || has(body, "message")
    ? Either.right(Either.left(gatewayObject(redact)(body)))
    : Either.left({ path: [], expected: "a result or an error", actual: "neither" })
}

/**
 * The node, or the gateway in front of it, answered a call with an error. `code` and `serviceMessage` are the node's
 * own, cleaned.
 *
 * **Gotchas**
 *
 * For a call that changes something, this does not prove that nothing was done: the caller has to know what the code
 * means.
 *
 * @since 0.1.0
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
    return errorText.sentence(this, "the node refused the call")
  }
}

/**
 * One JSON-RPC call.
 *
 * @since 0.1.0
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
 * import { BigIntFromQuantity } from "@effect-klaytn/core/Hex"
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
 * @since 0.1.0
 * @category constructors
 */
export const call = <A, I>(
  client: ServiceClient,
  { method, params, result, safety = "safe" }: Call<A, I>
): Effect.Effect<A, ServiceError | NodeRefused> => {
  const decode = Decoder.make(result)
  const name = `node.${method}`
  return Effect.flatMap(written(name, method, params), (body) =>
    Effect.flatMap(
      client.exchange<Either.Either<A, ErrorObject>>({
        operation: { name, method: "POST", route, safety },
        path: path(client.settings.endpoints.node),
        body,
        read: (text, contentType, redact) => {
          const answer = read(text, contentType, redact)
          if (Either.isLeft(answer)) return Either.left(answer.left)
          if (Either.isLeft(answer.right)) return Either.right(Either.left(answer.right.left))
          return Either.mapBoth(decode(answer.right.right), {
            onLeft: (error): Mismatch => {
              const mismatch = complaint(error)
              return { ...mismatch, path: ["result", ...mismatch.path] }
            },
            onRight: (value) => Either.right(value)
          })
        }
      }),
      Either.match({
        onLeft: ({ code, message, requestId }) =>
          new NodeRefused({
            operation: name,
            code,
            serviceMessage: message,
            ...(requestId === undefined ? {} : { requestId })
          }),
        onRight: Effect.succeed
      })
    ))
}

const written = (
  operation: string,
  method: string,
  params: ReadonlyArray<unknown>
): Effect.Effect<string, InvalidInput> =>
  Effect.try({
    try: () => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    catch: () => notJson(operation)
  })
