import { yieldToOthers } from "@effect-klaytn/local-chain/Execution"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Chain } from "../../Chain.js"
import { NodeSettings } from "../NodeSettings.js"
import * as Json from "./Json.js"
import * as Method from "./Method.js"
import { methods, more } from "./methods.js"
import { fieldsOf, isRecord } from "./ParamDecoder.js"

/** One message of a request: `id` is its JSON, undefined for a notification. */
interface Call {
  readonly id: string | undefined
  readonly method: string
  readonly params: unknown
}

const result = (id: string, value: unknown): string =>
  value instanceof Method.Raw
    ? `{"jsonrpc":"2.0","id":${id},"result":${value.json}}`
    : value instanceof Method.Hinted
    ? `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(value.value)},"hint":${JSON.stringify(value.hint)}}`
    : `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(value)}}`

const error = (id: string, { code, data, message }: Method.RpcFailure): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`

/** Reads a message; the answer itself if it is invalid, and none to one that is an answer. */
const callOf = (message: unknown): Call | string | undefined => {
  if (!isRecord(message)) return error("null", Method.invalidRequest)
  const fields = fieldsOf(message, "id", "method", "params", "result", "error")
  const { id, method, params } = fields
  const isId = !isRecord(id) && !Array.isArray(id)
  const name = typeof method === "string" ? method : ""
  const isAnswer = name === "" && params === undefined && (fields.result ?? fields.error ?? undefined) !== undefined
  if (isAnswer && isId && id !== undefined) return undefined
  if (name === "" || !isId) return error(isId && id !== undefined ? Json.write(id) : "null", Method.invalidRequest)
  return { id: id === undefined ? undefined : Json.write(id), method: name, params }
}

const failureOf = (cause: Method.Failure): Effect.Effect<Method.RpcFailure> => {
  if (cause._tag === "RpcFailure") return Effect.succeed(cause)
  return cause._tag === "BlockNotFound"
    ? Effect.succeed(Method.failure(`the block does not exist (block number: ${cause.block})`))
    : Effect.as(Effect.logError("the sandbox could not answer a call of a node's method", cause), Method.internalError)
}

/** Finds a method by its name on the wire. */
export type FindMethod = (name: string) => Method.Method | undefined

/** Finds a method of a node. */
export const nodeMethod: FindMethod = (name) => methods.get(name)

/** Runs a call; undefined for a notification. */
const answer = (chain: Chain, find: FindMethod, call: Call): Effect.Effect<string | undefined> =>
  Effect.flatMap(
    NodeSettings,
    ({ hasMore }) => run(chain, hasMore || !more.has(call.method) ? find(call.method) : undefined, call)
  )

const run = (
  chain: Chain,
  found: Method.Method | undefined,
  { id, method, params }: Call
): Effect.Effect<string | undefined> => {
  const refuse = (failure: Method.RpcFailure) => Effect.succeed(id === undefined ? undefined : error(id, failure))
  if (found === undefined) {
    return refuse(method.endsWith("_subscribe") ? Method.noNotifications : Method.methodNotFound(method))
  }
  if (params !== undefined && params !== null && !Array.isArray(params)) {
    return refuse(Method.invalidParams("non-array args"))
  }
  return Effect.matchCauseEffect(found(chain, params ?? []), {
    onSuccess: (value) =>
      id === undefined ? Effect.succeed(undefined) : Effect.catchAll(
        // An answer can be longer than a text may be.
        Effect.try(() => result(id, value)),
        () => refuse(Method.responseTooLarge)
      ),
    onFailure: (cause) => {
      if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
      const failure = Cause.failureOption(cause)
      return failure._tag === "Some"
        ? Effect.flatMap(failureOf(failure.value), refuse)
        : Effect.zipRight(Effect.logError("a node's method broke", cause), refuse(Method.internalError))
    }
  })
}

/** Size of an answer, in characters, after which no further call of a batch runs: today's limit of nodes. */
const largestAnswer = 25_000_000

/** Milliseconds after which a batch yields to other requests. */
const longestTurn = 10

const refuseAnswer = ({ id }: Call): string | undefined =>
  id === undefined ? undefined : error(id, Method.responseTooLarge)

const batch = (chain: Chain, find: FindMethod, messages: ReadonlyArray<unknown>): Effect.Effect<string> =>
  Effect.gen(function*() {
    const answers: Array<string> = []
    let size = 0
    let since = performance.now()
    for (const message of messages) {
      if (performance.now() - since > longestTurn) {
        yield* yieldToOthers
        since = performance.now()
      }
      const call = callOf(message)
      const text = typeof call !== "object"
        ? call
        : size > largestAnswer
        ? refuseAnswer(call)
        : yield* answer(chain, find, call)
      if (text === undefined) continue
      answers.push(text)
      size += text.length
    }
    return answers.length === 0 ? "" : `[${answers.join(",")}]`
  })

/**
 * Answers the body of a request: one call, or a batch in its order. Notifications have no answer. The methods are those
 * of a node unless others are given.
 */
export const respond = (
  chain: Chain,
  body: string,
  find: FindMethod = nodeMethod
): Effect.Effect<string> => {
  const json = Json.parseFirst(body)
  if (json === undefined) return Effect.succeed(error("null", Method.parseError))
  if (!Array.isArray(json.value)) {
    const call = callOf(json.value)
    return typeof call === "object"
      ? Effect.map(answer(chain, find, call), (text) => text ?? "")
      : Effect.succeed(call ?? "")
  }
  return json.value.length === 0 ? Effect.succeed(error("null", Method.emptyBatch)) : batch(chain, find, json.value)
}
