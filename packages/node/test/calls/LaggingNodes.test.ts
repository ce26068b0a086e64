import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { accountMethods } from "../../src/AccountMethods.js"
import * as Node from "../support/node.js"

const account = "0x3333333333333333333333333333333333333333"
const balance = { result: "0x5" }
const head = { result: "0x1b4" }

/** Makes a client of a node that answers its calls in this order, and runs a program with it while the time passes. */
const answers = (list: ReadonlyArray<object>) => {
  const left = [...list]
  return Testing.wire(Node.node(() => (left.length > 1 ? left.shift() : left[0]) ?? {}))
}

const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.fork(effect)
    yield* TestClock.adjust("1 minute")
    return yield* Fiber.join(fiber)
  })

const lagging = [
  [-32000, "header not found"],
  [-32000, "unknown block"],
  [-32001, "block not found: 0x1b4"],
  [-32000, "the block does not exist (block number: 436)"],
  [-32603, "Internal error"],
  [-32016, "upstream request timeout"],
  [-32000, "request timed out"]
] as const

describe("a node that lags behind the one that reported a block", () => {
  it.effect.each(lagging)("%s %s is asked again", ([code, message]) =>
    Effect.gen(function*() {
      const wire = answers([head, { error: { code, message } }, { error: { code, message } }, balance])
      const node = yield* Node.make(wire)
      yield* node.klay.blockNumber()
      assert.strictEqual(yield* inTime(node.klay.getBalance(account, 0x1b4n)), 5n)
      assert.strictEqual(wire.sent.length, 4)
    }))

  it.effect.each(lagging)("%s %s to a call of a list is asked again", ([code, message]) =>
    Effect.gen(function*() {
      const wire = answers([head, { error: { code, message } }, balance])
      const node = yield* Node.make(wire)
      yield* node.klay.blockNumber()
      const found = yield* inTime(node.runEach(accountMethods.getBalance, [[account, 0x1b4n]]))
      assert.deepStrictEqual(found.map((one) => Either.isRight(one) ? `${one.right}` : one.left._tag), ["5"])
    }))

  it.effect("ends with the node's error and a hint when the policy ends", () =>
    Effect.gen(function*() {
      const wire = answers([head, { error: { code: -32000, message: "header not found" } }])
      const node = yield* Node.make(wire)
      yield* node.klay.blockNumber()
      const error = yield* inTime(Effect.flip(node.klay.getBalance(account, 0x1b4n)))
      assert.strictEqual(error._tag, "BlockNotFound")
      assert.include(error.message, "this client has seen block 436")
      assert.strictEqual(wire.sent.length, 1 + RetryPolicy.defaultPolicy.attempts)
    }))

  it.effect("gets the time of a block to catch up, within the policy's longest wait", () =>
    Effect.gen(function*() {
      const wire = answers([head, { error: { code: -32000, message: "header not found" } }, balance])
      const node = yield* Node.make(wire)
      yield* node.klay.blockNumber()
      const patient = yield* Effect.fork(node.klay.getBalance(account, 0x1b4n))
      yield* TestClock.adjust("999 millis")
      assert.strictEqual(wire.sent.length, 2)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(patient), 5n)

      const other = answers([head, { error: { code: -32000, message: "header not found" } }, balance])
      const hasty = yield* Node.make(other, { config: { retry: RetryPolicy.make({ maxDelay: "10 millis" }) } })
      yield* hasty.klay.blockNumber()
      const fiber = yield* Effect.fork(hasty.klay.getBalance(account, 0x1b4n))
      yield* TestClock.adjust("10 millis")
      assert.strictEqual(yield* Fiber.join(fiber), 5n)
    }))

  it.effect("is asked again for a block that it answers with null", () =>
    Effect.gen(function*() {
      const wire = answers([head, { result: null }, { result: "0x2" }])
      const node = yield* Node.make(wire)
      yield* node.klay.blockNumber()
      assert.deepStrictEqual(yield* inTime(node.klay.getBlockTransactionCountByNumber(0x1b4n)), Option.some(2n))
    }))

  it.effect("is believed about a block that nobody reported", () =>
    Effect.gen(function*() {
      const wire = answers([head, { error: { code: -32000, message: "header not found" } }])
      const node = yield* Node.make(wire)
      yield* node.klay.blockNumber()
      const error = yield* Effect.flip(node.klay.getBalance(account, 0x1b5n))
      assert.strictEqual(error._tag, "BlockNotFound")
      assert.notInclude(error.message, "lag")
      assert.strictEqual(wire.sent.length, 2)
    }))

  it.effect("is believed about a state that it pruned", () =>
    Effect.gen(function*() {
      const wire = answers([head, { error: { code: -32000, message: "missing trie node 9f (path )" } }])
      const node = yield* Node.make(wire)
      yield* node.klay.blockNumber()
      const error = yield* Effect.flip(node.klay.getBalance(account, 0x1n))
      assert.strictEqual(error._tag, "StatePruned")
      assert.strictEqual(wire.sent.length, 2)
    }))

  it.effect("is not asked twice to send a transaction", () =>
    Effect.gen(function*() {
      const wire = answers([head, { error: { code: -32603, message: "Internal error" } }])
      const node = yield* Node.make(wire)
      yield* node.klay.blockNumber()
      yield* Effect.flip(node.call("klay_sendTransaction", [{}], Schema.Unknown))
      assert.strictEqual(wire.sent.length, 2)
    }))
})
