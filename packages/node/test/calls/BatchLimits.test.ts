import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Client from "../../../core/test/support/client.js"
import type * as KlaytnNode from "../../src/KlaytnNode.js"
import * as Method from "../../src/Method.js"
import * as Param from "../../src/Param.js"
import * as Node from "../support/node.js"

const echo = Method.make({
  namespace: "klay",
  name: "echo",
  safety: "safe",
  params: (n: number) => [Param.height("n", n)],
  result: Schema.Unknown
})

const answered = (request: Node.Request) => ({ jsonrpc: "2.0", id: request.id, result: request.params[0] })

/** How nodes and providers refuse a request of too many calls. */
const forms: ReadonlyArray<readonly [name: string, refuse: Testing.Step]> = [
  ["413", Testing.text(413, "too large")],
  ["400, text", Testing.text(400, "batch too large")],
  ["400, JSON-RPC error", Testing.json(400, { jsonrpc: "2.0", id: null, error: { code: -32600, message: "no" } })],
  ["200, one error", Testing.json(200, { jsonrpc: "2.0", id: null, error: { code: -32600, message: "batch limit" } })],
  [
    "200, a list of one error",
    Testing.json(200, [{ jsonrpc: "2.0", id: null, error: { code: -32000, message: "no" } }])
  ],
  ["429, JSON-RPC error", Testing.json(429, { jsonrpc: "2.0", id: null, error: { code: -32005, message: "limit" } })],
  ["500, text", Testing.text(500, "oops")],
  ["503, text", Testing.text(503, "")],
  ["200, the same error for each call", Node.node(() => ({ error: { code: -32000, message: "batch too large" } }))],
  ["200, throttled for each call", Node.node(() => ({ error: { code: -32005, message: "limit exceeded" } }))],
  ["200, an error for the first call alone", (sent) =>
    Testing.json(200, [{
      jsonrpc: "2.0",
      id: Node.requestsIn(sent)[0]?.id,
      error: { code: -32600, message: "batch too large" }
    }])(sent)],
  ["a broken connection", Testing.broken(Testing.networkError("ECONNRESET"))],
  ["405", Testing.text(405, "")],
  ["501", Testing.text(501, "")]
]

const upTo = (most: number, refuse: Testing.Step): Testing.Step => (sent) => {
  const requests = Node.requestsIn(sent)
  if (requests.length > most) return refuse(sent)
  return Testing.json(200, sent.body?.startsWith("[") === true ? requests.map(answered) : requests.map(answered)[0])(
    sent
  )
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)
const hex = (n: number): string => `0x${n.toString(16)}`

const list = (node: KlaytnNode.Service, count: number, from = 0) =>
  Effect.map(
    Client.within("10 minutes")(node.runEach(echo, numbers(count).map((n) => [n + from] as const))),
    (outcomes) => outcomes.map(Either.getOrElse((error) => error._tag))
  )

const fibers = (node: KlaytnNode.Service, count: number, from = 0) =>
  Client.within("10 minutes")(
    Effect.forEach(
      numbers(count),
      (n) =>
        Effect.merge(
          Effect.mapError(
            node.call("x_echo", [hex(n + from)], Schema.Unknown, { safety: "safe" }),
            (error): unknown => error._tag
          )
        ),
      { concurrency: "unbounded" }
    )
  )

const ways = [["a list", list], ["fibers", fibers]] as const

describe("a node that takes 100 calls a request", () => {
  for (const [way, run] of ways) {
    it.effect.each(forms)(
      `and says by %s answers all calls of ${way}, and the limit is remembered`,
      ([, refuse]) =>
        Effect.gen(function*() {
          const wire = Testing.wire(upTo(way === "fibers" ? 30 : 100, refuse))
          const node = yield* Node.make(wire)
          assert.deepStrictEqual(yield* run(node, 300), numbers(300).map(hex))
          const first = wire.sent.length
          assert.isAtMost(first, way === "fibers" ? 40 : 20)
          assert.deepStrictEqual(yield* run(node, 300, 1000), numbers(300).map((n) => hex(n + 1000)))
          // At least half of the limit, so at most twice the least possible.
          const least = way === "fibers" ? 10 : 3
          assert.isAtMost(wire.sent.length - first, 2 * least)
          const { bytes, calls } = yield* node.batchLimits
          assert.isTrue(bytes !== undefined || calls !== undefined)
        })
    )
  }
})

