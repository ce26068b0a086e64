import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { BlockSelector } from "../../src/BlockSelector.js"
import type { CallRequest, StateOverride } from "../../src/CallRequest.js"
import type * as Param from "../../src/Param.js"
import * as TestNode from "../support/testNode.js"

const checksummed = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
const slot = `0x${"AB".repeat(32)}`

const answers = {
  klay_getBalance: () => "0x1",
  klay_getStorageAt: () => `0x${"0".repeat(64)}`,
  klay_call: () => "0x",
  klay_estimateGas: () => "0x1",
  eth_getHashrate: () => "0x0"
}

describe("a block in the input of a call", () => {
  it.effect.each<readonly [BlockSelector, unknown]>([
    [436n, "0x1b4"],
    ["0x1b4", "0x1b4"],
    ["0x1B4", "0x1b4"],
    ["latest", "latest"],
    [`0x${"AB".repeat(32)}`, `0x${"ab".repeat(32)}`]
  ])("may be %s", ([block, wire]) =>
    Effect.gen(function*() {
      const node = TestNode.make(answers)
      yield* node.use((one) => one.klay.getBalance(checksummed, block))
      assert.deepStrictEqual(node.asked, [["klay_getBalance", checksummed.toLowerCase(), wire]])
    }))

  it.effect.each([436, "436", "0x01b4", -1n, "0x", `0x${"1".repeat(20)}`])(
    "is refused as %s, which may be an index that was passed along",
    (block) =>
      Effect.gen(function*() {
        const node = TestNode.make(answers)
        // What the types keep out is given by programs without types.
        const error = yield* Effect.flip(node.use((one) => one.klay.getBalance(checksummed, block as BlockSelector)))
        assert.deepInclude(error, { _tag: "InvalidInput", path: ["block"] })
        assert.deepStrictEqual(node.asked, [])
      })
  )

  it.effect("is no index, nor is a slot", () =>
    Effect.gen(function*() {
      const node = TestNode.make(answers)
      // As above.
      const index = 1 as unknown as bigint
      yield* Effect.flip(node.use((one) => one.klay.getStorageAt(checksummed, index as Param.Slot)))
      assert.deepStrictEqual(node.asked, [])
    }))
})

describe("a call that is not sent", () => {
  it.effect("may name its data as other clients do", () =>
    Effect.gen(function*() {
      const node = TestNode.make(answers)
      yield* node.use((one) => one.klay.call({ to: checksummed, data: "0x18160ddd" }))
      assert.deepStrictEqual(node.asked, [[
        "klay_call",
        { to: checksummed.toLowerCase(), input: "0x18160ddd" },
        "latest"
      ]])
    }))

  it.effect.each<CallRequest>([{ data: "0x01", input: "0x01" }])("has its data once", (call) =>
    Effect.gen(function*() {
      const node = TestNode.make(answers)
      const error = yield* Effect.flip(node.use((one) => one.klay.call(call)))
      assert.deepInclude(error, { _tag: "InvalidInput", path: ["call"] })
    }))

  it.effect("is refused where a getter of it throws", () =>
    Effect.gen(function*() {
      const node = TestNode.make(answers)
      const call = {
        get to(): string {
          throw new Error("of the caller")
        }
      }
      const error = yield* Effect.flip(node.use((one) => one.klay.call(call)))
      assert.deepInclude(error, { _tag: "InvalidInput", path: ["call"] })
      assert.deepStrictEqual(node.asked, [])
    }))

  it.effect("takes addresses and slots as keys in the spellings that it takes them in elsewhere", () =>
    Effect.gen(function*() {
      const node = TestNode.make(answers)
      const overrides = { [checksummed]: { stateDiff: { [slot]: slot } } }
      yield* node.use((one) => one.klay.estimateGas({}, undefined, overrides))
      assert.deepStrictEqual(node.asked, [["klay_estimateGas", {}, "latest", {
        [checksummed.toLowerCase()]: { stateDiff: { [slot.toLowerCase()]: slot.toLowerCase() } }
      }]])
    }))

  it.effect.each<readonly [string, Readonly<Record<string, StateOverride>>]>([
    ["an address whose checksum is wrong", { [checksummed.replace("f", "F")]: {} }],
    ["one address twice", { [checksummed]: {}, [checksummed.toLowerCase()]: {} }],
    ["a key that is no slot", { [checksummed]: { state: { "0x1": slot } } }]
  ])("refuses %s", ([, overrides]) =>
    Effect.gen(function*() {
      const node = TestNode.make(answers)
      const error = yield* Effect.flip(node.use((one) => one.klay.estimateGas({}, undefined, overrides)))
      assert.strictEqual(error._tag, "InvalidInput")
      assert.deepStrictEqual(node.asked, [])
    }))
})

describe("an answer", () => {
  it.effect("of eth_getHashrate may be a quantity", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* TestNode.make(answers).use((one) => one.eth.getHashrate()), 0n)
    }))
})
