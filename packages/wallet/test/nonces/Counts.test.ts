import { Address } from "@effect-klaytn/core/Address"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as TransactionLookup from "../../src/TransactionLookup.js"

const address = Schema.decodeSync(Address)("0x71c7656ec7ab88b098defb751b7401b5f6d8976f")

const nothing = () => Effect.dieMessage("only counts are asked for")

/** A node that counts, one answer after the other, and how often it was asked. The last answer is repeated. */
const node = (answers: { readonly latest: ReadonlyArray<number>; readonly pending: ReadonlyArray<number> }) => {
  const asked = { latest: 0, pending: 0 }
  const lookup: TransactionLookup.Service = {
    byHash: nothing,
    byNonce: nothing,
    byNonces: nothing,
    nextNonce: (_, at = "latest") => Effect.sync(() => answers[at][Math.min(asked[at]++, answers[at].length - 1)] ?? 0)
  }
  return { asked, count: (known?: number) => TransactionLookup.count(lookup, address, known) }
}

describe("the count of an account's transactions", () => {
  it.effect("is asked for once if nothing waits, or only what is known", () =>
    Effect.gen(function*() {
      for (const [pending, known] of [[2, 2], [5, 5], [4, 5]] as const) {
        const { asked, count } = node({ latest: [2], pending: [pending] })
        assert.deepStrictEqual(yield* count(known), { mined: 2, next: pending })
        assert.deepStrictEqual(asked, { latest: 1, pending: 1 })
      }
    }))

  it.effect("is asked for three times if nothing explains it, and the lowest is taken", () =>
    Effect.gen(function*() {
      const high = 100_000
      for (
        const [latest, pending, expected] of [
          [[2], [high, 2], { mined: 2, next: 2 }],
          [[2], [high, high, 3], { mined: 2, next: 3 }],
          [[high, 2], [2], { mined: 2, next: 2 }],
          [[high, 2], [high, 2], { mined: 2, next: 2 }],
          [[7], [7], { mined: 7, next: 7 }],
          [[2], [7], { mined: 2, next: 7 }]
        ] as const
      ) {
        const { asked, count } = node({ latest, pending })
        assert.deepStrictEqual(yield* count(), expected)
        assert.deepStrictEqual(asked, { latest: 3, pending: 3 })
      }
    }))

  it.effect("is asked for again over a time if it is far above what is known", () =>
    Effect.gen(function*() {
      const { asked, count } = node({ latest: [5000, 5000, 2], pending: [5000, 5000, 2] })
      const counted = yield* Effect.fork(count(2))
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(asked, { latest: 2, pending: 2 })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* counted, { mined: 2, next: 2 })
    }))

  it.effect("is not believed if more wait than can, except for those that are known", () =>
    Effect.gen(function*() {
      const { count } = node({ latest: [2], pending: [1003] })
      assert.include((yield* Effect.flip(count())).problem, "1003 is the next nonce")
      assert.deepStrictEqual(yield* count(3), { mined: 2, next: 1003 })
    }))
})
