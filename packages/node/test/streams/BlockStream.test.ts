import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as BlockStream from "../../src/BlockStream.js"
import * as KlaytnNode from "../../src/KlaytnNode.js"
import * as records from "../golden/records.js"
import { hash } from "../golden/row.js"
import * as Node from "../support/node.js"
import * as TestNode from "../support/testNode.js"

const quantity = (n: number) => `0x${n.toString(16)}`

/** The hash of the block at a height, of one of two chains. */
const hashAt = (height: number, fork = 0) => `0x${(height * 16 + fork).toString(16).padStart(64, "0")}`

/** A chain whose head moves; `has` says up to where the node that is asked for a block has it. */
const chain = (state: { head: number; has?: number; missing?: number; fork?: number }) =>
  TestNode.make({
    klay_blockNumber: () => quantity(state.head),
    klay_getBlockByNumber: ([height, full]) =>
      Number(height) > (state.has ?? state.head) || Number(height) === state.missing
        ? new TestNode.Said(-32000, `the block does not exist (block number: ${Number(height)})`)
        : {
          ...records.header,
          size: "0x1",
          number: height,
          hash: hashAt(Number(height), state.fork),
          parentHash: hashAt(Number(height) - 1, state.fork),
          transactions: full === true ? [records.transaction(records.transfer)] : [hash]
        }
  })

const heights = (node: ReturnType<typeof chain>, options: BlockStream.Options, count: number) =>
  BlockStream.blocks(options).pipe(
    Stream.take(count),
    Stream.map((block) => Number(block.number)),
    Stream.runCollect,
    Effect.map(Chunk.toReadonlyArray),
    Effect.provide(node.layer)
  )

/** A node over HTTP that can be gone, and the heights that a stream of its blocks has given. */
const restarting = Effect.gen(function*() {
  const state = { head: 5, isDown: false }
  const wire = Testing.wire((sent) =>
    state.isDown
      ? Testing.broken(Testing.networkError("ECONNREFUSED"))(sent)
      : Node.node(({ method, params: [height] }) => ({
        result: method === "klay_blockNumber" ? quantity(state.head) : {
          ...records.header,
          size: "0x1",
          number: height,
          hash: hashAt(Number(height)),
          parentHash: hashAt(Number(height) - 1),
          transactions: []
        }
      }))(sent)
  )
  const seen: Array<number> = []
  const fiber = yield* BlockStream.blocks({ from: 4n }).pipe(
    Stream.runForEach((block) => Effect.sync(() => seen.push(Number(block.number)))),
    Effect.provideServiceEffect(KlaytnNode.KlaytnNode, Node.make(wire)),
    Effect.flip,
    Effect.fork
  )
  yield* TestClock.adjust("1 second")
  state.isDown = true
  return { fiber, seen, state }
})

