import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { catchUp } from "../src/CatchUp.js"
import { emptyIndex, FakeNode, hash } from "./support/fakeNode.js"

/** An index of the blocks of a node up to a height, and the node as a source. */
const followed = (height: number) =>
  Effect.gen(function*() {
    const node = new FakeNode(height)
    const index = yield* emptyIndex
    const source = yield* node.source({ namespace: "eth" })
    yield* catchUp(index, source)
    return { index, node, source }
  })

describe("an index whose source has other blocks", () => {
  it.scoped("gives none up for one answer, which a copy of the node may have given that is wrong", () =>
    Effect.gen(function*() {
      const { index, source } = yield* followed(3)
      let isFirst = true
      const wrongOnce = {
        block: (height: number) => source.block(height),
        headerHash: (height: number) => {
          const isWrong = isFirst && height === 3
          isFirst = false
          return isWrong ? Effect.succeed(hash("another")) : source.headerHash(height)
        }
      }
      assert.deepStrictEqual(yield* catchUp(index, wrongOnce), { reverted: 0, indexed: 0 })
    }))

  it.scoped("finds the newest block that both have by halves", () =>
    Effect.gen(function*() {
      const { index, source } = yield* followed(100)
      const asked: Array<number> = []
      const other = {
        block: () => Effect.succeed(undefined),
        headerHash: (height: number) => {
          asked.push(height)
          return height > 40 ? Effect.succeed(hash("another")) : source.headerHash(height)
        }
      }
      assert.deepStrictEqual(yield* catchUp(index, other), { reverted: 60, indexed: 0 })
      assert.isAtMost(asked.length, 11)
      assert.strictEqual((yield* index.reader.head).number, 40)
    }))
})

describe("an index that follows a node", () => {
  it.scoped("asks for no block that the node does not have yet, and compares its newest block only where there is no newer one", () =>
    Effect.gen(function*() {
      const { index, node, source } = yield* followed(30)
      const methods = () => node.requests.splice(0).map((calls) => calls.map(({ method }) => method.slice(4)))
      node.isEmpty = () => true
      node.fault = ({ method, params: [height] }) => {
        if (method === "eth_getBlockByNumber") assert.isAtMost(Number(height), node.height)
        return undefined
      }
      methods()
      assert.deepStrictEqual(yield* catchUp(index, source), { reverted: 0, indexed: 0 })
      assert.deepStrictEqual(methods(), [["blockNumber"], ["getBlockByNumber"]])
      node.height = 31
      assert.deepStrictEqual(yield* catchUp(index, source), { reverted: 0, indexed: 1 })
      assert.deepStrictEqual(methods(), [["blockNumber"], ["blockNumber", "getBlockByNumber"]])
      node.height = 40
      // Known from elsewhere.
      yield* source.head
      methods()
      assert.deepStrictEqual(yield* catchUp(index, source), { reverted: 0, indexed: 9 })
      assert.deepStrictEqual(methods().flat().filter((method) => method === "getBlockByNumber").length, 9)
    }))
})
