import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { catchUp } from "../src/CatchUp.js"
import { emptyIndex, FakeNode } from "./support/fakeNode.js"

const counts = [-7, 0, 1.5, Number.NaN, Number.POSITIVE_INFINITY]

describe("an option outside its range", () => {
  it.scoped("of a node is refused before the node is asked", () =>
    Effect.gen(function*() {
      const tooMany = { maxCount: [], concurrency: [1001], maxAhead: [10_001] }
      for (const name of ["maxCount", "concurrency", "maxAhead"] as const) {
        for (const value of [...counts, ...tooMany[name]]) {
          const node = new FakeNode(4)
          const error = yield* Effect.flip(node.source({ [name]: value }))
          assert.deepInclude(error, { _tag: "InvalidInput", path: [name] })
          assert.deepStrictEqual(node.requests, [])
        }
      }
    }))

  it.scoped("of an index that follows a chain is refused before anything is read", () =>
    Effect.gen(function*() {
      const node = new FakeNode(4)
      const source = yield* node.source()
      const index = yield* emptyIndex
      const before = node.requests.length
      for (const depth of counts.filter((value) => value !== 0)) {
        const error = yield* Effect.flip(catchUp(index, source, { depth }))
        assert.deepInclude(error, { _tag: "InvalidInput", path: ["depth"] })
      }
      assert.strictEqual(node.requests.length, before)
    }))
})
