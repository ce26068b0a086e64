import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { request } from "node:http"
import * as Sandbox from "../src/Sandbox.js"
import * as DevRpc from "./support/devRpc.js"
import * as Rpc from "./support/rpc.js"
import { control, send } from "./support/wire.js"

const sandbox = Sandbox.layer({
  seed: "devRpc",
  clock: { start: 1_600_000_000, step: 1 },
  devRpcOrigins: ["https://dapp.example"]
})

/** A request with headers that no `fetch` sends. */
const raw = (method: string, path: string, headers: Record<string, string>, body = "") =>
  Effect.flatMap(
    Sandbox.Sandbox,
    ({ url }) =>
      Effect.async<{ readonly status: number; readonly headers: Record<string, unknown> }>((resume) => {
        const sent = request(`${url}${path}`, { method, headers, agent: false }, (response) => {
          response.resume()
          response.on(
            "end",
            () => resume(Effect.succeed({ status: response.statusCode ?? 0, headers: response.headers }))
          )
        })
        sent.end(body)
      })
  )

const json = { "content-type": "application/json" }
const height = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] })

layer(sandbox, { excludeTestServices: true })("The JSON-RPC for development", (it) => {
  it.effect("serves each chain at its own path, without credential or headers", () =>
    Effect.gen(function*() {
      const { rpcUrl, url } = yield* Sandbox.Sandbox
      assert.strictEqual(rpcUrl(1001), `${url}/rpc/1001`)
      for (const chain of [1001, 8217]) {
        const { status, text } = yield* DevRpc.post(
          JSON.stringify({ jsonrpc: "2.0", id: 7, method: "eth_chainId" }),
          {},
          chain
        )
        assert.deepStrictEqual([status, JSON.parse(text)], [
          200,
          { jsonrpc: "2.0", id: 7, result: `0x${chain.toString(16)}` }
        ])
      }
      assert.strictEqual((yield* DevRpc.post(height, {}, 1)).status, 404)
      const looked = yield* send("/rpc/1001")
      assert.deepStrictEqual([looked.status, looked.text], [200, ""])
    }))

  it.effect("answers what the node's own path answers, batches and failures too", () =>
    Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const { address } = chains.account("alice")
      const calls = [
        { jsonrpc: "2.0", id: 1, method: "eth_getBalance", params: [address, "latest"] },
        { jsonrpc: "2.0", id: 2, method: "klay_getAccount", params: [address, "latest"] },
        { jsonrpc: "2.0", id: 3, method: "eth_getBlockByNumber", params: ["0x0", true] },
        { jsonrpc: "2.0", id: 4, method: "eth_teleport", params: [] },
        { jsonrpc: "2.0", id: 5, method: "eth_getBalance", params: ["0x12", "latest"] },
        { jsonrpc: "2.0", id: 6, method: "eth_sendRawTransaction", params: ["0x"] }
      ]
      for (const body of [JSON.stringify(calls), ...calls.map((one) => JSON.stringify(one)), "{", "[]"]) {
        assert.strictEqual((yield* DevRpc.post(body)).text, `${(yield* Rpc.post(body)).text}\n`)
      }
    }))

  it.effect("reads bodies of the node's size and type only", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* DevRpc.post(`"${" ".repeat(600 * 1024)}"`)).status, 413)
      assert.strictEqual((yield* DevRpc.post(height, { "content-type": "text/plain" })).status, 415)
    }))

  it.effect("lets pages of this machine and of the named origins in, and no others", () =>
    Effect.gen(function*() {
      for (
        const origin of ["http://localhost:5173", "https://127.0.0.1", "http://[::1]:3000", "https://dapp.example"]
      ) {
        const asked = yield* raw("OPTIONS", "/rpc/1001", { origin, "access-control-request-method": "POST" })
        assert.strictEqual(asked.status, 204, origin)
        const answer = yield* raw("POST", "/rpc/1001", { ...json, origin, "sec-fetch-site": "cross-site" }, height)
        assert.strictEqual(answer.status, 200, origin)
        for (const { headers } of [asked, answer]) {
          assert.include(headers, { "access-control-allow-origin": origin, vary: "origin" })
          assert.notProperty(headers, "access-control-allow-credentials")
        }
      }
      const foreign = [
        "https://evil.example",
        "https://dapp.example.evil.example",
        "http://dapp.example",
        "https://dapp.example:444",
        "http://localhost.evil.example",
        "http://localhost@evil.example",
        "null",
        "localhost",
        "file://"
      ]
      for (const origin of foreign) {
        for (const method of ["OPTIONS", "POST"]) {
          const { headers, status } = yield* raw(method, "/rpc/1001", { ...json, origin }, height)
          assert.strictEqual(status, 403, origin)
          assert.notProperty(headers, "access-control-allow-origin", origin)
        }
      }
    }))

  it.effect("is not there under a name that somebody else resolves to this machine, or for what a page embeds", () =>
    Effect.gen(function*() {
      for (const host of ["evil.example", "127.0.0.1.evil.example:8217", "0.0.0.0:8217"]) {
        for (const origin of [`http://${host}`, undefined]) {
          const headers = { ...json, host, ...(origin !== undefined && { origin }) }
          assert.strictEqual((yield* raw("POST", "/rpc/1001", headers, height)).status, 403, host)
        }
      }
      for (const site of ["cross-site", "same-site"]) {
        const { status } = yield* raw("POST", "/rpc/1001", { ...json, "sec-fetch-site": site }, height)
        assert.strictEqual(status, 403, site)
      }
    }))

  it.effect("reveals no credential and no key, and stays out of the log of requests", () =>
    Effect.gen(function*() {
      const { accounts, secretAccessKey } = yield* Sandbox.Sandbox
      yield* control("DELETE", "/requests")
      const answers = [
        yield* DevRpc.post(height),
        yield* DevRpc.post(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "rpc_modules" })),
        yield* DevRpc.post("{"),
        yield* send("/rpc/1001"),
        yield* send("/rpc/5")
      ]
      const secrets = [
        Redacted.value(secretAccessKey),
        ...accounts.map(({ privateKey }) => Buffer.from(Redacted.value(privateKey)).toString("hex"))
      ]
      for (const { headers, text } of answers) {
        const shown = `${text}${JSON.stringify([...headers])}`
        for (const secret of secrets) assert.notInclude(shown, secret)
      }
      assert.deepStrictEqual((yield* control("GET", "/requests")).body, [])
    }))
})

layer(Sandbox.layer({ seed: "no devRpc", devRpc: false }), { excludeTestServices: true })(
  "If it is turned off",
  (it) => {
    it.effect("its paths are unknown ones of the service", () =>
      Effect.gen(function*() {
        assert.isUndefined((yield* Sandbox.Sandbox).rpcUrl(1001))
        const { status, text } = yield* DevRpc.post(height)
        assert.strictEqual(status, (yield* send("/unknown", { method: "POST", body: height })).status)
        assert.notInclude(text, "result")
      }))
  }
)

describe("An origin that is none", () => {
  it.effect("stops the sandbox from starting", () =>
    Effect.gen(function*() {
      for (const origin of ["*", "null", "dapp.example", "https://dapp.example/", "https://dapp.example/path", ""]) {
        const { reason } = yield* Effect.scoped(Effect.flip(Sandbox.make({ devRpcOrigins: [origin] })))
        assert.strictEqual(reason, "Origin", origin)
      }
    }))
})
