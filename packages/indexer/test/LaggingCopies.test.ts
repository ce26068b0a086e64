import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { setImmediate } from "node:timers/promises"
import { catchUp } from "../src/CatchUp.js"
import { type Call, emptyIndex, FakeNode, quantity } from "./support/fakeNode.js"

/** The milliseconds of the clock that an effect takes, whatever it waits for. */
const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.fork(effect)
    for (let millis = 0; millis <= 10_000; millis += 50) {
      for (let turns = 0; turns < 20; turns++) yield* Effect.promise(() => setImmediate())
      if ((yield* Fiber.poll(fiber))._tag === "Some") return { millis, value: yield* Fiber.join(fiber) }
      yield* TestClock.adjust("50 millis")
    }
    return assert.fail("it did not end")
  })

/** Answers the first calls that are about the newest block as a copy of the node does that lacks it. */
const lacking = (node: FakeNode, times: number, isAsked: (call: Call) => boolean) => {
  let left = times
  return (call: Call) => isAsked(call) && left-- > 0 ? { result: null } : node.fault(call)
}

describe("copies of a node of which one lags", () => {
  const cases: ReadonlyArray<readonly [what: string, isAsked: (node: FakeNode) => (call: Call) => boolean]> = [
    ["block", () => ({ method, params: [height] }) => method === "eth_getBlockByNumber" && height === quantity(6)],
    [
      "receipts",
      (node) => ({ method, params: [block] }) => method === "eth_getBlockReceipts" && block === node.hashOf(6)
    ]
  ]
  for (const [what, isAsked] of cases) {
    it.scoped(`are asked again at once for the ${what} that another one has`, () =>
      Effect.gen(function*() {
        const node = new FakeNode(6)
        const fault = lacking(new FakeNode(6), 4, isAsked(node))
        node.fault = fault
        const source = yield* node.source({ namespace: "eth" }, 2)
        const { millis, value } = yield* timed(catchUp(yield* emptyIndex, source))
        assert.deepStrictEqual(value, { reverted: 0, indexed: 7 })
        assert.isAtMost(millis, 600)
      }))
  }

  it.scoped("are waited for as the policy says when none of them has it soon", () =>
    Effect.gen(function*() {
      const node = new FakeNode(6)
      node.fault = lacking(
        new FakeNode(6),
        7,
        ({ method, params: [height] }) => method === "eth_getBlockByNumber" && height === quantity(6)
      )
      const source = yield* node.source({ namespace: "eth" }, 2)
      const { millis, value } = yield* timed(catchUp(yield* emptyIndex, source))
      assert.deepStrictEqual(value, { reverted: 0, indexed: 7 })
      assert.isAtLeast(millis, 2000)
    }))
})
