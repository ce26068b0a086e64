import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Confirmation from "../../src/Confirmation.js"
import * as records from "../golden/records.js"
import { hash } from "../golden/row.js"
import * as TestNode from "../support/testNode.js"

const receipt = records.receipt(records.transfer)

describe("waiting for a receipt", () => {
  it.effect("asks once a second until there is one", () =>
    Effect.gen(function*() {
      let left = 3
      const node = TestNode.make({ klay_getTransactionReceipt: () => left-- > 0 ? TestNode.none : receipt })
      const fiber = yield* Effect.fork(Confirmation.waitForReceipt(hash).pipe(Effect.provide(node.layer)))
      yield* TestClock.adjust("2999 millis")
      assert.strictEqual(node.asked.length, 3)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(fiber)).transactionHash, hash)
      assert.strictEqual(node.asked.length, 4)
    }))

  it.effect("gives the receipt of a failed transaction too", () =>
    Effect.gen(function*() {
      const node = TestNode.make({ klay_getTransactionReceipt: () => ({ ...receipt, status: "0x0", txError: "0x9" }) })
      const found = yield* Confirmation.waitForReceipt(hash).pipe(Effect.provide(node.layer))
      assert.deepStrictEqual([found.status, found.txError], [0, 9])
    }))

  it.effect.each<readonly [known: "pending" | "unknown" | "unclear", answer: unknown]>([
    ["pending", records.transaction(records.transfer)],
    ["unknown", TestNode.none],
    ["unclear", new TestNode.Said(-32000, "odd")]
  ])("ends in time and says that the transaction is %s", ([known, answer]) =>
    Effect.gen(function*() {
      const node = TestNode.make({
        klay_getTransactionReceipt: () => TestNode.none,
        klay_getTransactionByHash: () => answer,
        klay_blockNumber: () => "0x1b4"
      })
      const fiber = yield* Effect.fork(
        Effect.flip(Confirmation.waitForReceipt(hash, { within: "2500 millis" })).pipe(Effect.provide(node.layer))
      )
      yield* TestClock.adjust("2500 millis")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error._tag, "NotConfirmed")
      if (error._tag !== "NotConfirmed") return
      assert.deepStrictEqual([error.transactionHash, error.known, error.waitedMillis, error.block], [
        hash,
        known,
        2500,
        436n
      ])
      assert.strictEqual(node.asked.filter(([method]) => method === "klay_getTransactionReceipt").length, 4)
    }))

  it.effect("ends with a call that fails for good", () =>
    Effect.gen(function*() {
      const node = TestNode.make({})
      const error = yield* Effect.flip(Confirmation.waitForReceipt(hash)).pipe(Effect.provide(node.layer))
      assert.strictEqual(error._tag, "MethodNotFound")
    }))

  it.effect("takes as long as it takes if the time is unlimited", () =>
    Effect.gen(function*() {
      let left = 100
      const node = TestNode.make({ klay_getTransactionReceipt: () => left-- > 0 ? TestNode.none : receipt })
      const fiber = yield* Effect.fork(
        Confirmation.waitForReceipt(hash, { within: Duration.infinity }).pipe(Effect.provide(node.layer))
      )
      yield* TestClock.adjust("100 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).transactionHash, hash)
    }))

  it.effect.each<readonly [name: string, options: object, path: ReadonlyArray<string>]>([
    ["a time that is no duration", { within: "soon" }, ["within"]],
    ["a pause that is none", { pollInterval: "soon" }, ["pollInterval"]],
    ["an endless pause", { pollInterval: Duration.infinity }, ["pollInterval"]]
  ])("refuses %s before it asks the node", ([, options, path]) =>
    Effect.gen(function*() {
      const node = TestNode.make({})
      const error = yield* Effect.flip(Confirmation.waitForReceipt(hash, options)).pipe(Effect.provide(node.layer))
      assert.deepInclude(error, { _tag: "InvalidInput", path })
      assert.deepStrictEqual(node.asked, [])
    }))

  it.effect("refuses what is no hash", () =>
    Effect.gen(function*() {
      const node = TestNode.make({})
      const error = yield* Effect.flip(Confirmation.waitForReceipt("0x12")).pipe(Effect.provide(node.layer))
      assert.strictEqual(error._tag, "InvalidInput")
      assert.deepStrictEqual(node.asked, [])
    }))
})
