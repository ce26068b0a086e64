import * as Deadline from "@effect-klaytn/core/Deadline"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as Eip1193 from "../../src/Eip1193.js"
import { KlaytnNode } from "../../src/KlaytnNode.js"
import { valueTransfer } from "../golden/vectors.js"
import * as Node from "../support/node.js"

const provider = (wire: Testing.Wire, settings: Node.Settings = {}) =>
  Effect.flatMap(Node.make(wire, settings), (node) => Effect.provideService(Eip1193.make, KlaytnNode, node))

const rejected = (promise: Promise<unknown>) =>
  Effect.promise(() =>
    promise.then(
      () => assert.fail("it was answered"),
      (error: unknown) => error instanceof Eip1193.ProviderError ? error : assert.fail("another error")
    )
  )

const once: Node.Settings = { config: { retry: RetryPolicy.none } }

describe("a provider", () => {
  it.effect("answers what the node wrote, and calls made together share a request", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(
        Node.node(({ method }) => ({ result: method === "eth_chainId" ? "0x3e9" : { number: "0x1" } }))
      )
      const { request } = yield* provider(wire)
      const answers = yield* Effect.promise(() =>
        Promise.all([
          request({ method: "eth_chainId" }),
          request({ method: "eth_getBlockByNumber", params: ["latest", false] })
        ])
      )
      assert.deepStrictEqual(answers, ["0x3e9", { number: "0x1" }])
      assert.deepStrictEqual(Node.methods(wire), [["eth_chainId", "eth_getBlockByNumber"]])
    }))

  it.effect("rejects with the node's code, words and data", () =>
    Effect.gen(function*() {
      const error = { code: 3, message: "execution reverted", data: "0x08c379a0" }
      const { request } = yield* provider(Testing.wire(Node.node(() => ({ error }))))
      const { cause, code, data, message } = yield* rejected(request({ method: "eth_call", params: [{}, "latest"] }))
      assert.deepStrictEqual({ code, data, message }, error)
      assert.strictEqual((cause as { readonly _tag: string })._tag, "ExecutionReverted")
    }))

  it.effect.each<readonly [name: string, answer: Testing.Step, code: number]>([
    ["a credential that is not accepted", Testing.json(401, { code: 1010009 }), 4100],
    ["a node that can't serve", Testing.text(503, "timeout"), 4900],
    ["a node that can't be reached", Testing.broken(Testing.networkError("ECONNREFUSED")), 4900],
    ["a refusal", Testing.json(400, { code: 1010007 }), -32603],
    ["too many calls", Testing.text(429, ""), -32005],
    ["an answer that is none", Node.body("<html>"), -32603]
  ])("has a code for %s", ([, answer, code]) =>
    Effect.gen(function*() {
      const { request } = yield* provider(Testing.wire(answer), once)
      assert.strictEqual((yield* rejected(request({ method: "eth_blockNumber" }))).code, code)
    }))

  it.effect("refuses parameters by name, and those that are no JSON", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const { request } = yield* provider(wire)
      assert.strictEqual((yield* rejected(request({ method: "eth_call", params: {} }))).code, -32602)
      assert.strictEqual((yield* rejected(request({ method: "eth_call", params: [1n] }))).code, -32602)
      assert.deepStrictEqual(wire.sent, [])
    }))

  it.effect("tells the truth about a raw transaction", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.node(({ method }) =>
        method === "eth_sendRawTransaction" ? { error: { code: -32000, message: "nonce too low" } } : {
          result: { hash: valueTransfer.hash }
        }
      ))
      const { request } = yield* provider(wire)
      const answer = yield* Effect.promise(() =>
        request({ method: "eth_sendRawTransaction", params: [valueTransfer.raw] })
      )
      assert.strictEqual(answer, valueTransfer.hash)
    }))

  it.effect("outlives a deadline that was in force when it was made", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.node(() => ({ result: "0x1" })))
      const { request } = yield* Deadline.withDeadline(provider(wire), "1 second")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Effect.promise(() => request({ method: "eth_chainId" })), "0x1")
    }))

  it.effect("never repeats a method that it does not know", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(503, ""))
      const { request } = yield* provider(wire)
      yield* rejected(request({ method: "x_teleport" }))
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("releases a caller whose signal says so", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.silence)
      const { request } = yield* provider(wire)
      const controller = new AbortController()
      const answer = request({ method: "eth_blockNumber" }, { signal: controller.signal })
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      controller.abort()
      assert.include((yield* rejected(answer)).message, "interrupted")
    }))
})
