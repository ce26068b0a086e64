import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { SourceBlock } from "../src/BlockSource.js"
import { catchUp } from "../src/CatchUp.js"
import { NodeFault } from "../src/IndexError.js"
import type * as NodeSource from "../src/NodeSource.js"
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

  it.scoped("asks contracts at its own newest block, and not at another one of that height", () =>
    Effect.gen(function*() {
      const node = new FakeNode(5)
      const index = yield* emptyIndex
      const source = yield* node.source({ namespace: "eth" })
      const withBlocks = (change: (block: SourceBlock<NodeSource.Failure>) => SourceBlock<NodeSource.Failure>) => ({
        ...source,
        block: (height: number) =>
          Effect.map(source.block(height), (block) => block === undefined ? undefined : change(block))
      })
      // All blocks are read after their state is gone.
      yield* catchUp(
        index,
        withBlocks(({ viewer, ...block }) => ({
          ...block,
          viewer: { call: (call) => viewer.call(call), code: (address) => viewer.code(address), isLater: true }
        }))
      )
      assert.isFalse(yield* index.reader.isSettled)
      const calls = () => node.requests.flat().filter(({ method }) => method === "eth_call").length
      const before = calls()
      yield* catchUp(index, withBlocks((block) => ({ ...block, header: { ...block.header, hash: hash("another") } })))
      assert.deepStrictEqual([calls(), yield* index.reader.isSettled], [before, false])
      yield* catchUp(index, source)
      assert.isTrue(yield* index.reader.isSettled)
    }))

  it.scoped("gets a block that the node did not have when the ones before it were read", () =>
    Effect.gen(function*() {
      const node = new FakeNode(5)
      const source = yield* node.source({ namespace: "eth" })
      yield* source.head
      assert.strictEqual((yield* source.block(4))?.header.number, 4)
      assert.isUndefined(yield* source.block(6))
      node.height = 7
      assert.strictEqual((yield* source.block(6))?.header.number, 6)
      assert.strictEqual((yield* source.block(7))?.header.number, 7)
    }))

  it.scoped("believes no height that no chain has", () =>
    Effect.gen(function*() {
      const { index, node, source } = yield* followed(5)
      node.fault = ({ method }) => method === "eth_blockNumber" ? { result: "0x4000000001" } : undefined
      const error = yield* Effect.flip(catchUp(index, source))
      assert.strictEqual(error.message, "eth_blockNumber of the node: no chain has 274877906945 blocks")
      assert.instanceOf(yield* Effect.flip(source.place()), NodeFault)
    }))

  it.scoped("takes no block of another height for the one that it asked for", () =>
    Effect.gen(function*() {
      const { index, node, source } = yield* followed(5)
      node.height = 6
      node.fault = (call) =>
        call.method === "eth_getBlockByNumber" && Number(call.params[0]) === 6 && call.params[1] === true
          ? { result: { ...Object(node["answer"](call)).result, number: "0x7" } }
          : undefined
      const error = yield* Effect.flip(catchUp(index, source))
      assert.include(error.message, "it was called for block 6 and returned block 7")
      node.fault = (call) =>
        call.method === "eth_getBlockByNumber" && call.params[1] === false
          ? { result: { ...Object(node["answer"](call)).result, number: "0x1" } }
          : undefined
      const asks = [
        Effect.asVoid(source.headerHash(5)),
        Effect.asVoid(source.place(5)),
        Effect.asVoid(source.heightAt(1_700_000_003))
      ]
      for (const ask of asks) {
        assert.match(
          (yield* Effect.flip(ask)).message,
          /it was called for block \d and returned block 1$/
        )
      }
    }))
})
