/** Raw requests to a chain's JSON-RPC for development. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Sandbox from "../../src/Sandbox.js"
import { type Answer, send } from "./wire.js"

/** A body as it stands, with no credential, for chain 1001 unless said otherwise. */
export const post = (
  body: string,
  headers: Record<string, string | undefined> = {},
  chain = 1001
): Effect.Effect<Answer, never, Sandbox.Sandbox> =>
  send(`/rpc/${chain}`, { method: "POST", body, headers: { "content-type": "application/json", ...headers } })

interface Reply {
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** The answer to a call. */
const reply = (
  method: string,
  params: ReadonlyArray<unknown>,
  chain = 1001
): Effect.Effect<Reply, never, Sandbox.Sandbox> =>
  Effect.map(post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), {}, chain), (answer) => {
    assert.strictEqual(answer.status, 200, answer.text)
    return JSON.parse(answer.text)
  })

/** The result of a call of a chain that has one. */
export const on = (chain: number) => (method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.map(reply(method, params, chain), (answer) => {
    assert.isUndefined(answer.error, `${method}: ${JSON.stringify(answer.error)}`)
    return answer.result
  })

/** The result of a call that has one. */
export const call = on(1001)

/** The result of a call as an object. */
export const object = (method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.map(call(method, ...params), (result) => {
    assert.isObject(result)
    // Whatever was said about its fields is what the test goes on to check.
    return result as Record<string, unknown>
  })

/** The result of a call as text. */
export const text = (method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.map(call(method, ...params), (result) => typeof result === "string" ? result : assert.fail(`${method}`))

/** The result of a call as a list of texts. */
export const texts = (method: string) =>
  Effect.map(call(method), (result) => {
    assert.isArray(result)
    // Whatever was said about its items is what the test goes on to check.
    return result as ReadonlyArray<string>
  })

/** The error of a call that fails. */
export const failure = (method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.map(reply(method, params), ({ error }) => {
    assert.isDefined(error, method)
    return error
  })
