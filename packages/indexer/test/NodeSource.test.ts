import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { catchUp, type Options, SourceMismatch } from "../src/CatchUp.js"
import { NodeFault } from "../src/IndexError.js"
import type * as IndexScope from "../src/IndexScope.js"
import type { IndexStore } from "../src/IndexStore.js"
import type * as NodeSource from "../src/NodeSource.js"
import { alice, amount, bob, FakeNode, hash, quantity, token } from "./support/fakeNode.js"
import { stores } from "./support/stores.js"

/** The newest block, the transfers of coin and of the token, and what Bob has of the token. */
const stateOf = ({ reader }: IndexStore) =>
  Effect.gen(function*() {
    const count = (kind: "coin" | "ft") =>
      Effect.map(reader.transfers({ kinds: [kind], limit: 1000 }), ({ length }) => length)
    return {
      height: (yield* reader.head).number,
      coin: yield* count("coin"),
      tokens: yield* count("ft"),
      bob: yield* reader.totalBalance(token, bob)
    }
  })

/** The state of an index of all blocks up to a height. */
const whole = (height: number) => ({ height, coin: height, tokens: height, bob: amount * BigInt(height) })

const methodsOf = (node: FakeNode) =>
  node.requests.map((calls) => [...new Set(calls.map(({ method }) => method))].join())

