import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as Client from "../../../core/test/support/client.js"
import { blockMethods } from "../../src/BlockMethods.js"
import * as BlockStream from "../../src/BlockStream.js"
import * as Confirmation from "../../src/Confirmation.js"
import * as KlaytnNode from "../../src/KlaytnNode.js"
import type { LogFilter } from "../../src/Log.js"
import { logMethods } from "../../src/LogMethods.js"
import * as LogRange from "../../src/LogRange.js"
import * as Method from "../../src/Method.js"
import { blocks } from "../golden/blocks.js"
import { eth } from "../golden/eth.js"
import * as records from "../golden/records.js"
import { alice, blockHash, hash, other, token } from "../golden/row.js"
import { transactions } from "../golden/transactions.js"
import * as Node from "../support/node.js"

const inTime = Client.within("10 minutes")

/** Whether the value that names what was asked for is one of a list of records. */
const isList = (method: string) => method.endsWith("getBlockReceipts")

/** The names in the answers of methods: what another value of them is. */
const named = [
  ["getBlockByNumber", "number", "0x8"],
  ["getHeaderByNumber", "number", "0x8"],
  ["getBlockWithConsensusInfoByNumber", "number", "0x8"],
  ["getBlockByHash", "hash", hash],
  ["getHeaderByHash", "hash", hash],
  ["getBlockWithConsensusInfoByHash", "hash", hash],
  ["getBlockReceipts", "blockHash", hash],
  ["getBlockReceipts", "blockNumber", "0x8"],
  ["getTransactionByHash", "hash", other],
  ["getTransactionByBlockHashAndIndex", "blockHash", hash],
  ["getTransactionByBlockNumberAndIndex", "transactionIndex", "0x9"],
  ["getTransactionReceipt", "transactionHash", other],
  ["getTransactionReceiptInCache", "transactionHash", other]
] as const

/** The golden calls that ask for something by name, with a whole answer. */
const rows = named.flatMap(([method, member, value]) =>
  [...blocks, ...transactions, ...eth]
    .filter(([name, , params, result]) =>
      name.endsWith(`_${method}`) && result !== "null" && result !== "[]" &&
      (params.startsWith(`["0x`) || member === "transactionIndex") &&
      // By hash or by number, as it is asked for.
      (!isList(name) || params.includes("b1b1") === (member === "blockHash"))
    )
    .map(([name, call, , result]) => {
      const wrong = result.replace(new RegExp(`"${member}":("[^"]*"|null)`), `"${member}":"${value}"`)
      return { name, member, call, result, wrong }
    })
)