describe("a stream of blocks", () => {
  it.effect("goes on where it was after a restart of the node", () =>
    Effect.gen(function*() {
      const { fiber, seen, state } = yield* restarting
      for (let second = 0; second < 50; second++) yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(seen, [4, 5])
      state.isDown = false
      state.head = 8
      for (let second = 0; second < 5; second++) yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(seen, [4, 5, 6, 7, 8])
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("fails when the node is gone for good", () =>
    Effect.gen(function*() {
      const { fiber } = yield* restarting
      for (let second = 0; second < 200; second++) yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "TransportFailed")
    }))

  it.effect("begins at a height and catches up, a few blocks at once", () =>
    Effect.gen(function*() {
      const node = chain({ head: 10 })
      assert.deepStrictEqual(yield* heights(node, { from: 3n, atOnce: 4 }, 8), [3, 4, 5, 6, 7, 8, 9, 10])
      assert.strictEqual(node.asked.filter(([method]) => method === "klay_blockNumber").length, 2)
    }))

  it.effect("begins at the latest block, and gives each that comes, also when several come at once", () =>
    Effect.gen(function*() {
      const state = { head: 5 }
      const node = chain(state)
      const seen = yield* Ref.make<ReadonlyArray<number>>([])
      const fiber = yield* Effect.fork(
        BlockStream.blocks().pipe(
          Stream.runForEach((block) => Ref.update(seen, (all) => [...all, Number(block.number)])),
          Effect.provide(node.layer)
        )
      )
      yield* TestClock.adjust("1500 millis")
      assert.deepStrictEqual(yield* Ref.get(seen), [5])
      state.head = 9
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Ref.get(seen), [5, 6, 7, 8, 9])
      yield* Fiber.interrupt(fiber)
      const asked = node.asked.length
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(node.asked.length, asked)
    }))

  it.effect("has no block that was not asked for", () =>
    Effect.gen(function*() {
      let wrong = 3
      const wire = Testing.wire(Node.node(({ method, params: [height] }) => {
        if (method === "klay_blockNumber") return { result: "0x6" }
        const number = height === "0x5" && wrong-- > 0 ? "0x8" : String(height)
        const [hash, parentHash] = [Number(number), Number(number) - 1].map((n) =>
          `0x${(n + 1).toString(16).padStart(64, "0")}`
        )
        return { result: { ...records.header, size: "0x1", number, hash, parentHash, transactions: [] } }
      }))
      const seen: Array<number> = []
      const fiber = yield* BlockStream.blocks({ from: 5n }).pipe(
        Stream.runForEach((block) => Effect.sync(() => seen.push(Number(block.number)))),
        Effect.provideServiceEffect(KlaytnNode.KlaytnNode, Node.make(wire)),
        Effect.fork
      )
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(seen, [5, 6])
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("has no gap and nothing twice when another node is late or falls back", () =>
    Effect.gen(function*() {
      const state = { head: 8, has: 6 }
      const node = chain(state)
      const fiber = yield* Effect.fork(heights(node, { from: 5n }, 5))
      yield* TestClock.adjust("1 second")
      state.head = 4
      state.has = 4
      yield* TestClock.adjust("1 second")
      state.head = 9
      state.has = 9
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* Fiber.join(fiber), [5, 6, 7, 8, 9])
    }))

  it.effect("leaves no block out that one node does not have yet while another has the next ones", () =>
    Effect.gen(function*() {
      const state = { head: 8, missing: 6 }
      const node = chain(state)
      const fiber = yield* Effect.fork(heights(node, { from: 5n }, 4))
      yield* TestClock.adjust("1 second")
      state.missing = 0
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(fiber), [5, 6, 7, 8])
    }))

  it.effect("asks again for a block that does not follow the last one", () =>
    Effect.gen(function*() {
      const state = { head: 6, fork: 0 }
      const node = chain(state)
      const fiber = yield* Effect.fork(heights(node, { from: 5n }, 4))
      yield* TestClock.adjust("1 millis")
      state.head = 8
      state.fork = 1
      yield* TestClock.adjust("30 seconds")
      assert.isNull(fiber.unsafePoll())
      state.fork = 0
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(fiber), [5, 6, 7, 8])
    }))

  it.effect("fails when no node has the block that follows, and says what was seen and when", () =>
    Effect.gen(function*() {
      const state = { head: 6, fork: 0 }
      const fiber = yield* Effect.fork(Effect.flip(heights(chain(state), { from: 5n }, 4)))
      yield* TestClock.adjust("1 millis")
      state.head = 8
      state.fork = 1
      yield* TestClock.adjust("2 minutes")
      const error = yield* Fiber.join(fiber)
      assert.deepInclude(error, { _tag: "MalformedResponse", path: ["parentHash"] })
      assert.include(error.message, `block 6 (${hashAt(6)}) was delivered at 1970-01-01T00:00:00`)
      assert.include(error.message, "a node reported height 8 at 1970-01-01T00:01:")
    }))

  it.effect.each(
    [
      ["a height that is no bigint", { from: 1.5 }, ["from"]],
      ["a negative height", { from: -1n }, ["from"]],
      ["a word that is none", { from: "earliest" }, ["from"]],
      ["no end of blocks at once", { atOnce: Number.POSITIVE_INFINITY }, ["atOnce"]],
      ["too many blocks at once", { atOnce: 1001 }, ["atOnce"]],
      ["a part of a block at once", { atOnce: 0.5 }, ["atOnce"]],
      ["a pause that is none", { pollInterval: "soon" }, ["pollInterval"]]
    ] as const
  )("refuses %s before it asks anything", ([, options, path]) =>
    Effect.gen(function*() {
      const node = chain({ head: 10 })
      // What the types keep out is given by programs without types.
      const error = yield* Effect.flip(heights(node, options as BlockStream.Options, 1))
      assert.deepInclude(error, { _tag: "InvalidInput", path })
      assert.deepStrictEqual(node.asked, [])
    }))

  it.effect("fails when the node does", () =>
    Effect.gen(function*() {
      const node = TestNode.make({})
      const error = yield* Effect.flip(Stream.runDrain(BlockStream.blocks())).pipe(Effect.provide(node.layer))
      assert.strictEqual(error._tag, "MethodNotFound")
    }))

  it.effect("has the transactions if they are asked for", () =>
    Effect.gen(function*() {
      const node = chain({ head: 1 })
      const blocks = yield* BlockStream.fullBlocks({ from: 1n }).pipe(
        Stream.take(1),
        Stream.runCollect,
        Effect.provide(node.layer)
      )
      assert.deepStrictEqual(Chunk.toReadonlyArray(blocks).map((block) => block.transactions[0]?._tag), [
        "ValueTransfer"
      ])
    }))
})
