/** What the body of one answer says to the calls of one exchange. */
import type { Mismatch } from "@effect-klaytn/core/ServiceClient"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import {
  createJSONRPCErrorResponse,
  createJSONRPCSuccessResponse,
  type JSONRPCClient,
  type JSONRPCResponse
} from "json-rpc-2.0"
import * as json from "./json.js"
import type { Body } from "./rpcError.js"

/** What came for one call. */
export type Outcome =
  | { readonly _tag: "Result"; readonly result: unknown }
  | { readonly _tag: "Error"; readonly body: Body }
  | { readonly _tag: "Malformed"; readonly mismatch: Mismatch }

/** A body that is the gateway's and not the node's. */
export interface GatewayBody {
  readonly code?: number
  readonly serviceMessage?: string
  readonly requestId?: string
}

export type Reading =
  | { readonly _tag: "Items"; readonly items: ReadonlyArray<Item> }
  | { readonly _tag: "Gateway"; readonly body: GatewayBody }

interface Item {
  /** None when the answer does not say which call it is for. */
  readonly id: number | undefined
  readonly outcome: Outcome
}

type Clean = (text: string) => string

const cleaner = (redact: (text: string) => string): Clean => (text) =>
  redact(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")).slice(0, 1000)

/** Some servers write a number as text. */
const idOf = (id: unknown): number | undefined =>
  typeof id === "number" ? id : typeof id === "string" && /^[1-9]\d{0,8}$/.test(id) ? Number(id) : undefined

const codeOf = (code: unknown): number | undefined => {
  const value = typeof code === "string" && /^-?\d{1,9}$/.test(code) ? Number(code) : code
  return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined
}

const errorOf = (error: unknown, clean: Clean): Body => {
  if (!Predicate.isReadonlyRecord(error)) return { code: 0, message: clean(String(error)) }
  const { code, data, message } = error
  return {
    code: codeOf(code) ?? 0,
    message: typeof message === "string" ? clean(message) : "",
    ...(data === undefined || data === null ? {} : { data: typeof data === "string" ? clean16(data, clean) : data })
  }
}

/** Bytes are kept whole; words are cleaned like all others. */
const clean16 = (data: string, clean: Clean): string => /^0x[0-9a-fA-F]*$/.test(data) ? data : clean(data)

const has = (record: { readonly [key: string]: unknown }, name: string): boolean =>
  name in record && record[name] !== undefined

/** A null beside the other one is no answer of its own. */
const outcomeOf = (record: { readonly [key: string]: unknown }, clean: Clean): Outcome => {
  if (has(record, "error") && record["error"] !== null) {
    return { _tag: "Error", body: errorOf(record["error"], clean) }
  }
  return has(record, "result")
    ? { _tag: "Result", result: record["result"] }
    : { _tag: "Malformed", mismatch: { path: [], expected: "a result or an error", actual: "neither" } }
}

const itemOf = (value: unknown, clean: Clean): ReadonlyArray<Item> =>
  Predicate.isReadonlyRecord(value) && !Array.isArray(value)
    ? [{ id: idOf(value["id"]), outcome: outcomeOf(value, clean) }]
    : []

const gatewayOf = (record: { readonly [key: string]: unknown }, clean: Clean): GatewayBody => {
  const code = codeOf(record["code"])
  const { message, requestId } = record
  return {
    ...(code === undefined ? {} : { code }),
    ...(typeof message === "string" ? { serviceMessage: clean(message) } : {}),
    ...(typeof requestId === "string" ? { requestId: clean(requestId) } : {})
  }
}

const notEnvelope = (text: string, contentType: string): Mismatch => ({
  path: [],
  expected: "a JSON-RPC response",
  actual: text === "" ? "an empty body" : `${text.length} characters of ${contentType || "no content type"}`
})

/** Reads a body: the answers in it, or what the gateway says instead. */
export const read = (
  text: string,
  contentType: string,
  redact: (text: string) => string
): Either.Either<Reading, Mismatch> => {
  const clean = cleaner(redact)
  const parsed = json.parse(text)
  if (Either.isLeft(parsed)) return Either.left(notEnvelope(text, contentType))
  const body = parsed.right
  if (Array.isArray(body)) {
    return Either.right({ _tag: "Items", items: body.flatMap((value) => itemOf(value, clean)) })
  }
  if (!Predicate.isReadonlyRecord(body)) return Either.left(notEnvelope(text, contentType))
  if (has(body, "result") || has(body, "error") || idOf(body["id"]) !== undefined) {
    return Either.right({ _tag: "Items", items: itemOf(body, clean) })
  }
  return has(body, "code") || has(body, "message")
    ? Either.right({ _tag: "Gateway", body: gatewayOf(body, clean) })
    : Either.left(notEnvelope(text, contentType))
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => typeof inner === "bigint" ? `${inner}n` : inner) ?? ""

/** One answer for each ID. The same twice is one; two that differ are none. */
const single = (items: ReadonlyArray<Item>): ReadonlyMap<number, Outcome> => {
  const found = new Map<number, Outcome>()
  for (const { id, outcome } of items) {
    if (id === undefined) continue
    const before = found.get(id)
    found.set(
      id,
      before === undefined || text(before) === text(outcome)
        ? outcome
        : {
          _tag: "Malformed",
          mismatch: { path: [], expected: "one answer to the call", actual: "several that differ" }
        }
    )
  }
  return found
}

/** An error for no call in particular is for all that have no answer of their own, if it is the only one. */
const forAll = (items: ReadonlyArray<Item>): Outcome | undefined => {
  const errors = items.flatMap(({ id, outcome }) => id === undefined && outcome._tag === "Error" ? [outcome] : [])
  return errors.length === 1 ? errors[0] : undefined
}

const unanswered: Outcome = {
  _tag: "Malformed",
  mismatch: { path: [], expected: "an answer to the call", actual: "none with its ID" }
}

/** Carries an outcome through a client that knows results and errors only. */
class Carried {
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    this.outcome = outcome
  }
}

const responseOf = (id: number, outcome: Outcome): JSONRPCResponse =>
  outcome._tag === "Result"
    ? createJSONRPCSuccessResponse(id, outcome.result)
    : createJSONRPCErrorResponse(id, 0, outcome._tag, new Carried(outcome))

const outcomeIn = (response: JSONRPCResponse): Outcome => {
  const data: unknown = response.error?.data
  return data instanceof Carried ? data.outcome : { _tag: "Result", result: response.result }
}

/** Deals the answers out to the calls, whose IDs count from 1. Every call gets one. */
export const deal = (
  client: JSONRPCClient,
  count: number,
  items: ReadonlyArray<Item>
): void => {
  const answers = single(items)
  const rest = forAll(items) ?? unanswered
  client.receive(Array.from({ length: count }, (_, i) => responseOf(i + 1, answers.get(i + 1) ?? rest)))
}

/** The outcomes that a client has collected. */
export const outcomes = (responses: ReadonlyArray<JSONRPCResponse>): ReadonlyArray<Outcome> => responses.map(outcomeIn)
