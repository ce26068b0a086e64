import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { request } from "node:http"
import * as Sandbox from "../src/Sandbox.js"
import { basic, control, get } from "./support/wire.js"

const eoa = "/v2/transfer/account/0x1111111111111111111111111111111111111111"
const hash = `/v2/transfer/tx/0x${"ab".repeat(32)}`

/** A request whose connection may die: the status, or the code of the error. */
const raw = (path: string): Effect.Effect<number | string, never, Sandbox.Sandbox> =>
  Effect.flatMap(Sandbox.Sandbox, ({ accessKeyId, secretAccessKey, url }) =>
    Effect.async((resume) => {
      const headers = { authorization: basic(accessKeyId, Redacted.value(secretAccessKey)), "x-chain-id": "1001" }
      const call = request(`${url}${path}`, { headers, agent: false }, (response) => {
        response.resume().on("end", () => resume(Effect.succeed(response.statusCode ?? 0)))
      })
      call.on("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(error.code ?? error.message)))
      call.end()
      return Effect.sync(() => call.destroy())
    }))

layer(Sandbox.layer({ seed: "faults" }), { excludeTestServices: true })("A fault", (it) => {
  it.effect("answers in the service's place as often as it says, with the header and body it says", () =>
    Effect.gen(function*() {
      yield* control("POST", "/faults", { times: 2, action: { kind: "answer", status: 503, retryAfter: "7" } })
      yield* control("POST", "/faults", {
        action: { kind: "answer", status: 429, code: 1010099, message: "slow down" }
      })
      yield* control("POST", "/faults", { action: { kind: "answer", status: 502, body: "<h1>Bad Gateway</h1>" } })
      const answers = []
      for (let i = 0; i < 5; i++) answers.push(yield* get(eoa))
      assert.deepStrictEqual(answers.map(({ status }) => status), [503, 503, 429, 502, 200])
      assert.deepStrictEqual(answers.map(({ headers }) => headers.get("retry-after")), ["7", "7", null, null, null])
      assert.deepInclude(JSON.parse(answers[2]?.text ?? ""), { code: 1010099, message: "slow down" })
      assert.deepStrictEqual([answers[0]?.text, answers[3]?.text], ["", "<h1>Bad Gateway</h1>"])
    }))

  it.effect("is applied to its operation and chain only", () =>
    Effect.gen(function*() {
      const action = { kind: "answer", status: 500 }
      yield* control("POST", "/faults", { operation: "history.getTransfersByTxHash", chainId: 8217, action })
      assert.strictEqual((yield* get(eoa)).status, 200)
      assert.strictEqual((yield* get(hash)).status, 200)
      assert.strictEqual((yield* get(hash, { "x-chain-id": "8217" })).status, 500)
      assert.strictEqual((yield* get(hash, { "x-chain-id": "8217" })).status, 200)
    }))

  it.effect("cuts the connection", () =>
    Effect.gen(function*() {
      yield* control("POST", "/faults", { action: { kind: "drop", when: "before" } })
      yield* control("POST", "/faults", { action: { kind: "drop", when: "after" } })
      assert.deepStrictEqual([yield* raw(eoa), yield* raw(eoa), yield* raw(eoa)], ["ECONNRESET", "ECONNRESET", 200])
    }))

  it.effect("holds an answer back for some time, and a client that gives up is in the request log without a status", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox.Sandbox
      yield* sandbox.control.addFault({ action: { kind: "delay", milliseconds: 30 } })
      yield* control("DELETE", "/requests")
      assert.strictEqual(yield* raw(eoa), 200)
      const [slow] = yield* sandbox.control.requests()
      assert.isAtLeast(slow?.durationMillis ?? 0, 29)
      yield* sandbox.control.clearRequests
      yield* sandbox.control.addFault({ action: { kind: "delay", milliseconds: 600_000 } })
      const waiting = yield* Effect.fork(raw(eoa))
      yield* Effect.repeat(Effect.zipRight(Effect.yieldNow(), sandbox.control.faults), {
        until: (faults) => faults.length === 0
      })
      yield* Fiber.interrupt(waiting)
      const requests = yield* Effect.repeat(control("GET", "/requests"), { until: ({ body }) => body.length > 0 })
      assert.deepInclude(requests.body[0], { method: "GET", operation: "history.getTransfersByEoa" })
      assert.notProperty(requests.body[0], "status")
    }))

  it.effect("can be listed and taken away", () =>
    Effect.gen(function*() {
      const { body: one } = yield* control("POST", "/faults", { times: 3, action: { kind: "drop", when: "before" } })
      const { body: two } = yield* control("POST", "/faults", { action: { kind: "delay", milliseconds: 1 } })
      assert.deepStrictEqual((yield* control("GET", "/faults")).body, [one, two])
      assert.deepInclude(one, { times: 3, left: 3 })
      assert.strictEqual((yield* control("DELETE", `/faults/${one.id}`)).status, 204)
      assert.strictEqual((yield* control("DELETE", `/faults/${one.id}`)).status, 404)
      assert.strictEqual((yield* control("DELETE", "/faults")).status, 204)
      assert.deepStrictEqual((yield* control("GET", "/faults")).body, [])
    }))

  it.effect("for an operation that is not served is refused", () =>
    Effect.gen(function*() {
      const { body, status } = yield* control("POST", "/faults", {
        operation: "getTransfer",
        action: { kind: "drop", when: "before" }
      })
      assert.strictEqual(status, 400)
      assert.strictEqual(body._tag, "InvalidControl")
      const [, names = ""] = /^no operation is named "getTransfer"; there are: (.*)$/.exec(body.message) ?? []
      const operations = names.split(", ")
      assert.strictEqual(new Set(operations).size, operations.length)
      for (const name of ["history.getTransfers", "tokens.getNftById", "wallet.fdUserSendRlp", "node.exchange"]) {
        assert.include(operations, name)
      }
    }))
})