describe.each(stores)("a node that is followed on %s", (_, open) => {
  const follow = (
    node: FakeNode,
    { scope, ...options }: Options & { readonly scope?: IndexScope.IndexScope } = {},
    sourceOptions: NodeSource.Options = {}
  ) =>
    Effect.gen(function*() {
      const index = yield* open(scope)
      const source = yield* node.source({ ...sourceOptions, namespace: "eth" })
      return { index, source, catchUp: catchUp(index, source, options) }
    })

  it.scoped("is read to its newest block, many blocks in a request", () =>
    Effect.gen(function*() {
      const node = new FakeNode(120)
      const { catchUp, index, source } = yield* follow(node)
      assert.deepStrictEqual([source.chainId, source.namespace, yield* source.head], [1001, "eth", 120])
      assert.deepStrictEqual(yield* catchUp, { reverted: 0, indexed: 121 })
      assert.deepStrictEqual(yield* stateOf(index), whole(120))
      const perBlock = methodsOf(node).filter((method) =>
        method === "eth_blockNumber,eth_getBlockByNumber" || method === "eth_getBlockReceipts"
      )
      assert.isBelow(perBlock.length, 24)
      assert.isTrue(node.requests.every((calls) => calls.length <= 100))
      node.height = 122
      assert.deepStrictEqual(yield* catchUp, { reverted: 0, indexed: 2 })
      assert.deepStrictEqual(yield* stateOf(index), whole(122))
    }))

  it.scoped("may have transactions of unknown types", () =>
    Effect.gen(function*() {
      const types = ["0x0", "0x1", "0x2", "0x3", "0x4", "0x7f"] as const
      const node = new FakeNode(types.length)
      node.typeOf = (height) => types[height - 1] ?? "0x0"
      const { catchUp, index } = yield* follow(node)
      yield* catchUp
      assert.deepStrictEqual(yield* stateOf(index), whole(types.length))
      const found = yield* index.reader.transactions({ limit: 10 })
      assert.deepStrictEqual(found.map(({ typeInt }) => typeInt).reverse(), [0, 0x7801, 0x7802, 0x7803, 0x7804, 0x787f])
      assert.deepStrictEqual(
        new Set(found.map(({ from, raw, to, value }) => [from, to, value, raw].join())),
        new Set([
          [alice, token, 7n, "0x"].join()
        ])
      )
    }))

  it.scoped("may have no method for the receipts of a block", () =>
    Effect.gen(function*() {
      const node = new FakeNode(30)
      node.fault = ({ method }) =>
        method === "eth_getBlockReceipts"
          ? { error: { code: -32601, message: "the method does not exist" } }
          : undefined
      const { catchUp, index } = yield* follow(node)
      yield* catchUp
      assert.deepStrictEqual(yield* stateOf(index), whole(30))
      assert.strictEqual(methodsOf(node).filter((method) => method === "eth_getBlockReceipts").length, 1)
    }))

  it.scoped("may begin at a height, or at a date", () =>
    Effect.gen(function*() {
      const node = new FakeNode(30)
      const { catchUp, index, source } = yield* follow(node, { scope: { firstBlock: 21 } })
      assert.deepStrictEqual(yield* catchUp, { reverted: 0, indexed: 10 })
      assert.isTrue(Option.isNone(yield* index.reader.block(20)))
      assert.deepInclude(yield* stateOf(index), { height: 30, tokens: 10, bob: 150n })
      const at = (second: number) => source.heightAt(1_700_000_000 + second)
      assert.deepStrictEqual(
        [yield* at(-5), yield* at(0), yield* at(17), yield* at(30), yield* at(31)],
        [0, 0, 17, 30, undefined]
      )
      node.fork = () => "b"
      assert.strictEqual(
        (yield* Effect.flip(catchUp)).message,
        "block 21 of the source: it is not the first block of the index"
      )
    }))

  it.scoped("is asked for no more blocks at once than it is told", () =>
    Effect.gen(function*() {
      const node = new FakeNode(5)
      const source = yield* node.source({ namespace: "eth", maxAhead: 1 })
      assert.isDefined(yield* source.block(1))
      const counts = node.requests.map((calls) =>
        calls.filter(({ method }) => method === "eth_getBlockByNumber").length
      )
      assert.strictEqual(Math.max(...counts), 1)
    }))

  it.scoped("takes requests that are too large in halves", () =>
    Effect.gen(function*() {
      const node = new FakeNode(24)
      const tooMany = { code: -32600, message: "batch too large" }
      for (
        const answer of [
          Testing.text(413, "too large"),
          Testing.json(200, { jsonrpc: "2.0", id: null, error: tooMany })
        ]
      ) {
        node.refuse = (calls) => calls.length > 3 ? answer : undefined
        const { catchUp, index } = yield* follow(node)
        yield* catchUp
        assert.deepStrictEqual(yield* stateOf(index), whole(24))
      }
    }))

  it.scoped("reverts blocks: the index follows, as deep as it keeps what reverting needs", () =>
    Effect.gen(function*() {
      const node = new FakeNode(40)
      const { catchUp, index } = yield* follow(node, { depth: 16 })
      yield* catchUp
      node.fork = (height) => height > 30 ? "b" : "a"
      node.height = 45
      assert.deepStrictEqual(yield* catchUp, { reverted: 10, indexed: 15 })
      assert.deepStrictEqual(yield* stateOf(index), whole(45))
      const undo = yield* index.cells("MIN(block)", "ownership_undo", "WHERE token <> '-'")
      assert.deepStrictEqual(undo, [[30]])

      node.fork = (height) => height > 20 ? "c" : "a"
      const error = yield* Effect.flip(catchUp)
      assert.instanceOf(error, SourceMismatch)
      assert.strictEqual(
        error.message,
        "block 29 of the source: it differs from the index, and only the newest 16 blocks can be reverted"
      )
      assert.deepStrictEqual(yield* stateOf(index), whole(45))
    }))

  it.scoped("reverts twice: the index never goes below what it can revert", () =>
    Effect.gen(function*() {
      const node = new FakeNode(40)
      const { catchUp, index } = yield* follow(node, { depth: 16 })
      yield* catchUp
      node.fork = (height) => height > 30 ? "b" : "a"
      node.height = 31
      yield* catchUp
      assert.deepStrictEqual(yield* stateOf(index), whole(31))
      // 31 - 16 would be allowed, and what reverting the blocks up to 24 needs is gone.
      node.fork = (height) => height > 20 ? "c" : "a"
      assert.match((yield* Effect.flip(catchUp)).message, /block 24 and those before it can't be reverted any more/)
      assert.deepStrictEqual(yield* stateOf(index), whole(31))
      node.fork = (height) => height > 25 ? "d" : "a"
      yield* catchUp
      assert.deepStrictEqual(yield* stateOf(index), whole(31))
    }))

  it.scoped("may lag, and is waited for", () =>
    Effect.gen(function*() {
      const node = new FakeNode(40)
      const { catchUp, index } = yield* follow(node, { shrinks: false })
      yield* catchUp
      node.height = 35
      assert.deepStrictEqual(yield* catchUp, { reverted: 0, indexed: 0 })
      assert.deepStrictEqual(yield* stateOf(index), whole(40))
      // It lags, and is on another fork.
      node.fork = (height) => height > 33 ? "b" : "a"
      assert.deepStrictEqual(yield* catchUp, { reverted: 7, indexed: 2 })
      assert.deepStrictEqual(yield* stateOf(index), whole(35))
    }))

  it.scoped("is asked about the newest 100 blocks as they were, and about older ones as of the oldest of these", () =>
    Effect.gen(function*() {
      const node = new FakeNode(140)
      const { catchUp, index } = yield* follow(node, {}, { maxAhead: 8 })
      const seen = new Set<string>()
      node.fault = ({ method, params }) => {
        if (method === "eth_call") seen.add(String(params[1]))
        return undefined
      }
      yield* catchUp
      assert.deepStrictEqual(yield* stateOf(index), whole(140))
      for (const state of seen) {
        const isKept = Array.from({ length: 101 }, (_, index) => 40 + index)
          .some((height) => state === node.hashOf(height) || state === quantity(height))
        assert.isTrue(isKept, state)
      }
    }))

  const faults: ReadonlyArray<readonly [string, (node: FakeNode) => FakeNode["fault"], RegExp]> = [
    [
      "loses receipts",
      () => ({ method }) => method === "eth_getBlockReceipts" ? { result: [] } : undefined,
      /block \d+: 0 receipts for 1 transactions/
    ],
    [
      "has no receipts yet",
      () => ({ method }) => method === "eth_getBlockReceipts" ? { result: null } : undefined,
      /eth_getBlockReceipts of the node/
    ],
    [
      "gives the receipts of another block",
      (node) => ({ method, params }) =>
        method === "eth_getBlockReceipts" && params[0] === node.hashOf(12)
          ? {
            result: [{
              transactionHash: hash("a transaction 12"),
              blockHash: hash("other"),
              status: "0x1",
              gasUsed: "0x1",
              logs: []
            }]
          }
          : undefined,
      /block 12: receipt 0 belongs to another block/
    ],
    [
      "gives another block",
      () => ({ method, params }) =>
        method === "eth_getBlockByNumber" && params[0] === quantity(12) ? { result: { number: "0x5" } } : undefined,
      /eth_getBlockByNumber of the node/
    ],
    [
      "lacks the state",
      () => ({ method }) =>
        method === "eth_call" ? { error: { code: -32000, message: "missing trie node" } } : undefined,
      /missing trie node/
    ],
    [
      "limits its rate",
      () => ({ method }) =>
        method === "eth_getBlockReceipts" ? { error: { code: -32005, message: "too many requests" } } : undefined,
      /too many requests/
    ]
  ]
  for (const [name, fault, message] of faults) {
    it.scoped(`that ${name} stores nothing wrong, and is read on when it has recovered`, () =>
      Effect.gen(function*() {
        const node = new FakeNode(30)
        const { catchUp, index } = yield* follow(node)
        node.fault = fault(node)
        assert.match((yield* Effect.flip(catchUp)).message, message)
        node.fault = () => undefined
        yield* catchUp
        assert.deepStrictEqual(yield* stateOf(index), whole(30))
      }))
  }

  it.scoped("that lies about a parent is not believed", () =>
    Effect.gen(function*() {
      const node = new FakeNode(10)
      const { catchUp, index } = yield* follow(node)
      yield* catchUp
      node.height = 11
      node.fault = ({ method, params }) =>
        method === "eth_getBlockByNumber" && params[0] === quantity(11) && params[1] === true
          ? { result: { ...forged(node), parentHash: hash("elsewhere") } }
          : undefined
      const error = yield* Effect.flip(catchUp)
      assert.strictEqual(error.message, "block 11 of the source: its parent is not the block before it")
      assert.deepStrictEqual(yield* stateOf(index), whole(10))
      // A lie that it does not repeat.
      const lie = node.fault
      node.fault = (call) => {
        const answer = lie(call)
        if (answer !== undefined) node.fault = () => undefined
        return answer
      }
      yield* catchUp
      assert.deepStrictEqual(yield* stateOf(index), whole(11))
    }))

  it.scoped("that can't be reached fails, and says why", () =>
    Effect.gen(function*() {
      const node = new FakeNode(10)
      node.refuse = () => Testing.broken(Testing.networkError("ECONNREFUSED"))
      assert.strictEqual((yield* Effect.flip(node.source()))._tag, "TransportFailed")
      node.refuse = () => undefined
      node.fault = () => ({ error: { code: -32601, message: "the method does not exist" } })
      const error = yield* Effect.flip(node.source())
      assert.instanceOf(error, NodeFault)
      assert.strictEqual(error.message, "kaia_blockNumber of the node: the method does not exist")
    }))

  it.scoped("that repeats what it was asked in a result is not repeated", () =>
    Effect.gen(function*() {
      const node = new FakeNode(10)
      node.fault = () => ({ result: { "authorization": "Bearer of-a-secret" } })
      const error = yield* Effect.flip(node.source())
      assert.strictEqual(error.message, "eth_chainId of the node: its result: expected string, got an object")
    }))
})

/** The newest block of a node, without transactions. */
const forged = (node: FakeNode) => ({
  number: quantity(node.height),
  hash: node.hashOf(node.height),
  timestamp: "0x1",
  gasUsed: "0x0",
  stateRoot: hash("s"),
  transactionsRoot: hash("t"),
  receiptsRoot: hash("r"),
  size: "0x1",
  transactions: []
})
