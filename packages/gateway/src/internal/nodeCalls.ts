/** The calls in the body of a request to the node, and the body of its answer. */
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { isServed, isWrite, limits } from "../NodeAccess.js"
import { write } from "./jsonText.js"

/** An error of an answer. */
export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** A call that is passed on. `id` is JSON; undefined for a notification, which gets no answer. */
export interface NodeCall extends JsonRpc.Request {
  readonly id: string | undefined
}

/** A message that is answered here. */
export interface Refused {
  readonly id: string | undefined
  readonly error: RpcError
}

/** The messages of a body, in their order. */
export interface Body {
  readonly isBatch: boolean
  readonly messages: ReadonlyArray<Either.Either<NodeCall, Refused>>
}

const { InternalError, InvalidParams, InvalidRequest, MethodNotFound, ParseError } = JsonRpc.ErrorCode

/** By EIP-1474. */
const transactionRejected = -32003

const refuse = (id: string | undefined, code: number, message: string) => Either.left({ id, error: { code, message } })

const readMessage = (message: unknown): Either.Either<NodeCall, Refused> => {
  if (!Predicate.isReadonlyRecord(message)) return refuse("null", InvalidRequest, "invalid request")
  const { id: given, method, params = [] } = message
  if (typeof given === "object" && given !== null || typeof method !== "string") {
    return refuse("null", InvalidRequest, "invalid request")
  }
  const id = given === undefined ? undefined : write(given)
  if (!isServed(method)) {
    return refuse(id, MethodNotFound, `this gateway does not pass on the method ${JSON.stringify(method.slice(0, 80))}`)
  }
  if (params !== null && !Array.isArray(params)) return refuse(id, InvalidParams, "non-array args")
  return Either.match(JsonRpc.writeParams(`node.${method}`, params ?? []), {
    onLeft: () => refuse(id, InvalidParams, "a parameter can't be passed on: write large numbers in hexadecimal"),
    onRight: (text) => Either.right({ id, method, params: text })
  })
}

/** The messages of a body; the one error that answers it if there are none. */
export const read = (text: string): Either.Either<Body, Refused> =>
  Either.match(JsonRpc.parse(text), {
    onLeft: () => refuse("null", ParseError, "parse error"),
    onRight: (body) => {
      if (!Array.isArray(body)) return Either.right({ isBatch: false, messages: [readMessage(body)] })
      if (body.length === 0) return refuse("null", InvalidRequest, "empty batch")
      return body.length > limits.calls
        ? refuse("null", InvalidRequest, `a batch has ${limits.calls} calls at most, and this one has ${body.length}`)
        : Either.right({ isBatch: true, messages: body.map(readMessage) })
    }
  })

/** The same calls, and each that would send a transaction refused. */
export const withoutWrites = ({ isBatch, messages }: Body, why: string): Body => ({
  isBatch,
  messages: messages.map(
    Either.flatMap((call) => isWrite(call.method) ? refuse(call.id, transactionRejected, why) : Either.right(call))
  )
})

const errorText = (id: string, error: RpcError): string => `{"jsonrpc":"2.0","id":${id},"error":${write(error)}}`

const errorOf = (refusal: JsonRpc.Refusal): RpcError =>
  refusal._tag === "Malformed"
    ? { code: InternalError, message: "the node's answer to this call can't be read" }
    : { code: refusal.error.code, message: refusal.error.message, data: refusal.error.data }

/** The answer to a message that is answered here; nothing for a notification. */
export const refusalText = ({ error, id }: Refused): string => id === undefined ? "" : errorText(id, error)

const answerText = ({ id }: NodeCall, answer: JsonRpc.Answer | undefined): string => {
  if (id === undefined) return ""
  return Either.match(answer ?? Either.right(null), {
    onLeft: (refusal) => errorText(id, errorOf(refusal)),
    onRight: (result) => `{"jsonrpc":"2.0","id":${id},"result":${write(result)}}`
  })
}

/** The body of the answer. `answers` are those of the calls that were passed on, in their order. */
export const answerBody = ({ isBatch, messages }: Body, answers: ReadonlyArray<JsonRpc.Answer>): string => {
  let at = 0
  const texts = messages
    .map(Either.match({ onLeft: refusalText, onRight: (call) => answerText(call, answers[at++]) }))
    .filter((text) => text !== "")
  return isBatch && texts.length > 0 ? `[${texts.join(",")}]` : texts.join("")
}
