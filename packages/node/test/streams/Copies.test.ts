import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Batching from "../../src/Batching.js"
import * as BlockHeads from "../../src/BlockHeads.js"
import * as BlockStream from "../../src/BlockStream.js"
import * as KlaytnNode from "../../src/KlaytnNode.js"
import * as LogRange from "../../src/LogRange.js"
import * as records from "../golden/records.js"
import { other, token } from "../golden/row.js"
import * as Node from "../support/node.js"

const quantity = (n: number) => `0x${n.toString(16)}`
const hashOf = (height: number) => `0x${height.toString(16).padStart(64, "0")}`
const log = (height: number, index: number) => ({
  ...records.log,
  blockNumber: quantity(height),
  blockHash: hashOf(height),
  logIndex: quantity(index)
})

/** How a request of several calls comes apart: half of it is refused, all of it is refused, or it is lost. */
const troubles = ["throttled first", "throttled last", "too large", "502", "cut", "no lists", "none"] as const

/** Two logs in each block of a chain that grows with each request, behind an address that copies of a node answer by chance. */
const copies = (
  seed: number,
  options: { readonly end: number; readonly trouble?: (typeof troubles)[number] | "every other lost" }
) => {
  let state = seed
  const below = (most: number) => ((state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff) >>> 12) % most
  let head = 10
  let lists = 0
  const answer = (at: number, { method, params: [first] }: Node.Request): object => {
    const missing = { error: { code: -32000, message: "the header does not exist" } }
    if (method === "klay_blockNumber") return { result: quantity(at) }
    if (method === "klay_getBlockTransactionCountByNumber") return { result: Number(first) <= at ? "0x1" : null }
    if (method === "klay_getBlockByNumber") {
      const height = Number(first)
      const own = { number: quantity(height), hash: hashOf(height), parentHash: hashOf(height - 1) }
      return height > at ? missing : { result: { ...records.header, ...own, size: "0x1", transactions: [] } }
    }
    const { blockHash, fromBlock, toBlock } = Object(first)
    if (blockHash !== undefined) {
      const height = Number(blockHash)
      return height > at ? missing : { result: [log(height, 0), log(height, 1)] }
    }
    // A node leaves out what it does not have.
    const [from, to] = [Number(fromBlock), Math.min(at, Number(toBlock))]
    return {
      result: Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => [log(from + i, 0), log(from + i, 1)]).flat()
    }
  }
  const wire = Testing.wire((sent) => {
    const calls = Node.requestsIn(sent)
    if (head < options.end) head++
    const at = head - below(4)
    const wanted = calls.length === 1 ? "none" : options.trouble ?? troubles[below(troubles.length)]
    const trouble = wanted !== "every other lost" ? wanted : lists++ % 2 === 0 ? "502" : "none"
    const throttled = { error: { code: -32005, message: "daily request count exceeded" } }
    if (trouble === "502") return Testing.text(502, "bad gateway")(sent)
    if (trouble === "cut") return Testing.broken(Testing.networkError("ECONNRESET"))(sent)
    if (trouble === "no lists") {
      return Testing.json(200, { jsonrpc: "2.0", id: null, error: { code: -32600, message: "no lists" } })(sent)
    }
    return Node.node((call) => {
      if (trouble === "throttled first" && call.id === calls[0]?.id) return throttled
      if (trouble === "throttled last" && call.id === calls.at(-1)?.id) return throttled
      if (trouble === "too large" && call.id === calls.at(-1)?.id) {
        return { error: { code: -32003, message: "response too large" } }
      }
      return answer(at, call)
    })(sent)
  })
  /** Announces the blocks of the copy that is ahead of all others, some of them twice, while the connection comes and goes. */
  const now = Effect.sync((): BlockHeads.Announced => ({
    isSubscribed: below(3) > 0,
    newest: Option.some(BigInt(head))
  }))
  const heads: BlockHeads.Service = {
    current: now,
    changes: Stream.repeatEffectWithSchedule(now, Schedule.spaced("1 second"))
  }
  return { wire, end: options.end, heads }
}

/** Runs an effect whatever it waits for. */
const patiently = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.fork(effect)
    for (let turns = 0; turns < 500; turns++) {
      if ((yield* Fiber.poll(fiber))._tag === "Some") return yield* Fiber.join(fiber)
      yield* TestClock.adjust("5 seconds")
    }
    return assert.fail("it did not end")
  })

const expected = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => [`${from + i} 0`, `${from + i} 1`]).flat()
const placeOf = ({ blockNumber, logIndex }: LogRange.Piece["logs"][number]) => `${blockNumber} ${logIndex}`

describe("the logs of several copies of a node that lag", () => {
  const cases = [
    ...(["throttled first", "too large", "no lists"] as const).map((trouble) => [trouble, Batching.make()] as const),
    ["each of these by chance", Batching.make()] as const,
    ["no lists, by the client", "off"] as const
  ]
  for (const [name, batching] of cases) {
    it.effect(`are all there, once and in order, whatever tears requests apart: ${name}`, () =>
      Effect.gen(function*() {
        for (const seed of name === "each of these by chance" ? [1, 2, 3] : [1]) {
          const trouble = troubles.find((one) => one === name)
          const { end, wire } = copies(seed, { end: 30, ...(trouble !== undefined && { trouble }) })
          const node = yield* Node.make(wire, { batching })
          const search = { address: token, piece: { first: 7 } }
          const provided = Effect.provideService(KlaytnNode.KlaytnNode, node)
          const followed = yield* LogRange.follow({ ...search, fromBlock: 3n }).pipe(
            Stream.takeUntil(({ toBlock }) => toBlock === BigInt(end)),
            Stream.mapConcat(({ logs }) => logs),
            Stream.runCollect,
            provided,
            patiently
          )
          assert.deepStrictEqual(Chunk.toReadonlyArray(followed).map(placeOf), expected(3, end), `follow ${seed}`)
          // A range whose end is in the future.
          const future = copies(seed, { end: 40, ...(trouble !== undefined && { trouble }) })
          const ranged = yield* LogRange.logs({ ...search, fromBlock: 3n, toBlock: 32n }).pipe(
            Stream.runCollect,
            Effect.provideService(KlaytnNode.KlaytnNode, yield* Node.make(future.wire, { batching })),
            patiently
          )
          assert.deepStrictEqual(Chunk.toReadonlyArray(ranged).map(placeOf), expected(3, 32), `logs ${seed}`)
        }
      }))
  }
})