describe("an answer about something else than was asked for", () => {
  it("is tried for each method whose answers name what was asked for", () => {
    const names = new Set(rows.map(({ name }) => name.slice(name.indexOf("_") + 1)))
    assert.deepStrictEqual(named.map(([method]) => method).filter((method) => !names.has(method)), [
      // The answers in the golden tables are null.
      "getTransactionByBlockHashAndIndex"
    ])
  })

  it.effect.each(rows.map((row, at) => [`${at} ${row.name}`, row] as const))(
    "is asked for again, and is refused as malformed if that goes on: %s",
    ([, { call, member, name, result, wrong }]) =>
      Effect.gen(function*() {
        assert.notStrictEqual(wrong, result)
        const answers = [wrong, wrong, result].map((one) => Node.body(`{"jsonrpc":"2.0","id":1,"result":${one}}`))
        const right = yield* Node.make(Testing.wire(...answers))
        yield* inTime(call(right))
        const wire = Testing.wire(Node.body(`{"jsonrpc":"2.0","id":1,"result":${wrong}}`))
        const error = yield* inTime(Effect.flip(call(yield* Node.make(wire))))
        assert.deepInclude(error, {
          _tag: "MalformedResponse",
          operation: `node.${name}`,
          path: isList(name) ? ["result", 0, member] : ["result", member],
          retrySafe: true
        })
        assert.strictEqual(wire.sent.length, RetryPolicy.defaultPolicy.attempts)
      })
  )

  it.effect("is asked for again in a list too, and alone", () =>
    Effect.gen(function*() {
      const block = (number: string) => ({ ...records.header, size: "0x1", transactions: [], number })
      let wrong = 1
      const wire = Testing.wire(Node.node(({ params: [number] }) => ({
        result: block(number === "0x6" && wrong-- > 0 ? "0x7" : String(number))
      })))
      const node = yield* Node.make(wire)
      const found = yield* inTime(node.runEach(blockMethods.getBlockByNumber, [[5n], [6n]]))
      assert.deepStrictEqual(found.map((one) => Either.map(one, ({ number }) => number)), [
        Either.right(5n),
        Either.right(6n)
      ])
      assert.deepStrictEqual(wire.sent.map((sent) => Node.requestsIn(sent).length), [2, 1])
      const odd = yield* Node.make(Testing.wire(Node.node(() => ({ result: block("0x5") }))))
      const [first, second] = yield* inTime(odd.runAll([
        Method.call(blockMethods.getBlockByNumber, 5n),
        Method.call(blockMethods.getHeaderByNumber, 6n)
      ]))
      assert.isTrue(first !== undefined && Either.isRight(first))
      assert.deepInclude(second && Either.getOrThrow(Either.flip(second)), {
        _tag: "MalformedResponse",
        operation: "node.klay_getHeaderByNumber",
        path: ["result", "number"]
      })
    }))

  it.effect("is not believed where a hash has other letters or a number has zeros before it: it is the same", () =>
    Effect.gen(function*() {
      const upper = `0x${blockHash.slice(2).toUpperCase()}`
      const answer = { ...records.header, size: "0x1", transactions: [], number: "0x01b4", hash: upper }
      const wire = Testing.wire(Node.node(() => ({ result: answer })))
      const node = yield* Node.make(wire)
      yield* node.klay.getHeaderByHash(blockHash)
      yield* node.call("klay_getBlockByNumber", ["0x1b4", false], blockMethods.getBlockByNumber.result)
      yield* node.call("klay_getBlockByNumber", ["latest", false], blockMethods.getBlockByNumber.result)
      assert.strictEqual(wire.sent.length, 3)
    }))

  it.effect("is no receipt: the wait for a transaction goes on", () =>
    Effect.gen(function*() {
      let wrong = 9
      const receipt = records.receipt(records.transfer)
      const wire = Testing.wire(Node.node(() => ({
        result: wrong-- > 0 ? { ...receipt, transactionHash: other } : receipt
      })))
      const found = yield* inTime(
        Effect.provideServiceEffect(Confirmation.waitForReceipt(hash), KlaytnNode.KlaytnNode, Node.make(wire))
      )
      assert.strictEqual(found.transactionHash, hash)
      assert.strictEqual(wire.sent.length, 10)
    }))

  it.effect("ends a stream of blocks at once at its first block, and after 60 polls at a later one", () =>
    Effect.gen(function*() {
      const hashOf = (height: number) => `0x${(height + 1).toString(16).padStart(64, "0")}`
      const polls = (isWrong: (height: number) => boolean) =>
        Effect.gen(function*() {
          const wire = Testing.wire(Node.node(({ method, params: [height] }) => {
            if (method === "klay_blockNumber") return { result: "0x6" }
            const number = isWrong(Number(height)) ? 9 : Number(height)
            const own = { number: `0x${number.toString(16)}`, hash: hashOf(number), parentHash: hashOf(number - 1) }
            return { result: { ...records.header, size: "0x1", ...own, transactions: [] } }
          }))
          const seen: Array<number> = []
          const error = yield* BlockStream.blocks({ from: 5n, atOnce: 1 }).pipe(
            Stream.runForEach((block) => Effect.sync(() => seen.push(Number(block.number)))),
            Effect.flip,
            Effect.provideServiceEffect(KlaytnNode.KlaytnNode, Node.make(wire)),
            inTime
          )
          assert.deepInclude(error, { _tag: "MalformedResponse", path: ["result", "number"] })
          const heights = wire.sent.flatMap(Node.requestsIn).filter(({ method }) => method === "klay_blockNumber")
          return { seen, polls: heights.length }
        })
      assert.deepStrictEqual(yield* polls((height) => height === 5), { seen: [], polls: 1 })
      assert.deepStrictEqual(yield* polls((height) => height === 6), { seen: [5], polls: 62 })
    }))
})

