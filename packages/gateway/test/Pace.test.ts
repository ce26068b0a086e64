import type * as IndexStore from "@effect-klaytn/indexer/IndexStore"
import type * as NodeSource from "@effect-klaytn/indexer/NodeSource"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { time } from "../src/internal/FollowProgress.js"
import { Pace } from "../src/internal/Pace.js"

/** A pace whose node and database take so many milliseconds for a block. */
const paceOf = (node: number, database: number) => {
  const pace = new Pace()
  // Casts: only these are asked.
  const source = pace.source({
    block: () => Effect.delay(Effect.succeed(undefined), node)
  } as unknown as NodeSource.NodeSource)
  const store = pace.store({
    newest: Effect.succeed(Option.none()),
    apply: () => Effect.delay(Effect.void, database)
  } as unknown as IndexStore.IndexStore)
  const block = Effect.gen(function*() {
    yield* source.block(1)
    // A cast: the store above looks at no changes.
    yield* store.apply({} as Parameters<IndexStore.IndexStore["apply"]>[0])
    yield* Effect.sleep("100 millis")
    pace.added(9, yield* time)
  })
  return Effect.gen(function*() {
    const running = yield* Effect.fork(Effect.forever(block))
    yield* TestClock.adjust("15 seconds")
    yield* Fiber.interrupt(running)
    return pace.at(yield* time, 1000)
  })
}

describe("the pace of an index that catches up", () => {
  for (
    const [waitsFor, node, database, perSecond] of [
      ["node", 350, 50, 2],
      ["database", 150, 750, 1],
      ["cpu", 25, 0, 8]
    ] as const
  ) {
    it.effect(`is that of the last ten seconds, and says that most of them went to: ${waitsFor}`, () =>
      Effect.gen(function*() {
        const found = yield* paceOf(node, database)
        assert.strictEqual(found?.waitsFor, waitsFor)
        assert.closeTo(found?.blocksPerSecond ?? 0, perSecond, 0.2)
        assert.closeTo(found?.transactionsPerSecond ?? 0, 9 * perSecond, 2)
        assert.closeTo(found?.secondsLeft ?? 0, 1000 / perSecond, 120 / perSecond)
      }))
  }

  it.effect("is not known before any block, and has no end while none is added", () =>
    Effect.gen(function*() {
      const pace = new Pace()
      yield* TestClock.adjust("5 seconds")
      assert.isUndefined(pace.at(yield* time, 10))
      pace.added(1, yield* time)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(pace.at(yield* time, 10), {
        blocksPerSecond: 0,
        transactionsPerSecond: 0,
        waitsFor: "cpu"
      })
      yield* TestClock.adjust("6 seconds")
      assert.isUndefined(pace.at(yield* time, 10))
    }))
})