describe("the logs of copies of a node that loses requests", () => {
  it.effect("are asked for again as a whole, so that no node needs to search by the hashes of blocks", () =>
    Effect.gen(function*() {
      const { end, wire } = copies(1, { end: 30, trouble: "every other lost" })
      const found = yield* LogRange.follow({ address: token, fromBlock: 3n, piece: { first: 7 } }).pipe(
        Stream.takeUntil(({ toBlock }) => toBlock === BigInt(end)),
        Stream.mapConcat(({ logs }) => logs),
        Stream.runCollect,
        Effect.provideService(KlaytnNode.KlaytnNode, yield* Node.make(wire)),
        patiently
      )
      assert.deepStrictEqual(Chunk.toReadonlyArray(found).map(placeOf), expected(3, end))
      const methods = new Set(wire.sent.flatMap(Node.requestsIn).map(({ method }) => method))
      assert.deepStrictEqual([...methods].sort(), [
        "klay_blockNumber",
        "klay_getBlockTransactionCountByNumber",
        "klay_getLogs"
      ])
    }))
})

describe("the blocks of several copies of a node that lag", () => {
  it.effect.each([1, 3])(
    "are all there, once and in order, and so are the events with announcements: %s",
    (seed) =>
      Effect.gen(function*() {
        for (const isAnnounced of [true, false]) {
          const { end, heads, wire } = copies(seed, { end: 40 })
          const node = yield* Node.make(wire)
          const using = <A, E>(effect: Effect.Effect<A, E, KlaytnNode.KlaytnNode>) => {
            const provided = Effect.provideService(effect, KlaytnNode.KlaytnNode, node)
            return patiently(isAnnounced ? Effect.provideService(provided, BlockHeads.BlockHeads, heads) : provided)
          }
          const blocks = yield* using(
            BlockStream.blocks({ from: 3n, atOnce: 5 }).pipe(Stream.take(end - 2), Stream.runCollect)
          )
          assert.deepStrictEqual(
            Chunk.toReadonlyArray(blocks).map(({ number }) => Number(number)),
            Array.from({ length: end - 2 }, (_, i) => i + 3)
          )
          const later = copies(seed + 10, { end: 40 })
          const followed = yield* LogRange.follow({ address: token, piece: { first: 7 }, fromBlock: 3n }).pipe(
            Stream.takeUntil(({ toBlock }) => toBlock === BigInt(end)),
            Stream.mapConcat(({ logs }) => logs),
            Stream.runCollect,
            Effect.provideService(KlaytnNode.KlaytnNode, yield* Node.make(later.wire)),
            (effect) => isAnnounced ? Effect.provideService(effect, BlockHeads.BlockHeads, later.heads) : effect,
            patiently
          )
          assert.deepStrictEqual(Chunk.toReadonlyArray(followed).map(placeOf), expected(3, end))
        }
      })
  )
})

describe("the logs of a block that a node refuses to search", () => {
  it.effect("are those of its receipts that match", () =>
    Effect.gen(function*() {
      const topics = (...given: ReadonlyArray<string>) => ({ ...log(5, 0), topics: given })
      const logs = [topics(other), topics(hashOf(1), other), topics(), {
        ...topics(other),
        address: hashOf(3).slice(0, 42)
      }]
      const wire = Testing.wire(Node.node(({ method }) => {
        if (method === "klay_getLogs") {
          return { error: { code: -32000, message: "query returned more than 10000 results" } }
        }
        if (method === "klay_getBlockTransactionCountByNumber") return { result: "0x1" }
        if (method === "klay_getBlockByNumber") {
          return { result: { ...records.header, number: "0x5", hash: hashOf(5), size: "0x1", transactions: [] } }
        }
        if (method === "klay_getBlockReceipts") {
          return { result: [{ ...records.receipt(records.transfer), blockHash: hashOf(5), blockNumber: "0x5", logs }] }
        }
        return { result: "0x5" }
      }))
      const found = (filter: Pick<LogRange.RangeFilter, "address" | "topics">) =>
        LogRange.logs({ fromBlock: 5n, toBlock: 5n, ...filter }).pipe(
          Stream.map((one) => one.topics.join()),
          Stream.runCollect,
          Effect.map(Chunk.toReadonlyArray),
          Effect.provideServiceEffect(KlaytnNode.KlaytnNode, Node.make(wire))
        )
      assert.strictEqual((yield* found({})).length, 4)
      assert.deepStrictEqual(yield* found({ address: token, topics: [other] }), [other])
      assert.deepStrictEqual(yield* found({ address: [token], topics: [null, [other, null]] }), [
        `${hashOf(1)},${other}`
      ])
      assert.deepStrictEqual(yield* found({ topics: [[other.toUpperCase().replace("0X", "0x"), hashOf(1)]] }), [
        other,
        `${hashOf(1)},${other}`,
        other
      ])
    }))
})
