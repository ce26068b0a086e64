import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as SpendWindow from "../../src/internal/client/spendWindow.js"
import type { WindowLimits } from "../../src/SpendPolicy.js"

const hour = 3_600_000

const limits = { millis: hour, max: 10n, maxFees: 5n }

const spend = (value: bigint, fee = 0n, at = 0, id?: string): SpendWindow.Entry => ({ at, value, fee, id })

const countAll = (
  entries: ReadonlyArray<SpendWindow.Entry>,
  { from = SpendWindow.empty, within = limits }: {
    readonly from?: SpendWindow.SpendWindow
    readonly within?: WindowLimits
  } = {}
) => entries.reduce((window, entry) => Either.getOrThrow(SpendWindow.count(window, within, entry)), from)

const exceeded = (window: SpendWindow.SpendWindow, entry: SpendWindow.Entry, within: WindowLimits = limits) =>
  Either.getOrThrow(Either.flip(SpendWindow.count(window, within, entry)))

describe("a window", () => {
  it("says which limit does not suffice, and how much of it is left", () => {
    assert.deepStrictEqual(exceeded(SpendWindow.empty, spend(11n)), { of: "value", left: 10n })
    const some = countAll([spend(4n, 3n)])
    assert.deepStrictEqual(exceeded(some, spend(7n)), { of: "value", left: 6n })
    assert.deepStrictEqual(exceeded(some, spend(6n, 3n)), { of: "fee", left: 2n })
    assert.deepStrictEqual(exceeded(countAll([spend(6n, 2n)], { from: some }), spend(1n)), { of: "value", left: 0n })
  })

  it("takes back what was given back, and nothing else, however often that is done", () => {
    for (const id of [undefined, "a"]) {
      const all = countAll([spend(3n, 0n, 0, id), spend(4n)])
      const released = SpendWindow.release(SpendWindow.release(all, spend(3n, 0n, 0, id)), spend(3n, 0n, 0, id))
      assert.deepStrictEqual(exceeded(released, spend(7n)), { of: "value", left: 6n })
      countAll([spend(6n)], { from: released })
    }
  })

  it("forgets an amount when its time is over, and not before", () => {
    const full = countAll([spend(10n)])
    assert.deepStrictEqual(exceeded(full, spend(1n, 0n, hour - 1)), { of: "value", left: 0n })
    countAll([spend(10n, 0n, hour)], { from: full })
  })

  it("without a limit on fees counts the value alone", () => {
    const within = { millis: hour, max: 10n, maxFees: undefined }
    const window = countAll([spend(1n, 10n ** 30n), spend(9n, 10n ** 30n)], { within })
    assert.deepStrictEqual(exceeded(window, spend(1n), within), { of: "value", left: 0n })
  })

  it("counts a spend with an id once, until it was released as often as it was counted", () => {
    const twice = countAll([spend(9n, 0n, 0, "a"), spend(9n, 0n, 5, "a")])
    assert.deepStrictEqual(exceeded(twice, spend(2n)), { of: "value", left: 1n })
    const once = SpendWindow.release(twice, spend(9n, 0n, 5, "a"))
    assert.deepStrictEqual(exceeded(once, spend(2n)), { of: "value", left: 1n })
    countAll([spend(10n)], { from: SpendWindow.release(once, spend(9n, 0n, 0, "a")) })
  })

  it("counts a spend with an id from the last time that it was counted: it may have been sent then", () => {
    const within = { ...limits, max: 9n }
    const again = countAll([spend(9n, 0n, 0, "a"), spend(9n, 0n, hour - 1, "a")], { within })
    assert.deepStrictEqual(exceeded(again, spend(1n, 0n, hour), within), { of: "value", left: 0n })
    assert.deepStrictEqual(exceeded(again, spend(1n, 0n, 2 * hour - 2), within), { of: "value", left: 0n })
    countAll([spend(9n, 0n, 2 * hour - 1)], { from: again, within })
  })

  it("without an end forgets no spend, however many follow", () => {
    const within = { millis: Infinity, max: 1000n, maxFees: undefined }
    const all = countAll(Array.from({ length: 600 }, (_, at) => spend(1n, 0n, at)), { within })
    assert.deepStrictEqual(exceeded(all, spend(401n, 0n, 600), within), { of: "value", left: 400n })
    assert.isAtMost(all.spends.length + all.sums.length, 520)
  })

  it("of many spends stays small, and is never more generous than one that keeps each of them", () => {
    const within = { millis: 1000, max: 10n ** 6n, maxFees: undefined }
    FastCheck.assert(
      FastCheck.property(FastCheck.array(FastCheck.nat({ max: 9 }), { minLength: 600, maxLength: 1500 }), (steps) => {
        let at = 0
        let window = SpendWindow.empty
        const all: Array<SpendWindow.Entry> = []
        for (const step of steps) {
          at += step
          const entry = spend(BigInt(step + 1), 1n, at)
          window = countAll([entry], { from: window, within })
          all.push(entry)
        }
        assert.isAtMost(window.spends.length + window.sums.length, 520)
        const exact = all.filter((one) => one.at > at - within.millis).reduce((sum, one) => sum + one.value, 0n)
        const late = all.filter((one) => one.at > at - within.millis - 4).reduce((sum, one) => sum + one.value, 0n)
        const { left } = exceeded(window, spend(within.max + 1n, 0n, at), within)
        assert.isTrue(within.max - left >= exact && within.max - left <= late, `${exact} ${within.max - left} ${late}`)
      }),
      { numRuns: 20 }
    )
  })
})
