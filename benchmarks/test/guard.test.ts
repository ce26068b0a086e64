import { assert, describe, it } from "@effect/vitest"
import type { Told } from "../guard/measured.js"
import { problemsOf, table } from "../guard/table.js"
import type { Turn } from "../guard/turns.js"
import { judge, medianOf } from "../guard/verdict.js"

const twenty = (ratio: (i: number) => number): ReadonlyArray<number> => Array.from({ length: 20 }, (_, i) => ratio(i))

const turn = (before: Told, after: Told): Turn => ({ figure: "calls", before, after })

describe("a verdict of the guard", () => {
  it("takes the mean of the two middle values of an even number", () => {
    assert.strictEqual(medianOf([4, 1, 3, 2]), 2.5)
    assert.strictEqual(medianOf([3, 1, 2]), 2)
  })

  it("has the interval of tables of order statistics", () => {
    // Ranks of the interval with a confidence of at least 95 %, as in published tables.
    for (const [count, low, high] of [[6, 1, 6], [9, 2, 8], [20, 6, 15], [50, 18, 33]] as const) {
      const verdict = judge(Array.from({ length: count }, (_, i) => i + 1))
      assert.deepStrictEqual([verdict.low, verdict.high], [low, high])
    }
  })

  it("is slower above 1.15 only", () => {
    assert.isTrue(judge(twenty(() => 1.16)).isSlower)
    assert.isFalse(judge(twenty(() => 1.15)).isSlower)
  })

  it("is not slower while the interval contains 1.05", () => {
    assert.isTrue(judge(twenty((i) => i < 5 ? 1 : 1.3)).isSlower)
    assert.isFalse(judge(twenty((i) => i < 6 ? 1.05 : 1.3)).isSlower)
  })
})

describe("the table of the guard", () => {
  it("fails for one slower figure, and marks it", () => {
    const turns = [...twenty(() => 1.3)].map((ratio) => turn({ cpu: 10 }, { cpu: 10 * ratio }))
    const { slower, text } = table(turns)
    assert.deepStrictEqual(slower, ["calls"])
    assert.match(text, /^calls +10\.0 ms +13\.0 ms +1\.300 +1\.300 to 1\.300 +SLOWER$/m)
    assert.deepStrictEqual(table(turns.map(({ before }) => turn(before, before))).slower, [])
  })

  it("judges the planted time where there is one", () => {
    const turns = Array.from({ length: 20 }, () => turn({ cpu: 10 }, { cpu: 10, planted: 13 }))
    assert.deepStrictEqual(table(turns).slower, ["calls"])
  })

  it("tells a figure that the older commit lacks from one that is broken", () => {
    const older = problemsOf([turn({ problem: "TypeError: no such method" }, { cpu: 1 })])
    assert.deepStrictEqual([...older.broken], [])
    assert.deepStrictEqual([...older.incomparable], [["calls", "The older commit fails: TypeError: no such method"]])
    const broken = problemsOf([turn({ problem: "TypeError" }, { problem: "TypeError" })])
    assert.deepStrictEqual([...broken.broken], [["calls", "TypeError"]])
  })

  it("does not compare sides that did different amounts", () => {
    const { incomparable } = problemsOf([turn({ cpu: 1, done: 100 }, { cpu: 1, done: 99 })])
    assert.deepStrictEqual([...incomparable], [["calls", "The older commit did 100, this one 99."]])
  })
})
