import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Client from "../../../core/test/support/client.js"
import * as KlaytnNode from "../../src/KlaytnNode.js"
import * as LogRange from "../../src/LogRange.js"
import * as records from "../golden/records.js"
import { token } from "../golden/row.js"
import * as Node from "../support/node.js"
import * as TestNode from "../support/testNode.js"

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
    klay_getBlockTransactionCountByNumber: () => "0x1",
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

/** A chain that grows, asked through a node that may lag: it leaves out what it does not have. */
const growing = (state: { head: number; has: number }) =>
  TestNode.make({
    klay_blockNumber: () => `0x${state.head.toString(16)}`,
    klay_getBlockTransactionCountByNumber: ([number]) => Number(number) > state.has ? TestNode.none : "0x1",
    klay_getLogs: (params) => {
      const { from, to } = range(params)
      const last = Math.min(to, state.has)
      return to - from + 1 > 4
        ? new TestNode.Said(-32000, "query timeout exceeded")
        : Array.from({ length: Math.max(0, last - from + 1) }, (_, i) => ({
          ...records.log,
          blockNumber: `0x${(from + i).toString(16)}`
        }))
    }
  })

describe("logs over a range", () => {
  it.effect("come in one piece if the node allows it", () =>
    Effect.gen(function*() {
      const node = chain(1000)
      assert.deepStrictEqual(yield* blocks(node, { fromBlock: 1n, toBlock: 50n, address: token }), numbers(1, 50))
      assert.deepStrictEqual(node.asked, [
        ["klay_getBlockTransactionCountByNumber", "0x32"],
        ["klay_getLogs", { fromBlock: "0x1", toBlock: "0x32", address: token }]
      ])
    }))

  it.effect("are searched by the number of blocks that a refusal names, and by what worked from then on", () =>
    Effect.gen(function*() {
      const node = chain(20, "query exceeds max block range 20")
      const search = (fromBlock: bigint) => Stream.runDrain(LogRange.logs({ fromBlock, toBlock: fromBlock + 59n }))
      yield* Effect.provide(Effect.zipRight(search(1n), search(101n)), node.layer)
      const widths = asked(node).map(({ from, to }) => ({ from, width: to - from + 1 }))
      assert.deepStrictEqual(widths.slice(0, 2), [{ from: 1, width: 60 }, { from: 1, width: 20 }])
      assert.deepStrictEqual(widths.find(({ from }) => from === 101), { from: 101, width: 20 })
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
          { from: 6, to: 14 }
        ])
      })
  )

  /** Refusals of wide searches, from public reports of nodes and providers. */
  const refusals: ReadonlyArray<readonly [status: number, code: number, message: string]> = [
    [200, -32602, "query exceeds max block range 100"],
    [200, -32603, "eth_getLogs range is too large, max is 100 blocks"],
    [200, 35, "ranges over 100 blocks are not supported on freetier"],
    [200, -32602, "eth_getLogs is limited to 100 block range. Please check the documentation"],
    [200, -32602, "query exceeds max results 20000, retry with the range 1-100"],
    [413, -32614, "eth_getLogs is limited to a 100 range"],
    [200, -32000, "exceed maximum block range: 100"],
    [200, 35, "query is too large"],
    [200, -32005, "limit exceeded"],
    [200, -32000, "query exceeds maximum number of logs"],
    [400, -32602, "query exceeds max block range 100"],
    [413, -32602, "query exceeds max block range 100"],
    [200, -32602, "Log response size exceeded. You can make requests up to a 2K block range"],
    [200, -32005, "query returned more than 10000 results"],
    [200, -32000, "Block range limit exceeded. See more details"],
    [500, -32000, "internal error"],
    [503, -32603, "backend response too large"]
  ]

  const provider = (most: number, [status, code, message]: typeof refusals[number]) =>
    Testing.wire((sent) => {
      const requests = Node.requestsIn(sent)
      const isTooWide = ({ method, params }: Node.Request): boolean => {
        if (method !== "klay_getLogs") return false
        const { from, to } = range(params)
        return to - from + 1 > most
      }
      const error = { code, message }
      if (status !== 200 && requests.some(isTooWide)) {
        return Testing.json(status, { jsonrpc: "2.0", id: null, error })(sent)
      }
      return Node.node((request) => {
        if (request.method !== "klay_getLogs") return { result: "0x7d0" }
        if (isTooWide(request)) return { error }
        const { from, to } = range(request.params)
        return { result: numbers(from, to).map((at) => ({ ...records.log, blockNumber: `0x${at.toString(16)}` })) }
      })(sent)
    })

  const searched = (wire: Testing.Wire, search: LogRange.RangeFilter) =>
    Effect.gen(function*() {
      const node = yield* Node.make(wire)
      return yield* LogRange.logs(search).pipe(
        Stream.map((log) => Number(log.blockNumber)),
        Stream.runCollect,
        Effect.map(Chunk.toReadonlyArray),
        Effect.provideService(KlaytnNode.KlaytnNode, node),
        Client.within("10 minutes")
      )
    })

  it.effect.each(refusals)(
    "come whole from a provider that refuses wide searches by %i, %i: %s",
    (refusal) =>
      Effect.gen(function*() {
        const wire = provider(100, refusal)
        assert.deepStrictEqual(yield* searched(wire, { fromBlock: 0n, toBlock: 1999n }), numbers(0, 1999))
        // 20 are the least.
        assert.isAtMost(wire.sent.length, 66)
      })
  )

  it.effect.each(refusals)(
    "fail with the node's error if it refuses any search by %i, %i: %s",
    (refusal) =>
      Effect.gen(function*() {
        const wire = provider(0, refusal)
        const error = yield* Effect.flip(searched(wire, { fromBlock: 0n, toBlock: 1999n }))
        assert.notStrictEqual(error._tag, "InvalidInput")
        assert.include(error.message, refusal[0] === 200 ? refusal[2] : String(refusal[0]))
        assert.isAtMost(wire.sent.length, 26)
      })
  )

  it.effect.each([401, 402, 403, 404])("are not searched in parts after %i", (status) =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(status, "no"))
      yield* Effect.flip(searched(wire, { fromBlock: 0n, toBlock: 1999n }))
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("come each once and in order for every limit and first piece", () =>
    Effect.gen(function*() {
      for (const limit of [1, 2, 3, 7, 40]) {
        for (const first of [1, 5, 32]) {
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

  it.effect("are not believed from a node that has no such block, and leaves out its logs without a word", () =>
    Effect.gen(function*() {
      const state = { head: 10, has: 8 }
      const node = growing(state)
      const fiber = yield* Effect.fork(blocks(node, { fromBlock: 8n, piece: { first: 4 } }))
      yield* TestClock.adjust("2 seconds")
      state.has = 10
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(fiber), [8, 9, 10])
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
      ["a first piece above the most", { fromBlock: 0n, piece: { first: 33, most: 32 } }, ["piece", "first"]],
      ["a first piece above the usual most", { fromBlock: 0n, piece: { first: 10_001 } }, ["piece", "first"]],
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
      assert.strictEqual(asked(node).length, 2)
    }))
})

describe("the logs of all blocks from one on", () => {
  const following = (node: ReturnType<typeof growing>, fromBlock: bigint, seen: Array<LogRange.Piece>) =>
    LogRange.follow({ fromBlock, pollInterval: "1 second", piece: { first: 8 } }).pipe(
      Stream.runForEach((piece) => Effect.sync(() => seen.push(piece))),
      Effect.provide(node.layer)
    )

  const heights = (seen: ReadonlyArray<LogRange.Piece>) =>
    seen.flatMap(({ logs }) => logs.map(({ blockNumber }) => Number(blockNumber)))

  it.effect("come in pieces without gaps, and go on with each new block", () =>
    Effect.gen(function*() {
      const state = { head: 10, has: 10 }
      const seen: Array<LogRange.Piece> = []
      const fiber = yield* Effect.fork(following(growing(state), 3n, seen))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(heights(seen), numbers(3, 10))
      state.head = state.has = 12
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(heights(seen), numbers(3, 12))
      for (const [i, { fromBlock }] of seen.entries()) assert.strictEqual(fromBlock, (seen[i - 1]?.toBlock ?? 2n) + 1n)
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("leave nothing out when the node that answers lags behind", () =>
    Effect.gen(function*() {
      const state = { head: 10, has: 8 }
      const seen: Array<LogRange.Piece> = []
      const fiber = yield* Effect.fork(following(growing(state), 8n, seen))
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(heights(seen), [])
      state.has = 10
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(heights(seen), [8, 9, 10])
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("leave nothing out when one answer names a height of another chain", () =>
    Effect.gen(function*() {
      const state = { head: 200_000_000, has: 10 }
      const seen: Array<LogRange.Piece> = []
      const fiber = yield* Effect.fork(following(growing(state), 3n, seen))
      yield* TestClock.adjust("0 seconds")
      assert.deepStrictEqual(seen, [])
      state.head = 10
      yield* TestClock.adjust("1 second")
      state.head = state.has = 12
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(heights(seen), numbers(3, 12))
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("are each there once if the search is begun again from the stored block, wherever it was stopped", () =>
    Effect.gen(function*() {
      for (const stopAfter of [1, 2, 3, 4]) {
        const node = growing({ head: 20, has: 20 })
        const stored: Array<number> = []
        let next = 1n
        for (let i = 0; i < 12; i++) {
          yield* LogRange.follow({ fromBlock: next, piece: { first: 8 } }).pipe(
            Stream.takeWhile(({ fromBlock }) => fromBlock <= 20n),
            Stream.take(stopAfter),
            Stream.takeUntil(({ toBlock }) => toBlock === 20n),
            Stream.runForEach(({ logs, toBlock }) =>
              Effect.sync(() => {
                stored.push(...logs.map(({ blockNumber }) => Number(blockNumber)))
                next = toBlock + 1n
              })
            ),
            Effect.provide(node.layer)
          )
          if (next > 20n) break
        }
        assert.deepStrictEqual(stored, numbers(1, 20))
      }
    }))

  it.effect("end with the failure of a block that alone is too much", () =>
    Effect.gen(function*() {
      const node = TestNode.make({
        klay_blockNumber: () => "0x5",
        klay_getBlockTransactionCountByNumber: () => "0x1",
        klay_getLogs: () => new TestNode.Said(-32000, "query timeout exceeded")
      })
      const error = yield* Effect.flip(following(node, 5n, []))
      assert.strictEqual(error._tag, "LogLimitExceeded")
    }))
})
