/** A node at the other end of a recorded wire. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Testing from "@effect-klaytn/core/Testing"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Client from "../../../core/test/support/client.js"
import * as KlaytnNode from "../../src/KlaytnNode.js"

const base = "http://127.0.0.1:8080/prefix"

export interface Settings extends KlaytnNode.Options {
  readonly config?: Partial<ClientConfig.Options>
}

/** The client on a wire. */
export const make = (wire: Testing.Wire, { config, ...options }: Settings = {}) =>
  KlaytnNode.make(options).pipe(
    Effect.provide(ClientConfig.layer({ ...Client.options, endpoints: { node: base }, ...config })),
    Effect.provideService(HttpClient.HttpClient, wire.client)
  )

export interface Request {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** The requests in a body, one or many. */
export const requestsIn = (sent: Testing.SentRequest): ReadonlyArray<Request> => {
  const body = JSON.parse(sent.body ?? "") as Request | ReadonlyArray<Request>
  return Array.isArray(body) ? body : [body as Request]
}

/** What a node writes for one request: `result`, or `error`. */
export type Reply = (request: Request) => object

/** Answers each request of an exchange, in order, as a node does. */
export const node = (reply: Reply): Testing.Step => (sent) => {
  const batch = sent.body?.startsWith("[") === true
  const answers = requestsIn(sent).map((request) => ({ jsonrpc: "2.0", id: request.id, ...reply(request) }))
  return Testing.json(200, batch ? answers : answers[0])(sent)
}

/** Answers with the position of the call that is asked for: the result of `x_echo` with `[7]` is 7. */
export const echo = node(({ params }) => ({ result: params[0] }))

/** An answer whose body is exactly this text. */
export const body = (text: string): Testing.Step => Testing.text(200, text, { "content-type": "application/json" })

/** The wire names of what was sent, by exchange. */
export const methods = (wire: Testing.Wire): ReadonlyArray<ReadonlyArray<string>> =>
  wire.sent.map((sent) => requestsIn(sent).map(({ method }) => method))

/** The body of the only exchange. */
export const onlyBody = (wire: Testing.Wire): string => {
  assert.strictEqual(wire.sent.length, 1, "one exchange was made")
  return wire.sent[0]?.body ?? ""
}
