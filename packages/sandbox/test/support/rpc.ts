/** Raw requests to the node side of a sandbox. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Sandbox from "../../src/Sandbox.js"
import { type Answer, basic, send } from "./wire.js"

/** A body as it stands, with the sandbox's credential, for chain 1001 unless said otherwise. */
export const post = (
  body: string,
  headers: Record<string, string | undefined> = {},
  path = "/v1/klaytn"
): Effect.Effect<Answer, never, Sandbox.Sandbox> =>
  Effect.flatMap(Sandbox.Sandbox, ({ accessKeyId, secretAccessKey }) =>
    send(path, {
      method: "POST",
      body,
      headers: {
        authorization: basic(accessKeyId, Redacted.value(secretAccessKey)),
        "x-chain-id": "1001",
        "content-type": "application/json",
        ...headers
      }
    }))

/** The text of the answer to a body, which comes with HTTP 200. */
export const text = (body: string) =>
  Effect.map(post(body), (answer) => {
    assert.strictEqual(answer.status, 200, answer.text)
    return answer.text
  })

interface Reply {
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** The answer to a call. */
export const reply = (
  method: string,
  ...params: ReadonlyArray<unknown>
): Effect.Effect<Reply, never, Sandbox.Sandbox> =>
  Effect.map(text(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })), (answer) => JSON.parse(answer))

/** The result of a call that has one. */
export const call = (method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.map(reply(method, ...params), (answer) => {
    assert.isUndefined(answer.error, JSON.stringify(answer.error))
    return answer.result
  })

/** The same as an object. */
export const object = (method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.map(call(method, ...params), (result) => {
    assert.isObject(result)
    // Whatever was said about its fields is what the test goes on to check.
    return result as Record<string, unknown>
  })

/** The error of a call that fails. */
export const failure = (method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.map(reply(method, ...params), ({ error }) => {
    assert.isDefined(error)
    return error
  })