const log = (block: number, index: number, more: object = {}) => ({
  ...records.log,
  blockNumber: `0x${block.toString(16)}`,
  logIndex: `0x${index.toString(16)}`,
  ...more
})

const search = { fromBlock: 5n, toBlock: 9n, address: token, topics: [hash, [other, null]] }

const contradictions: ReadonlyArray<
  readonly [name: string, logs: ReadonlyArray<object>, path: readonly [number, string], filter?: LogFilter]
> = [
  ["of a block before the range", [log(4, 0)], [0, "blockNumber"]],
  ["of a block behind the range", [log(5, 0), log(10, 0)], [1, "blockNumber"]],
  ["of no block", [log(5, 0, { blockNumber: null })], [0, "blockNumber"]],
  ["of another block than that of the hash", [log(5, 0, { blockHash: other })], [0, "blockHash"], { blockHash }],
  ["of another address", [log(5, 0), log(5, 1, { address: alice })], [1, "address"]],
  ["of another address than one of several", [log(5, 0)], [0, "address"], {
    fromBlock: 5n,
    toBlock: 9n,
    address: [alice]
  }],
  ["with another topic", [log(5, 0, { topics: [other, other] })], [0, "topics"]],
  ["with too few topics", [log(5, 0, { topics: [hash] })], [0, "topics"]],
  ["that was removed", [log(5, 0, { removed: true })], [0, "removed"]],
  ["before the log of the block before it", [log(6, 0), log(5, 0)], [1, "logIndex"]],
  ["before the one before it in its block", [log(6, 1), log(6, 0)], [1, "logIndex"]],
  ["that comes twice", [log(6, 0), log(6, 0)], [1, "logIndex"]]
]

describe("a log that was not asked for", () => {
  it.effect.each(contradictions)(
    "is asked for again, alone, in a list and in a search, and then refused: one %s",
    ([, logs, path, filter = search]) =>
      Effect.gen(function*() {
        const refused = {
          _tag: "MalformedResponse" as const,
          operation: "node.klay_getLogs",
          path: ["result", ...path]
        }
        const wire = Testing.wire(Node.node(({ method }) => ({ result: method === "klay_getLogs" ? logs : "0x1" })))
        const node = yield* Node.make(wire)
        assert.deepInclude(yield* inTime(Effect.flip(node.klay.getLogs(filter))), refused)
        assert.strictEqual(wire.sent.length, RetryPolicy.defaultPolicy.attempts)
        const [listed] = yield* inTime(node.runEach(logMethods.getLogs, [[filter]]))
        assert.deepInclude(listed && Either.getOrThrow(Either.flip(listed)), refused)
        if (filter !== search) return
        const asked = wire.sent.length
        const error = yield* inTime(
          Effect.flip(Stream.runDrain(LogRange.logs(search))).pipe(Effect.provideService(KlaytnNode.KlaytnNode, node))
        )
        assert.deepInclude(error, refused)
        assert.isAtLeast(wire.sent.length - asked, 4)
      })
  )

  it.effect("costs nothing where another copy of the node answers right", () =>
    Effect.gen(function*() {
      let wrong = 2
      const right = [log(5, 0), log(6, 3), log(9, 1)]
      const wire = Testing.wire(Node.node(({ method }) => ({
        result: method !== "klay_getLogs" ? "0x1" : wrong-- > 0 ? [...right, ...right] : right
      })))
      const found = yield* inTime(
        Effect.provideServiceEffect(Stream.runCollect(LogRange.logs(search)), KlaytnNode.KlaytnNode, Node.make(wire))
      )
      assert.deepStrictEqual(Chunk.toReadonlyArray(found).map(({ blockNumber }) => blockNumber), [5n, 6n, 9n])
    }))
})

