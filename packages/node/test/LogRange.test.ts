import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as LogRange from "../src/LogRange.js"
import * as records from "./golden/records.js"
import { token } from "./golden/row.js"
import * as TestNode from "./support/testNode.js"

interface Asked {
  readonly from: number
  readonly to: number
}

const range = (params: ReadonlyArray<unknown>): Asked => {
  const [filter] = params
  return Predicate.isRecord(filter)
    ? { from: Number(filter["fromBlock"]), to: Number(filter["toBlock"]) }
    : assert.fail("no filter")
}

/** A chain with one log in each block; a node that answers at most so many. */
const chain = (
  atMost: number,
  words = "query returned more than 10000 results",
  state: { readonly has: number } = { has: 1000 }
) =>
  TestNode.make({
    klay_blockNumber: () => "0x64",
    klay_getLogs: (params) => {
      const { from, to } = range(params)
      if (to > state.has) return new TestNode.Said(-32000, "the header does not exist (block number: 100)")
      return to - from + 1 > atMost
        ? new TestNode.Said(-32000, words)
        : Array.from(
          { length: to - from + 1 },
          (_, i) => ({ ...records.log, blockNumber: `0x${(from + i).toString(16)}` })
        )
    }
  })

const blocks = (node: ReturnType<typeof chain>, search: LogRange.RangeFilter) =>
  LogRange.logs(search).pipe(
    Stream.map((log) => Number(log.blockNumber)),
    Stream.runCollect,
    Effect.map(Chunk.toReadonlyArray),
    Effect.provide(node.layer)
  )

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

const asked = (node: ReturnType<typeof chain>) =>
  node.asked.filter(([method]) => method === "klay_getLogs").map(([, ...params]) => range(params))

describe("logs over a range", () => {
  it.effect("come in one piece if the node allows it", () =>
    Effect.gen(function*() {
      const node = chain(1000)
      assert.deepStrictEqual(yield* blocks(node, { fromBlock: 1n, toBlock: 50n, address: token }), numbers(1, 50))
      assert.deepStrictEqual(node.asked, [[
        "klay_getLogs",
        { fromBlock: "0x1", toBlock: "0x32", address: token }
      ]])
    }))

  it.effect("go up to the latest block if no end is given", () =>
    Effect.gen(function*() {
      const node = chain(1000)
      assert.deepStrictEqual(yield* blocks(node, { fromBlock: 90n }), numbers(90, 100))
    }))

  it.effect.each(["query returned more than 10000 results", "query timeout exceeded"])(
    "come in halves while the node says: %s",
    (words) =>
      Effect.gen(function*() {
        const node = chain(10, words)
        assert.deepStrictEqual(yield* blocks(node, { fromBlock: 0n, toBlock: 99n }), numbers(0, 99))
        assert.deepStrictEqual(asked(node).slice(0, 6), [
          { from: 0, to: 99 },
          { from: 0, to: 49 },
          { from: 0, to: 24 },
          { from: 0, to: 11 },
          { from: 0, to: 5 },
          { from: 6, to: 17 }
        ])
      })
  )

  it.effect("come each once and in order for every limit and first piece", () =>
    Effect.gen(function*() {
      for (const limit of [1, 2, 3, 7, 40]) {
        for (const first of [1, 5, 64]) {
          const node = chain(limit)
          const found = yield* blocks(node, { fromBlock: 3n, toBlock: 61n, piece: { first, most: 32 } })
          assert.deepStrictEqual(found, numbers(3, 61), `limit ${limit}, first ${first}`)
          assert.isTrue(asked(node).every(({ from, to }) => to - from < 32))
        }
      }
    }))

  it.effect("fail when one block alone is too much, after what came before", () =>
    Effect.gen(function*() {
      const node = chain(0)
      const error = yield* Effect.flip(blocks(node, { fromBlock: 0n, toBlock: 3n }))
      assert.strictEqual(error._tag, "LogLimitExceeded")
    }))

  it.effect("are waited for when a node does not have the last block yet", () =>
    Effect.gen(function*() {
      const state = { has: 98 }
      const node = chain(1000, "", state)
      const fiber = yield* Effect.fork(blocks(node, { fromBlock: 90n, pollInterval: "2 seconds" }))
      yield* TestClock.adjust("2 seconds")
      state.has = 100
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* Fiber.join(fiber), numbers(90, 100))
      assert.strictEqual(asked(node).length, 3)
    }))

  it.effect.each(
    [
      ["a first block that is no bigint", { fromBlock: 1.5 }, ["fromBlock"]],
      ["a last block that is negative", { fromBlock: 0n, toBlock: -1n }, ["toBlock"]],
      ["a piece without end", { fromBlock: 0n, piece: { most: Number.POSITIVE_INFINITY } }, ["piece", "most"]],
      ["a piece of nothing", { fromBlock: 0n, piece: { first: 0 } }, ["piece", "first"]]
    ] as const
  )("refuse %s before anything is asked", ([, search, path]) =>
    Effect.gen(function*() {
      const node = chain(10)
      // What the types keep out is given by programs without types.
      const error = yield* Effect.flip(blocks(node, search as LogRange.RangeFilter))
      assert.deepInclude(error, { _tag: "InvalidInput", path })
      assert.deepStrictEqual(node.asked, [])
    }))

  it.effect("are none when the range is", () =>
    Effect.gen(function*() {
      const node = chain(10)
      assert.deepStrictEqual(yield* blocks(node, { fromBlock: 5n, toBlock: 4n }), [])
      assert.deepStrictEqual(node.asked, [])
    }))

  it.effect("are asked for only as far as they are taken", () =>
    Effect.gen(function*() {
      const node = chain(1000)
      const search = { fromBlock: 0n, toBlock: 99n, piece: { first: 10, most: 10 } }
      yield* LogRange.logs(search).pipe(Stream.take(15), Stream.runDrain, Effect.provide(node.layer))
      assert.strictEqual(node.asked.length, 2)
    }))
})
