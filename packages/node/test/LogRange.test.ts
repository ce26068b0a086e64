import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
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
const chain = (atMost: number, words = "query returned more than 10000 results") =>
  TestNode.make({
    klay_blockNumber: () => "0x64",
    klay_getLogs: (params) => {
      const { from, to } = range(params)
      return to - from + 1 > atMost
        ? new TestNode.Said(-32000, words)
        : Array.from(
          { length: to - from + 1 },
          (_, i) => ({ ...records.log, blockNumber: `0x${(from + i).toString(16)}` })
        )
    }
  })

const blocks = (node: ReturnType<typeof chain>, search: LogRange.Search) =>
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
      assert.deepStrictEqual(yield* blocks(node, { fromBlock: 1, toBlock: 50, address: token }), numbers(1, 50))
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
        assert.deepStrictEqual(yield* blocks(node, { fromBlock: 0, toBlock: 99 }), numbers(0, 99))
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
          const found = yield* blocks(node, { fromBlock: 3, toBlock: 61, piece: { first, most: 32 } })
          assert.deepStrictEqual(found, numbers(3, 61), `limit ${limit}, first ${first}`)
          assert.isTrue(asked(node).every(({ from, to }) => to - from < 32))
        }
      }
    }))

  it.effect("fail when one block alone is too much, after what came before", () =>
    Effect.gen(function*() {
      const node = chain(0)
      const error = yield* Effect.flip(blocks(node, { fromBlock: 0, toBlock: 3 }))
      assert.strictEqual(error._tag, "LogLimitExceeded")
    }))

  it.effect("are none when the range is", () =>
    Effect.gen(function*() {
      const node = chain(10)
      assert.deepStrictEqual(yield* blocks(node, { fromBlock: 5, toBlock: 4 }), [])
      assert.deepStrictEqual(node.asked, [])
    }))

  it.effect("are asked for only as far as they are taken", () =>
    Effect.gen(function*() {
      const node = chain(1000)
      const search = { fromBlock: 0, toBlock: 99, piece: { first: 10, most: 10 } }
      yield* LogRange.logs(search).pipe(Stream.take(15), Stream.runDrain, Effect.provide(node.layer))
      assert.strictEqual(node.asked.length, 2)
    }))
})