layer(Sandbox.layer({ seed: "request log" }), { excludeTestServices: true })("The request log", (it) => {
  it.effect("has every request to the service in order, and none to the controls", () =>
    Effect.gen(function*() {
      yield* get(`${eoa}?size=1`)
      yield* get("/nowhere", { "x-chain-id": undefined })
      yield* control("GET", "/health")
      yield* get(hash, { "x-chain-id": "8217", authorization: "Basic c2VjcmV0OnNlY3JldA==" })
      const { body } = yield* control("GET", "/requests")
      const facts = body.map(({ at: _, durationMillis, ...record }: { at: number; durationMillis: number }) => {
        assert.isAtLeast(durationMillis, 0)
        return record
      })
      assert.deepStrictEqual(facts, [
        {
          id: 1,
          method: "GET",
          url: `${eoa}?size=1`,
          operation: "history.getTransfersByEoa",
          route: "/v2/transfer/account/:address",
          chainId: 1001,
          status: 200
        },
        { id: 2, method: "GET", url: "/nowhere", status: 400 },
        {
          id: 3,
          method: "GET",
          url: hash,
          operation: "history.getTransfersByTxHash",
          route: "/v2/transfer/tx/:hash",
          chainId: 8217,
          status: 401
        }
      ])
      assert.notInclude(JSON.stringify(body), "c2VjcmV0")
      const ids = (query: string) =>
        Effect.map(control("GET", `/requests?${query}`), (answer) => answer.body.map(({ id }: { id: number }) => id))
      assert.deepStrictEqual(yield* ids("status=400"), [2])
      assert.deepStrictEqual(yield* ids("operation=getTransfersByEoa&chainId=1001&method=GET"), [1])
      assert.deepStrictEqual(yield* ids("method=POST"), [])
      yield* control("DELETE", "/requests")
      assert.deepStrictEqual(yield* ids(""), [])
    }))
})
