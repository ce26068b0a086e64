import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { klaytn } from "../support/terminal.js"

/** Over loopback, and without anything in the environment. */
const offline = (...words: ReadonlyArray<string>) =>
  Effect.flatMap(HttpClient.HttpClient, (client) => klaytn(words, { environment: {}, client })).pipe(
    Effect.provide(FetchHttpClient.layer)
  )

describe("--sandbox", () => {
  it.live("calls a node whose chain is the same at every start", () =>
    Effect.gen(function*() {
      const first = yield* offline("call", "getBlockByNumber", "latest", "--json", "--sandbox")
      assert.strictEqual(first.code, 0, first.error)
      assert.isAbove(Number(JSON.parse(first.out).number), 5)
      assert.deepStrictEqual(yield* offline("call", "getBlockByNumber", "latest", "--json", "--sandbox"), first)
    }), 120_000)

  it.live(
    "is well by the doctor, on either chain",
    () =>
      Effect.forEach(["1001", "8217"], (chain) =>
        Effect.gen(function*() {
          const { code, error, out } = yield* offline("doctor", "--sandbox", "--chain", chain)
          assert.strictEqual(code, 0, out + error)
          assert.match(out, /^ok +resource/m)
        }), { discard: true }),
    120_000
  )
})
