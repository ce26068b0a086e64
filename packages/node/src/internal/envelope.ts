/** Reads the body of a response and assigns its answers to the calls of the exchange. */
import * as Foreign from "@effect-klaytn/core/Foreign"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import type { Mismatch } from "@effect-klaytn/core/ServiceClient"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import {
  createJSONRPCErrorResponse,
  createJSONRPCSuccessResponse,
  type JSONRPCClient,
  type JSONRPCID,
  type JSONRPCResponse,
  type JSONRPCSuccessResponse
} from "json-rpc-2.0"
import type { Body } from "./rpcError.js"

/** What a call got instead of a result. */
export type Refusal =
  | { readonly _tag: "Error"; readonly body: Body; readonly to: "call" | "all" | "rest" }
  | { readonly _tag: "Malformed"; readonly mismatch: Mismatch }
  | { readonly _tag: "Gateway"; readonly body: JsonRpc.ErrorObject }

/** A response without an ID does not say which call it is for. */
export type Reading =
  | { readonly _tag: "Responses"; readonly responses: ReadonlyArray<JSONRPCResponse> }
  | { readonly _tag: "Gateway"; readonly body: JsonRpc.ErrorObject }

/** Carries a refusal through a client that knows only results and errors. */
class Carried {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    this.refusal = refusal
  }
}

const refused = (id: JSONRPCID, refusal: Refusal): JSONRPCResponse =>
  createJSONRPCErrorResponse(id, 0, refusal._tag, new Carried(refusal))

/** The refusal in a response of {@link read} or {@link deal}, if it has no result. */
export const refusalIn = (response: JSONRPCResponse): Refusal | undefined => {
  const data: unknown = response.error?.data
  return data instanceof Carried ? data.refusal : undefined
}

/** Reads refusals and cleans them for use in an error. */
interface Reader {
  readonly error: (error: unknown) => Body
  readonly gateway: (body: { readonly [key: string]: unknown }) => JsonRpc.ErrorObject
}

const readerOf = (redact: Foreign.Redact): Reader => {
  const clean = Foreign.words(redact)
  const error = JsonRpc.errorObject(redact)
  return { error: (given) => ({ ...error(given), clean }), gateway: JsonRpc.gatewayObject(redact) }
}

/** Some servers write a number as a string. */
const idOf = (id: unknown): number | undefined =>
  typeof id === "number" ? id : typeof id === "string" && /^[1-9]\d{0,8}$/.test(id) ? Number(id) : undefined

const has = (record: { readonly [key: string]: unknown }, name: string): boolean => record[name] !== undefined

/** Most answers are well-formed and pass through unchanged. */
const isResult = (value: unknown): value is JSONRPCSuccessResponse =>
  Predicate.isReadonlyRecord(value) && typeof value["id"] === "number" && value["result"] !== undefined &&
  value["error"] === undefined

/** A null `result` or `error` beside the other member is ignored. */
const responseIn = (record: { readonly [key: string]: unknown }, reader: Reader): JSONRPCResponse => {
  const id = idOf(record["id"]) ?? null
  if (has(record, "error") && record["error"] !== null) {
    return refused(id, { _tag: "Error", body: reader.error(record["error"]), to: "call" })
  }
  return has(record, "result")
    ? createJSONRPCSuccessResponse(id, record["result"])
    : refused(id, {
      _tag: "Malformed",
      mismatch: { path: [], expected: "a result or an error", actual: "neither" }
    })
}

const responsesIn = (body: ReadonlyArray<unknown>, reader: Reader): ReadonlyArray<JSONRPCResponse> => {
  const found: Array<JSONRPCResponse> = []
  for (const value of body) {
    if (isResult(value)) found.push(value)
    else if (Predicate.isReadonlyRecord(value)) found.push(responseIn(value, reader))
  }
  return found
}

const notEnvelope = (text: string, contentType: string): Mismatch => ({
  path: [],
  expected: "a JSON-RPC response",
  actual: text === "" ? "an empty body" : `${text.length} characters of ${contentType || "no content type"}`
})

/** Reads a body: the answers in it, or the gateway's message instead of them. */
export const read = (
  text: string,
  contentType: string,
  redact: (text: string) => string
): Either.Either<Reading, Mismatch> => {
  const reader = readerOf(redact)
  const body = Either.getOrUndefined(JsonRpc.parse(text))
  if (Array.isArray(body)) return Either.right({ _tag: "Responses", responses: responsesIn(body, reader) })
  if (!Predicate.isReadonlyRecord(body)) return Either.left(notEnvelope(text, contentType))
  if (has(body, "result") || has(body, "error") || idOf(body["id"]) !== undefined) {
    return Either.right({ _tag: "Responses", responses: responsesIn([body], reader) })
  }
  return has(body, "code") || has(body, "message")
    ? Either.right({ _tag: "Gateway", body: reader.gateway(body) })
    : Either.left(notEnvelope(text, contentType))
}

const said = (response: JSONRPCResponse): string =>
  JSON.stringify(
    refusalIn(response) ?? [response.result],
    (_, inner: unknown) => typeof inner === "bigint" ? `${inner}n` : inner
  )

/** Answers nested too deep to serialise count as different. */
const isSame = (one: JSONRPCResponse, other: JSONRPCResponse): boolean => {
  try {
    return said(one) === said(other)
  } catch {
    return false
  }
}

type ById = ReadonlyMap<JSONRPCID, JSONRPCResponse>

const none: ById = new Map()

/** One response for each ID. Identical duplicates count once; duplicates that differ count as none. */
const byId = (responses: ReadonlyArray<JSONRPCResponse>): ById => {
  const found = new Map<JSONRPCID, JSONRPCResponse>()
  for (const response of responses) {
    const { id } = response
    const before = found.get(id)
    const isOne = before === undefined || isSame(before, response)
    found.set(
      id,
      isOne ? response : refused(id, {
        _tag: "Malformed",
        mismatch: { path: [], expected: "one answer to the call", actual: "several that differ" }
      })
    )
  }
  return found
}

/**
 * An error without an ID applies to all calls that have no answer of their own, if it is the only response. Beside
 * other answers it does not prove that the remaining calls were not carried out.
 */
const forAll = (responses: ReadonlyArray<JSONRPCResponse>): Refusal | undefined => {
  const errors = responses.flatMap((response) => {
    const refusal = refusalIn(response)
    return response.id === null && refusal?._tag === "Error" ? [refusal] : []
  })
  const [error, another] = errors
  return error === undefined || another !== undefined
    ? undefined
    : { ...error, to: responses.length > 1 ? "rest" : "all" }
}

const unanswered: Refusal = {
  _tag: "Malformed",
  mismatch: { path: [], expected: "an answer to the call", actual: "none with its ID" }
}

/** Assigns the answers of a body to the calls, whose IDs count from 1. Every call gets one. */
export const deal = (client: JSONRPCClient, count: number, reading: Reading): void => {
  const isGateway = reading._tag === "Gateway"
  const own = isGateway ? none : byId(reading.responses)
  const rest = isGateway ? reading : forAll(reading.responses) ?? unanswered
  client.receive(Array.from({ length: count }, (_, i) => own.get(i + 1) ?? refused(i + 1, rest)))
}
