import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { garbageRuns, selfCheck } from "../../../drills/sandbox/garbageRuns.js"

/** The clients wait for answers in real time here. */
const live = Clock.make()

describe("the drill of garbage", () => {
  it.effect("notices a throw, an untyped failure, a hang, a secret, a forged line and a flood", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* selfCheck, [])
    }).pipe(Effect.withClock(live)))

  it.effect("finds nothing in some cases of every call, and the same in each run", () =>
    Effect.gen(function*() {
      const first = yield* garbageRuns({ cases: 330, seed: "test" })
      assert.deepStrictEqual(first.faults, [])
      assert.strictEqual(first.cases, 330)
      assert.isAtLeast(first.cases, first.calls, "every call is made")
      assert.isAbove(first.counts.value, 50)
      assert.isAbove(first.counts.error, 100)
      const some = garbageRuns({ cases: 20, seed: "test" })
      assert.deepStrictEqual((yield* some).counts, (yield* some).counts)
    }).pipe(Effect.withClock(live)))
})
