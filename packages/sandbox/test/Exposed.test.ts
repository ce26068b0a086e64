import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { request } from "node:http"
import * as Sandbox from "../src/Sandbox.js"

const credentials = { accessKeyId: "KASKOWN", secretAccessKey: Redacted.make("a-secret-of-mine") }
const authorization = `Basic ${Buffer.from("KASKOWN:a-secret-of-mine").toString("base64")}`

/** The status of a request from another machine, which names the sandbox in its own way. */
const statusOf = (
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body = ""
): Effect.Effect<number | undefined> =>
  Effect.async((resume) => {
    request(
      url,
      { method, headers: { host: "sandbox:8217", "content-type": "application/json", ...headers } },
      (answer) => {
        answer.resume()
        answer.once("end", () => resume(Effect.succeed(answer.statusCode)))
      }
    ).end(body)
  })

const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "klay_blockNumber", params: [] })

const parts = [
  ["POST", "/_sandbox/chains/1001/mine", ""],
  ["GET", "/_sandbox/health", ""],
  ["GET", "/", ""],
  ["GET", "/openapi.json", ""],
  ["GET", "/v2/account", ""]
] as const

describe("An exposed sandbox", () => {
  it.scopedLive("asks for the credential everywhere, and serves no JSON-RPC without one", () =>
    Effect.gen(function*() {
      const { rpcUrl, url } = yield* Sandbox.make({ host: "0.0.0.0", expose: true, credentials })
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
      for (const [method, path, body] of parts) {
        const wrong = { authorization: `Basic ${Buffer.from("KASKOWN:other").toString("base64")}` }
        for (const headers of [{}, wrong]) {
          assert.strictEqual(yield* statusOf(url + path, method, headers, body), 401, path)
        }
        const status = yield* statusOf(url + path, method, { authorization, "x-chain-id": "1001" }, body)
        // The wallet has no accounts yet, and says so as the service does.
        assert.strictEqual(status, path === "/v2/account" ? 400 : 200, path)
      }
      assert.isUndefined(rpcUrl(1001))
      assert.notStrictEqual(yield* statusOf(`${url}/rpc/1001`, "POST", { authorization }, call), 200)
      // Its own pages, by the name under which it was reached.
      const own = { authorization, origin: "http://sandbox:8217", "x-chain-id": "1001" }
      assert.strictEqual(yield* statusOf(`${url}/openapi.json`, "GET", own), 200)
      assert.strictEqual(yield* statusOf(`${url}/v1/klaytn`, "POST", own, call), 200)
      // A browser that has the credential sends it also for pages of other sites.
      const foreign = { authorization, origin: "https://evil.example", "sec-fetch-site": "cross-site" }
      for (const path of ["/_sandbox/health", "/", "/openapi.json"]) {
        assert.strictEqual(yield* statusOf(url + path, "GET", foreign), 403, path)
      }
    }))

  it.scopedLive("serves the JSON-RPC without a credential only if that is asked for", () =>
    Effect.gen(function*() {
      const { url } = yield* Sandbox.make({ host: "0.0.0.0", expose: true, credentials, devRpc: true })
      assert.strictEqual(yield* statusOf(`${url}/rpc/1001`, "POST", {}, call), 200)
      // A foreign name that leads here brings no credential: nothing lets its pages in.
      for (const origin of ["https://evil.example", "http://sandbox:8217"]) {
        assert.strictEqual(yield* statusOf(`${url}/rpc/1001`, "POST", { origin }, call), 403)
      }
    }))

  it.scopedLive("needs a credential of its own, and an address of this machine", () =>
    Effect.gen(function*() {
      const refused = (options: Sandbox.Options) => Effect.flip(Sandbox.make(options))
      assert.deepInclude(yield* refused({ host: "0.0.0.0" }), { reason: "NotLoopback" })
      assert.deepInclude(yield* refused({ host: "0.0.0.0", expose: true }), { reason: "Credentials" })
      assert.deepInclude(yield* refused({ host: "sandbox.example", expose: true, credentials }), {
        reason: "NotLoopback"
      })
    }))
})
