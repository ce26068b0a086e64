import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { duplicates, type Fault, faults, make } from "../../../drills/sandbox/faultProxy.js"
import { serve } from "../../core/test/support/loopback.js"

const late = 400

/** What a caller sees of a request until it is told to give up. */
const seen = (url: string, patience: AbortSignal) =>
  Effect.promise(async () => {
    try {
      const response = await fetch(`${url}/v2/tx/value?x=1`, {
        method: "POST",
        redirect: "manual",
        body: "{\"value\":\"0x1\"}",
        signal: patience
      })
      return `${response.status} ${await response.text()}`
    } catch (error) {
      return error instanceof DOMException ? "nothing" : "broken"
    }
  })

const expected: Readonly<Record<Fault | "none", readonly [seen: string, acted: number]>> = {
  none: ["200 done", 1],
  "cut before": ["broken", 0],
  "cut in the request": ["broken", 0],
  "cut after": ["broken", 1],
  "cut in the answer": ["broken", 1],
  "late before": ["nothing", 1],
  "late after": ["nothing", 1],
  "502 before": ["502 <html>proxy</html>", 0],
  "502 after": ["502 <html>proxy</html>", 1],
  "504 before": ["504 <html>proxy</html>", 0],
  "504 after": ["504 <html>proxy</html>", 1],
  "429 before": ["429 <html>proxy</html>", 0],
  "503 before": ["503 <html>proxy</html>", 0],
  "503 after": ["503 <html>proxy</html>", 1],
  "swallowed before": ["nothing", 0],
  "swallowed after": ["nothing", 1],
  "garbled after": ["200 <html>proxy</html>", 1],
  "301 after": ["301 <html>proxy</html>", 1],
  "302 after": ["302 <html>proxy</html>", 1],
  "307 after": ["307 <html>proxy</html>", 1],
  "308 after": ["308 <html>proxy</html>", 1],
  "401 after": ["401 <html>proxy</html>", 1],
  "403 after": ["403 <html>proxy</html>", 1],
  "404 after": ["404 <html>proxy</html>", 1],
  // The first request has nobody else's answer to get, and none of before.
  "answer of another before": ["200 done", 1],
  "answer of another after": ["200 done", 1],
  "older answer": ["200 done", 1],
  "twice, first answer": ["200 done", 2],
  "twice, last answer": ["200 done", 2],
  "twice at once": ["200 done", 2],
  "again later": ["200 done", 2],
  "after a later one": ["200 done", 1],
  "denied after": [
    "400 {\"code\":1065001,\"message\":\"failed to send a raw transaction to klaytn node; " +
    "-32000::insufficient funds for gas * price + value\"}",
    1
  ]
}

describe("the fault proxy", () => {
  it.scopedLive.each([...faults, ...duplicates, "none"] as const)(
    "does what it is told: %s",
    (fate) =>
      Effect.gen(function*() {
        const service = yield* serve((_, response) => response.end("done"))
        const patience = new AbortController()
        const proxy = yield* make({
          target: service.url,
          late,
          decide: () => {
            // From the moment the request is there: on a busy machine the way takes longer than a late answer. What is no late
            // answer has more time.
            setTimeout(() => patience.abort(), expected[fate][0] === "nothing" ? late / 2 : 10_000).unref()
            return fate
          }
        })
        const told = yield* seen(proxy.url, patience.signal)
        yield* proxy.drained
        assert.deepStrictEqual([told, service.requests.length], [...expected[fate]])
        assert.deepStrictEqual([...proxy.counts], [[fate, 1]])
        for (const one of service.requests) {
          assert.deepStrictEqual(one, { method: "POST", path: "/v2/tx/value?x=1", body: "{\"value\":\"0x1\"}" })
        }
      })
  )

  it.scopedLive.each<readonly [fate: Fault | "none", told: ReadonlyArray<string>, acted: number]>([
    ["none", ["1", "2", "3", "4"], 4],
    ["answer of another before", ["1", "1", "1", "1"], 1],
    ["answer of another after", ["1", "1", "1", "2"], 4],
    ["older answer", ["1", "2", "1", "2"], 4],
    ["twice, first answer", ["1", "3", "5", "7"], 8],
    ["twice, last answer", ["2", "4", "6", "8"], 8]
  ])("gives the answers of other requests when told: %s", ([fate, told, acted]) =>
    Effect.gen(function*() {
      let made = 0
      const service = yield* serve((_, response) => response.end(String(++made)))
      const proxy = yield* make({ target: service.url, late, decide: () => fate })
      const ask = (body: string) =>
        Effect.promise(async () => (await fetch(`${proxy.url}/v2/tx/value`, { method: "POST", body })).text())
      assert.deepStrictEqual(yield* Effect.forEach(["a", "b", "a", "b"], ask), [...told])
      assert.strictEqual(service.requests.length, acted)
    }))

  it.scopedLive("gives older answers to the same question only, and tells of those that differ from today's", () =>
    Effect.gen(function*() {
      let made = 0
      const service = yield* serve((request, response) =>
        response.end(request.url === "/changes" ? String(++made) : String(request.url))
      )
      const told: Array<string> = []
      const proxy = yield* make({
        target: service.url,
        late,
        decide: () => "older answer",
        onFault: (headers, fault) => void told.push(`${headers["x-name"]} ${fault}`)
      })
      const ask = (path: string, name: string) =>
        Effect.promise(async () => (await fetch(`${proxy.url}${path}`, { headers: { "x-name": name } })).text())
      const paths = ["/changes", "/a", "/b", "/a", "/changes"]
      const answers = yield* Effect.forEach(paths, (path, index) => ask(path, String(index)))
      assert.deepStrictEqual(answers, ["1", "/a", "/b", "/a", "1"])
      assert.deepStrictEqual(told, ["4 older answer"])
    }))

  it.scopedLive("delivers a request after a later one, and again after its answer", () =>
    Effect.gen(function*() {
      const service = yield* serve((_, response) => response.end("done"))
      const fates = new Map<string, Fault>([["1", "after a later one"], ["3", "again later"]])
      const proxy = yield* make({ target: service.url, late: 5000, decide: ({ body }) => fates.get(body) ?? "none" })
      const ask = (body: string) =>
        Effect.promise(async () => (await fetch(`${proxy.url}/v2/tx/value`, { method: "POST", body })).text())
      const held = yield* Effect.fork(ask("1"))
      while (!proxy.counts.has("after a later one")) yield* Effect.promise(() => new Promise(setImmediate))
      yield* ask("2")
      yield* Fiber.join(held)
      assert.deepStrictEqual(service.requests.map(({ body }) => body), ["2", "1"])
      yield* ask("3")
      assert.strictEqual(service.requests.length, 3)
      yield* proxy.drained
      assert.deepStrictEqual(service.requests.map(({ body }) => body), ["2", "1", "3", "3"])
    }), 30_000)

  it.scopedLive("denies a call of a node with an error in an envelope of its own ID", () =>
    Effect.gen(function*() {
      const service = yield* serve((_, response) => response.end("done"))
      const proxy = yield* make({ target: service.url, late, decide: () => "denied after" })
      const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "klay_sendRawTransaction", params: [] })
      const told = yield* Effect.promise(async () =>
        (await fetch(`${proxy.url}/node/v1/klaytn`, { method: "POST", body })).json()
      )
      const error = { code: -32000, message: "insufficient funds for gas * price + value" }
      assert.deepStrictEqual([told, service.requests.length], [{ jsonrpc: "2.0", id: 7, error }, 1])
    }))
})
