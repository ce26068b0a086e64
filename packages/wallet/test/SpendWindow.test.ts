import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as SpendWindow from "../src/internal/spendWindow.js"

const fees = (value: bigint, fee = 0n) => ({ value, fee })

describe("a window", () => {
  it.effect("says which limit does not suffice, and how much of it is left", () =>
    Effect.gen(function*() {
      const spend = yield* SpendWindow.make({ max: 10n, maxFees: 5n, duration: "1 hour" })
      assert.deepStrictEqual(yield* Effect.flip(Effect.asVoid(spend(fees(11n)))), { of: "value", left: 10n })
      yield* Effect.asVoid(spend(fees(4n, 3n)))
      assert.deepStrictEqual(yield* Effect.flip(Effect.asVoid(spend(fees(7n)))), { of: "value", left: 6n })
      assert.deepStrictEqual(yield* Effect.flip(Effect.asVoid(spend(fees(6n, 3n)))), { of: "fee", left: 2n })
      yield* Effect.asVoid(spend(fees(6n, 2n)))
      assert.deepStrictEqual(yield* Effect.flip(Effect.asVoid(spend(fees(1n)))), { of: "value", left: 0n })
    }))

  it.effect("takes back what was given back, and nothing else, however often that is done", () =>
    Effect.gen(function*() {
      const spend = yield* SpendWindow.make({ max: 10n, duration: "1 hour" })
      const giveBack = yield* spend(fees(3n))
      yield* Effect.asVoid(spend(fees(4n)))
      yield* giveBack
      yield* giveBack
      assert.deepStrictEqual(yield* Effect.flip(Effect.asVoid(spend(fees(7n)))), { of: "value", left: 6n })
      yield* Effect.asVoid(spend(fees(6n)))
    }))

  it.effect("forgets an amount when its time is over, and not before", () =>
    Effect.gen(function*() {
      const spend = yield* SpendWindow.make({ max: 10n, duration: "1 hour" })
      yield* Effect.asVoid(spend(fees(10n)))
      yield* TestClock.adjust(3_599_999)
      assert.deepStrictEqual(yield* Effect.flip(Effect.asVoid(spend(fees(1n)))), { of: "value", left: 0n })
      yield* TestClock.adjust(1)
      yield* Effect.asVoid(spend(fees(10n)))
    }))

  it.effect("without a limit on fees counts the value alone", () =>
    Effect.gen(function*() {
      const spend = yield* SpendWindow.make({ max: 10n, duration: "1 hour" })
      yield* Effect.asVoid(spend(fees(1n, 10n ** 30n)))
      yield* Effect.asVoid(spend(fees(9n, 10n ** 30n)))
    }))
})