describe("a node whose answer has room for 50 calls", () => {
  it.effect("answers all calls, the first 50 of each request at once", () =>
    Effect.gen(function*() {
      const tooLarge = { code: -32003, message: "response too large" }
      const wire = Testing.wire((sent) =>
        Testing.json(
          200,
          Node.requestsIn(sent).map((request, at) =>
            at < 50 ? answered(request) : { jsonrpc: "2.0", id: request.id, error: tooLarge }
          )
        )(sent)
      )
      const node = yield* Node.make(wire)
      assert.deepStrictEqual(yield* list(node, 300), numbers(300).map(hex))
      assert.isAtMost(wire.sent.length, 8)
      assert.deepStrictEqual(yield* list(node, 300, 1000), numbers(300).map((n) => hex(n + 1000)))
      assert.isAtMost(wire.sent.length, 16)
    }))
})

describe("a node that takes a single call a request", () => {
  it.effect.each(forms)("and says by %s answers all calls", ([, refuse]) =>
    Effect.gen(function*() {
      const node = yield* Node.make(Testing.wire(upTo(1, refuse)))
      assert.deepStrictEqual(yield* list(node, 9), numbers(9).map(hex))
      assert.deepStrictEqual(yield* fibers(node, 9, 20), numbers(9).map((n) => hex(n + 20)))
    }))
})

describe("a refusal that is not about the number of calls", () => {
  it.effect.each(forms)(
    "such as %s for any request, fails all calls after a few requests",
    ([, refuse]) =>
      Effect.gen(function*() {
        const wire = Testing.wire(upTo(0, refuse))
        const node = yield* Node.make(wire)
        const outcomes = yield* list(node, 256)
        assert.isTrue(outcomes.every((outcome) => typeof outcome === "string" && !outcome.startsWith("0x")))
        assert.isAtMost(wire.sent.length, 24)
        assert.deepStrictEqual(yield* node.batchLimits, { calls: undefined, bytes: undefined })
      })
  )

  it.effect("teaches nothing by a call that works alone once an outage is over", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(502, "bad gateway"), upTo(1000, Testing.text(500, "")))
      const node = yield* Node.make(wire, { config: { retry: RetryPolicy.none } })
      assert.deepStrictEqual(yield* list(node, 3), numbers(3).map(hex))
      assert.deepStrictEqual(yield* node.batchLimits, { calls: undefined, bytes: undefined })
    }))

  it.effect.each([401, 402, 403, 404])("such as %i is not asked again in parts", (status) =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(status, "no"))
      const node = yield* Node.make(wire)
      yield* list(node, 10)
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("fails alone if it is about one call, and the others are answered", () =>
    Effect.gen(function*() {
      const wire = Testing.wire((sent) => {
        const isPoisoned = Node.requestsIn(sent).some(({ params }) => params[0] === "0x5")
        return (isPoisoned ? Testing.text(400, "cannot parse") : upTo(1000, Testing.text(500, "")))(sent)
      })
      const node = yield* Node.make(wire)
      const outcomes = yield* list(node, 16)
      assert.deepStrictEqual(outcomes, numbers(16).map((n) => n === 5 ? "Rejected" : hex(n)))
      assert.deepStrictEqual(yield* node.batchLimits, { calls: undefined, bytes: undefined }, "and nothing is learned")
    }))

  it.effect("never splits calls that must not be sent twice", () =>
    Effect.gen(function*() {
      for (const [, refuse] of forms) {
        const wire = Testing.wire(upTo(1, refuse))
        const node = yield* Node.make(wire, { config: { retry: RetryPolicy.none } })
        yield* Effect.all(
          [1, 2].map((n) => Effect.flip(node.call("x_echo", [hex(n)], Schema.Unknown, { safety: "once" }))),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(wire.sent.length, 1)
      }
    }))
})

describe("a learned limit", () => {
  it.effect("grows again slowly, and stops where the node refuses", () =>
    Effect.gen(function*() {
      let most = 10
      const wire = Testing.wire((sent) => upTo(most, Testing.text(400, "batch too large"))(sent))
      const node = yield* Node.make(wire)
      yield* list(node, 80)
      assert.isAtMost((yield* node.batchLimits).calls ?? 0, 10)
      most = 1000
      for (let round = 0; round < 60; round++) yield* list(node, 300)
      assert.isAtLeast((yield* node.batchLimits).calls ?? 0, 20)
    }))
})
