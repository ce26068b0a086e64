import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { request } from "node:http"
import { RequestLog } from "../src/internal/http/RequestLog.js"
import * as Sandbox from "../src/Sandbox.js"
import * as Rpc from "./support/rpc.js"
import { ask, basic, control, get, send } from "./support/wire.js"

const eoa = "/v2/transfer/account/0x1111111111111111111111111111111111111111"

const credential = Effect.map(Sandbox.Sandbox, ({ accessKeyId, secretAccessKey }) => ({
  authorization: basic(accessKeyId, Redacted.value(secretAccessKey)),
  "x-chain-id": "1001"
}))

/** A request as no `fetch` sends it: any header, and a body in pieces, as long as `more` gives one. Else it stays open. */
const raw = (
  method: string,
  path: string,
  headers: Record<string, string>,
  more?: () => string | undefined
): Effect.Effect<{ readonly status: number; readonly text: string } | string, never, Sandbox.Sandbox> =>
  Effect.flatMap(Sandbox.Sandbox, ({ url }) =>
    Effect.async((resume) => {
      const call = request(`${url}${path}`, { method, headers, agent: false }, (response) => {
        let text = ""
        response.on("data", (chunk) => {
          text += chunk
        })
        response.on("end", () => resume(Effect.succeed({ status: response.statusCode ?? 0, text })))
      })
      call.on("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(error.code ?? error.message)))
      // A connection that is closed takes every piece at once: there would be no end to it.
      const write = (error?: Error | null): void => {
        if (error || call.destroyed) return
        const piece = more?.()
        if (piece === undefined) call.end()
        else call.write(piece, write)
      }
      if (more === undefined) call.flushHeaders()
      else write()
      return Effect.sync(() => call.destroy())
    }))

/** So many pieces of a mebibyte. */
const mebibytes = (count: number) => {
  let left = count
  return () => left-- > 0 ? " ".repeat(1024 * 1024) : undefined
}

describe("The request log", () => {
  it("keeps the latest requests, and no more of them than a bound in bytes", () => {
    const requestLog = new RequestLog()
    const record = { at: 0, method: "POST", url: "/v1/klaytn", operation: "node.exchange", durationMillis: 1 }
    const rpcMethods = Array.from({ length: 1000 }, (_, index) => `${index}`.padStart(100, "m"))
    for (let index = 0; index < 500; index++) requestLog.add({ ...record, rpcMethods })
    const kept = requestLog.list({})
    const bytes = JSON.stringify(kept).length
    assert.isAbove(bytes, 7 * 1024 * 1024)
    assert.isBelow(bytes, 8 * 1024 * 1024 + 1024)
    assert.strictEqual(kept.at(-1)?.id, 500)
    assert.deepStrictEqual(kept.map(({ id }) => id), kept.map((_, index) => 501 - kept.length + index))
  })

  it("keeps ten thousand small ones", () => {
    const requestLog = new RequestLog()
    for (let index = 0; index < 10_010; index++) {
      requestLog.add({ at: 0, method: "GET", url: eoa, operation: "history.getTransfersByEoa", durationMillis: 1 })
    }
    assert.deepStrictEqual([requestLog.list({}).length, requestLog.list({})[0]?.id], [10_000, 11])
  })
})

const sandbox = Sandbox.layer({ seed: "gateway", clock: { start: 1_600_000_000, step: 1 } })

layer(sandbox, { excludeTestServices: true })("A web page", (it) => {
  it.effect("leaves nothing in the request log that it chose the size of", () =>
    Effect.gen(function*() {
      yield* control("DELETE", "/requests")
      const body = JSON.stringify(Array.from({ length: 5000 }, (_, id) => ({ method: `${id}`.padStart(80, "m") })))
      const { status } = yield* send("/v1/klaytn", {
        method: "POST",
        body,
        headers: { "content-type": "text/plain", "x-chain-id": "1001" }
      })
      assert.strictEqual(status, 401)
      const [record] = (yield* control("GET", "/requests")).body
      assert.deepInclude(record, { url: "/v1/klaytn", operation: "node.exchange", status: 401 })
      assert.isUndefined(record.rpcMethods)
    }))

  it.effect("of another site does not reach the service, whatever else it sends", () =>
    Effect.gen(function*() {
      const headers = yield* credential
      for (const origin of ["https://evil.example", "http://127.0.0.1.evil.example", "null", "http://localhost@evil"]) {
        const { body, status } = yield* ask("POST", "/v2/account", {}, { origin })
        assert.deepStrictEqual([status, body._tag], [403, "NotLocal"], origin)
      }
      const rebound = yield* raw("GET", eoa, { ...headers, host: "evil.example:8217" })
      assert.deepInclude(rebound, { status: 403 })
      const own = yield* get(eoa, { origin: "http://localhost:5173" })
      assert.strictEqual(own.status, 200)
    }))

  it.effect("does not reach the controls, also by a request that carries no Origin", () =>
    Effect.gen(function*() {
      for (const site of ["cross-site", "same-site"]) {
        const answer = yield* raw("GET", "/_sandbox/requests", { "sec-fetch-site": site, "sec-fetch-mode": "no-cors" })
        assert.deepInclude(answer, { status: 403 }, site)
      }
      for (const site of ["none", "same-origin"]) {
        assert.deepInclude(yield* raw("GET", "/_sandbox/requests", { "sec-fetch-site": site }), { status: 200 }, site)
      }
      assert.deepInclude(yield* raw("GET", "/_sandbox/requests", { host: "evil.example" }), { status: 403 })
    }))

  it.effect("gets no connection that stays open", () =>
    Effect.gen(function*() {
      const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-key": "eA==" }
      const answer = yield* raw("GET", "/v1/ws/open?chain-id=1001", upgrade, () => undefined)
      assert.deepInclude(answer, { status: 401 })
    }))
})

layer(sandbox, { excludeTestServices: true })("Whoever has no credential", (it) => {
  it.effect("is answered before a byte of the body has come", () =>
    Effect.gen(function*() {
      for (const path of ["/v1/klaytn", "/v2/tx/value"]) {
        const answer = yield* raw("POST", path, { "content-length": "400000", "content-type": "application/json" })
        assert.deepInclude(answer, { status: 401 }, path)
      }
    }))
})

layer(sandbox, { excludeTestServices: true })("A client with a credential", (it) => {
  it.effect("hears that its body is too large, with a length or without", () =>
    Effect.gen(function*() {
      const headers = { ...yield* credential, "content-type": "application/json" }
      const told = { status: 413, text: `content length too large (${11 * 1024 * 1024}>${10 * 1024 * 1024})\n` }
      const length = { "content-length": `${11 * 1024 * 1024}` }
      assert.deepStrictEqual(yield* raw("POST", "/v2/tx/value", { ...headers, ...length }, mebibytes(11)), told)
      assert.deepInclude(yield* raw("POST", "/v2/tx/value", headers, mebibytes(11)), { status: 413 })
      assert.deepInclude(yield* raw("POST", "/v1/klaytn", headers, mebibytes(1)), { status: 413 })
      const controls = yield* raw("POST", "/_sandbox/faults", {}, mebibytes(11))
      assert.deepInclude(controls, { status: 413 })
      assert.strictEqual((yield* get(eoa)).status, 200)
    }))

  it.effect("that never ends its body is cut off, and holds nothing", () =>
    Effect.gen(function*() {
      const headers = { ...yield* credential, "content-type": "application/json" }
      const piece = " ".repeat(1024 * 1024)
      const cut = yield* raw("POST", "/v2/tx/value", headers, () => piece)
      if (typeof cut === "string") assert.match(cut, /^(?:EPIPE|ECONNRESET)$/)
      else assert.strictEqual(cut.status, 413)
      assert.strictEqual((yield* get(eoa)).status, 200)
    }))

  it.effect("gets a readable answer to JSON of any depth", () =>
    Effect.gen(function*() {
      const deep = `${"[".repeat(250_000)}${"]".repeat(250_000)}`
      const wallet = yield* ask("POST", "/v2/tx/value", `{"to":${deep}}`)
      assert.deepStrictEqual([wallet.status, wallet.body.code], [400, 1061608])
      const { body, status } = yield* Effect.map(
        send("/_sandbox/chains/1001/fund", { method: "POST", body: `{"to":${deep}}` }),
        ({ status, text }) => ({ status, body: JSON.parse(text) })
      )
      assert.deepStrictEqual([status, body._tag], [400, "InvalidControl"])
      assert.include(body.message, "64 levels deep")
      for (const depth of [9_000, 100_000]) {
        const params = `${"[".repeat(depth)}1.5${"]".repeat(depth)}`
        const { status, text } = yield* Rpc.post(`{"id":1,"method":"klay_getBalance","params":${params}}`)
        assert.deepStrictEqual([status, Number.isInteger(JSON.parse(text).error.code)], [200, true], `${depth}`)
      }
    }))

  it.effect("whose batch would fill the memory gets a part of it", () =>
    Effect.gen(function*() {
      const { control: own } = yield* Sandbox.Sandbox
      yield* own.chain(1001).deploy({ kind: "ft", from: "alice", name: "Apple", symbol: "APL", decimals: 2 })
      const block = JSON.stringify({ id: 1, method: "klay_getBlockByNumber", params: ["latest", true] })
      const calls = Array.from({ length: 5000 }, () => block)
      const text = yield* Rpc.text(`[${calls.join(",")}]`)
      const answers: ReadonlyArray<{ readonly error?: unknown }> = JSON.parse(text)
      assert.strictEqual(answers.length, 5000)
      assert.deepStrictEqual(answers.at(-1)?.error, { code: -32003, message: "response too large" })
      assert.isBelow(text.length, 26_000_000)
    }))

  it.effect("finds the node under its one path", () =>
    Effect.gen(function*() {
      const body = `{"id":1,"method":"net_version"}`
      for (const path of ["/v1/klaytn", "/v1/klaytn/", "/v1/klaytn?a=b", "/v1/klaytn/klay/block/blockNumber"]) {
        assert.strictEqual((yield* Rpc.post(body, {}, path)).text, `{"jsonrpc":"2.0","id":1,"result":"1001"}`, path)
      }
      for (const path of ["/v1/klaytn/v1/klaytn", "/v1/klaytn/klay/v1/klaytn", "/v1/klaytn//", "/V1/klaytn"]) {
        const { text } = yield* Rpc.post(body, {}, path)
        assert.deepInclude(JSON.parse(text), { code: 1010007, message: "invalid path or method" }, path)
      }
    }))
})

layer(sandbox, { excludeTestServices: true })("Requests and faults", (it) => {
  it.effect("are listed page by page, the latest first", () =>
    Effect.gen(function*() {
      yield* control("DELETE", "/requests")
      for (let index = 0; index < 5; index++) yield* get(eoa)
      const latest = (yield* control("GET", "/requests?limit=2")).body
      assert.strictEqual(latest.length, 2)
      const rest = (yield* control("GET", `/requests?before=${latest[0].id}&limit=10`)).body
      assert.deepStrictEqual(
        [...rest, ...latest].map(({ id }: { readonly id: number }) => id),
        [4, 3, 2, 1, 0].map((back) => latest[1].id - back)
      )
      assert.deepStrictEqual((yield* control("GET", "/requests?limit=0")).body, [])
    }))

  it.effect("take the word that the clients' spans, metrics and errors have for an operation", () =>
    Effect.gen(function*() {
      const words = [
        ["history.getTransfersByEoa", get(eoa)],
        ["getTransfersByEoa", get(eoa)],
        ["wallet.getAccounts", get("/v2/account")],
        ["tokens.getFtContracts", get("/v2/contract/ft")],
        ["resource.getResources", get("/v1/resource/account/x")],
        ["node.klay_blockNumber", Rpc.post(`{"id":1,"method":"klay_blockNumber"}`)],
        ["klay_blockNumber", Rpc.post(`{"id":1,"method":"klay_blockNumber"}`)],
        ["node.exchange", Rpc.post(`{"id":1,"method":"klay_blockNumber"}`)]
      ] as const
      for (const [operation, request] of words) {
        const added = yield* control("POST", "/faults", { operation, action: { kind: "answer", status: 418 } })
        assert.strictEqual(added.status, 200, `${operation} ${JSON.stringify(added.body)}`)
        assert.strictEqual((yield* request).status, 418, operation)
        yield* control("DELETE", "/requests")
        yield* request
        assert.strictEqual((yield* control("GET", `/requests?operation=${operation}`)).body.length, 1, operation)
      }
      const wrong = yield* control("POST", "/faults", {
        operation: "history.sendValue",
        action: { kind: "answer", status: 418 }
      })
      assert.strictEqual(wrong.status, 400)
      assert.include(wrong.body.message, "wallet.sendValue")
    }))
})
