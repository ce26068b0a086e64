import { assert, describe, it } from "@effect/vitest"
import { repeats } from "../../src/internal/paging/repeats.js"

/** How many cursors pass before a loop is noticed. */
const passes = (before: number, loop: number, most: number, seen: ReadonlyArray<string> = []): number => {
  const isRepeated = repeats(seen, most)
  for (let at = 0;; at++) {
    const cursor = at < before ? at : before + (at - before) % loop
    if (isRepeated(String(cursor))) return at
  }
}

describe("the cursors of a list", () => {
  it("are recognised at once within those that are kept, however many came before", () => {
    for (const [before, loop] of [[0, 1], [0, 10], [25, 10], [3, 7]] as const) {
      assert.strictEqual(passes(before, loop, 10), before + loop)
    }
  })

  it("are recognised after a few rounds of a longer loop", () => {
    assert.strictEqual(passes(0, 11, 10), 10 - 1 + 2 * 11 - 1)
    assert.strictEqual(passes(15, 15, 10), 34)
    for (let loop = 11; loop < 200; loop++) assert.isAtMost(passes(5, loop, 10), 5 + 4 * loop + 10)
  })

  it("are recognised if a stream before this one had them", () => {
    assert.strictEqual(passes(5, 5, 10, ["3"]), 3)
  })
})