const hashOf = (height: number) => `0x${height.toString(16).padStart(64, "0")}`

describe("logs of old blocks", () => {
  /** A chain of 1500 blocks with a log each, at every other request behind a copy that has 1100 of them. */
  const copies = (lacking: ReadonlyArray<string>) => {
    let requests = 0
    return Testing.wire((sent) => {
      const has = requests++ % 2 === 0 ? 1500 : 1100
      return Node.node(({ method, params: [first] }) => {
        if (lacking.includes(method)) return { error: { code: -32601, message: `the method ${method} does not exist` } }
        if (method === "klay_blockNumber") return { result: `0x${has.toString(16)}` }
        if (method === "klay_getBlockTransactionCountByNumber") return { result: Number(first) > has ? null : "0x1" }
        if (method === "klay_getBlockByNumber") return { result: Number(first) > has ? null : { number: first } }
        const { fromBlock, toBlock } = Object(first)
        const [from, to] = [Number(fromBlock), Math.min(has, Number(toBlock))]
        return { result: Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => log(from + i, 0)) }
      })(sent)
    })
  }

  it.effect.each<readonly [name: string, lacking: ReadonlyArray<string>]>([
    ["counts transactions", []],
    ["does not count transactions", ["klay_getBlockTransactionCountByNumber"]]
  ])("are all there behind a copy that lags by hundreds of blocks and %s", ([, lacking]) =>
    Effect.gen(function*() {
      const found = yield* LogRange.logs({ fromBlock: 1000n, toBlock: 1500n, piece: { first: 50, most: 50 } }).pipe(
        Stream.map(({ blockNumber }) => Number(blockNumber)),
        Stream.runCollect,
        Effect.provideServiceEffect(KlaytnNode.KlaytnNode, Node.make(copies(lacking))),
        inTime
      )
      assert.deepStrictEqual(Chunk.toReadonlyArray(found), Array.from({ length: 501 }, (_, i) => 1000 + i))
    }))

  it.effect("are all there, once, where requests come apart: those of a block at the border too", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.node(({ method, params: [first] }) => {
        if (method === "klay_blockNumber") return { result: "0x5dc" }
        if (method === "klay_getBlockTransactionCountByNumber") return { result: "0x1" }
        if (method === "klay_getBlockByNumber") {
          const number = String(first)
          return { result: { ...records.header, number, hash: hashOf(Number(number)), size: "0x1", transactions: [] } }
        }
        const { blockHash, fromBlock, toBlock } = Object(first)
        const [from, to] = [blockHash ?? fromBlock, blockHash ?? toBlock].map(Number) as [number, number]
        return {
          result: Array.from({ length: to - from + 1 }, (_, i) => log(from + i, 0, { blockHash: hashOf(from + i) }))
        }
      }))
      const found = yield* LogRange.logs({ fromBlock: 1000n, piece: { first: 100, most: 100 } }).pipe(
        Stream.map(({ blockNumber }) => Number(blockNumber)),
        Stream.runCollect,
        Effect.provideServiceEffect(KlaytnNode.KlaytnNode, Node.make(wire, { batching: "off" })),
        inTime
      )
      assert.deepStrictEqual(Chunk.toReadonlyArray(found), Array.from({ length: 501 }, (_, i) => 1000 + i))
      const times = (name: string) => wire.sent.flatMap(Node.requestsIn).filter(({ method }) => method === name).length
      // Of the newest block, four times of the first piece, and once of each piece with one of the newest 256 blocks.
      assert.strictEqual(times("klay_getBlockTransactionCountByNumber"), 1 + 4 + 4)
      assert.strictEqual(times("klay_getBlockByNumber"), 256)
    }))
})
