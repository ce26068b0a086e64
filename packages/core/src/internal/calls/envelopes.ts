/** Writes the envelopes of JSON-RPC requests, and assigns the answers in a response to the calls of its request. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { createJSONRPCNotification, createJSONRPCRequest, type JSONRPCRequest } from "json-rpc-2.0/dist/models.js"
import type { Redact } from "../../Sanitize.js"
import type { Mismatch } from "../../ServiceError.js"
import * as losslessJson from "../decoding/losslessJson.js"
import * as sanitize from "../values/cleanText.js"

/** A call in a request: its parameters are JSON already. */
interface Request {
  readonly method: string
  readonly params: string
}

interface ErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
  readonly requestId?: string
}

/** Why a call has no result. The public module says what each means. */
type Refusal =
  | {
    readonly _tag: "NodeError"
    readonly error: ErrorObject
    readonly redact: Redact
    readonly scope: "call" | "request" | "rest"
  }
  | { readonly _tag: "GatewayError"; readonly error: ErrorObject }
  | { readonly _tag: "Malformed"; readonly mismatch: Mismatch }

type Answer = Either.Either<unknown, Refusal>

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
export const write = (requests: ReadonlyArray<Request>): string => {
  const known = new Map<string, readonly [before: string, after: string]>()
  let body = ""
  for (const [i, { method, params }] of requests.entries()) {
    const parts = known.get(method) ?? around(method)
    known.set(method, parts)
    body += `${i === 0 ? "" : ","}${parts[0]}${i + 1}${parts[1]}${params}}`
  }
  return requests.length === 1 ? body : `[${body}]`
}

export const writeNotification = ({ method, params }: Request): string =>
  enclose(createJSONRPCNotification(method), params)

const codeOf = (code: unknown): number => {
  const value = typeof code === "string" && /^-?\d{1,9}$/.test(code) ? Number(code) : code
  return typeof value === "number" && Number.isSafeInteger(value) ? value : 0
}

export const errorObject = (redact: Redact) => (error: unknown): ErrorObject => {
  const clean = sanitize.clean(redact)
  if (!Predicate.isReadonlyRecord(error)) {
    return { code: 0, message: typeof error === "string" ? clean(error) : sanitize.kindOf(error) }
  }
  const { code, data, message } = error
  return {
    code: codeOf(code),
    message: typeof message === "string" ? clean(message) : "",
    ...(data === undefined || data === null ? {} : { data: sanitize.json(redact)(data) })
  }
}

const gatewayError = ({ code, message, requestId }: Json, redact: Redact): ErrorObject => ({
  ...errorObject(redact)({ code, message }),
  ...(typeof requestId === "string" ? { requestId: sanitize.clean(redact)(requestId) } : {})
})

/** Some servers write a number as a string. */
const idOf = (id: unknown): number | undefined =>
  typeof id === "number" ? id : typeof id === "string" && /^[1-9]\d{0,8}$/.test(id) ? Number(id) : undefined

const malformed = (expected: string, actual: string): Refusal => ({
  _tag: "Malformed",
  mismatch: { path: [], expected, actual }
})

const isError = ({ error }: Json): boolean => error !== undefined && error !== null

const nodeError = ({ error }: Json, redact: Redact, scope: "call" | "request" | "rest"): Refusal => ({
  _tag: "NodeError",
  error: errorObject(redact)(error),
  redact,
  scope
})

/** A null `result` or `error` beside the other member is ignored. */
const answerIn = (response: Json, redact: Redact, spoiled: ReadonlySet<unknown>): Answer => {
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

/** Whether a body has answers, and none to this call. */
export const isUnanswered = (refusal: Refusal): boolean => refusal === unanswered

const several: Answer = Either.left(malformed("one answer to the call", "several that differ"))

/**
 * An error without an ID applies to all calls that have no answer of their own, if it is the only one. Beside other
 * answers it does not prove that the remaining calls were not carried out.
 */
const refusalOfRest = (responses: ReadonlyArray<Json>, redact: Redact): Refusal => {
  const [error, another] = responses.filter((response) => idOf(response["id"]) === undefined && isError(response))
  return error === undefined || another !== undefined
    ? unanswered
    : nodeError(error, redact, responses.length > 1 ? "rest" : "request")
}

/** One answer for each ID from 1 to `count`. Identical duplicates count once; duplicates that differ count as none. */
const match = (
  responses: ReadonlyArray<Json>,
  count: number,
  redact: Redact,
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

const notJson: losslessJson.Parsed = { value: undefined, spoiled: new Set() }

/** The answers to `count` requests, in their order, or why the body as a whole can't be read. */
export const read = (
  text: string,
  contentType: string,
  redact: Redact,
  count: number
): Either.Either<ReadonlyArray<Answer>, Mismatch> => {
  const { spoiled, value: body } = Either.getOrElse(losslessJson.parseParts(text), () => notJson)
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
