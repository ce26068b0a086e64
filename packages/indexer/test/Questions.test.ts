import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { topicOf } from "../src/Abi.js"
import { catchUp, type Options } from "../src/CatchUp.js"
import { StoreFailure } from "../src/IndexError.js"
import type { IndexStore } from "../src/IndexStore.js"
import * as NodeSource from "../src/NodeSource.js"
import { alice, amount, bob, FakeNode, type Log, log, token, transfer } from "./support/fakeNode.js"
import { stores, type TestStore } from "./support/stores.js"

const carol: Hex = `0x${"ca".repeat(20)}`

/** The height of the nodes here, of the newest block without a state, and of the last block with a transaction. */
const [head, gone, busy] = [160, 59, 40]

/** The first block that is near enough to the head for contracts to be asked about it and about all before. */
const near = head - 16

/** A node whose newest hundred blocks are empty, so that what happened before is asked only once. */
const quietNode = (logsOf: (height: number) => ReadonlyArray<Log> = () => [transfer(bob)]): FakeNode => {
  const node = new FakeNode(head)
  node.isEmpty = (height) => height === 0 || (height > busy && height <= head)
  node.logsOf = logsOf
  node.balanceOf = (owner, height) => owner === bob ? amount * BigInt(Math.min(height, busy)) : 0n
  return node
}

/** The questions about holders, each with the block that it is asked about. */
const balanceQuestions = (node: FakeNode): ReadonlyArray<string> =>
  node.requests.flat().flatMap(({ method, params: [call, block] }) =>
    method === "eth_call" && JSON.stringify(call).includes("0x70a08231") ? [String(block)] : []
  )

const follow = (node: FakeNode, index: IndexStore, options: Options = {}) =>
  Effect.flatMap(node.source({ namespace: "eth" }), (source) => catchUp(index, source, options))

const has = ({ reader }: IndexStore, owner: Hex) => reader.totalBalance(token, owner)

/** What the index says of owners, contracts and open questions, as rows. */
const rowsOf = ({ cells }: TestStore) =>
  Effect.forEach(
    ["contracts", "holdings", "ownings", "questions"],
    (table) => Effect.map(cells("*", table), (rows) => rows.map((row) => JSON.stringify(row)).sort())
  )

describe.each(stores)("an index far behind its node on %s", (_, emptyIndex) => {
  it.scoped("asks what a contract is at once, and about its holders once it has caught up", () =>
    Effect.gen(function*() {
      const [node, index] = [quietNode(), yield* emptyIndex()]
      const settled: Array<readonly [height: number, isSettled: boolean, questions: number]> = []
      yield* follow(node, index, {
        onBlock: ({ number }) =>
          Effect.orDie(
            Effect.map(index.reader.isSettled, (isSettled) => {
              settled.push([number, isSettled, balanceQuestions(node).length])
            })
          )
      })
      assert.deepStrictEqual(settled.filter(([height]) => height === gone), [[gone, false, 0]])
      assert.strictEqual((yield* index.reader.contract(token))._tag, "Some")
      assert.isTrue(yield* index.reader.isSettled)
      // Alice and Bob.
      assert.deepStrictEqual(balanceQuestions(node), [node.hashOf(near), node.hashOf(near)])
      assert.strictEqual(yield* has(index, bob), amount * BigInt(busy))
    }))

  it.scoped("asks about a holder whom many blocks below the head changed once, and at the head after each block", () =>
    Effect.gen(function*() {
      const [node, index] = [new FakeNode(head), yield* emptyIndex()]
      yield* follow(node, index)
      const asked = balanceQuestions(node).map((block) =>
        Array.from({ length: head + 1 }, (_, at) => at).find((at) => node.hashOf(at) === block)
      )
      const each = Array.from({ length: head - near + 1 }, (_, at) => near + at)
      assert.deepStrictEqual([...new Set(asked)], each)
      // Alice and Bob, at the first of them about all blocks before.
      assert.strictEqual(asked.filter((at) => at === near + 1).length, 2)
      assert.isAtMost(asked.filter((at) => at === near).length, 4)
      assert.strictEqual(yield* has(index, bob), amount * BigInt(head))
    }))

  it.scoped("is right at each block while it is behind by no more than the states that the node has", () =>
    Effect.gen(function*() {
      const [node, index] = [new FakeNode(1), yield* emptyIndex()]
      node.balanceOf = (owner, height) => owner === bob ? BigInt(1000 + height) : 0n
      yield* follow(node, index)
      node.height = 80
      const found: Array<bigint> = []
      yield* follow(node, index, {
        onBlock: () => Effect.orDie(Effect.map(has(index, bob), (balance) => void found.push(balance)))
      })
      assert.deepStrictEqual(found, Array.from({ length: 79 }, (_, at) => BigInt(1002 + at)))
    }))

  it.scoped("asks once what a contract is that many blocks show, and goes by its first log", () =>
    Effect.gen(function*() {
      const [node, index] = [new FakeNode(head), yield* emptyIndex()]
      yield* follow(node, index)
      const names = node.requests.flat().filter(({ method, params: [call] }) =>
        // name()
        method === "eth_call" && JSON.stringify(call).includes("\"0x06fdde03\"")
      )
      // The token of this node has no name, so it is asked again with the questions at the end and at each block at the head.
      assert.isAtMost(names.length, 2 + (head - near + 1))
      assert.deepStrictEqual(
        (yield* index.reader.contract(token)).pipe(Option.map(({ blockNumber }) => blockNumber)),
        Option.some(1)
      )
    }))

  it.scoped("reads the balances of a token that takes a fee of each transfer", () =>
    Effect.gen(function*() {
      const [node, index] = [quietNode(), yield* emptyIndex()]
      node.balanceOf = (owner) => owner === bob ? 7n : owner === alice ? 3n : 0n
      yield* follow(node, index)
      assert.deepStrictEqual([yield* has(index, alice), yield* has(index, bob)], [3n, 7n])
      assert.strictEqual(yield* index.reader.contractSupply(token), 10n)
      // A page that begins after a contract which a revert took away.
      const after = { blockNumber: 1_000_000, address: alice }
      assert.deepStrictEqual((yield* index.reader.contracts({ limit: 9, after })).map(({ address }) => address), [
        token
      ])
      assert.strictEqual(yield* index.reader.holderCount(token), 2)
    }))

  it.scoped("reads the deposits of a wrapped coin, whose logs are no transfers", () =>
    Effect.gen(function*() {
      const deposit = log(topicOf("Deposit(address,uint256)"), [carol], 11n)
      const [node, index] = [quietNode((height) => [height === 20 ? deposit : transfer(bob)]), yield* emptyIndex()]
      node.balanceOf = (owner) => owner === carol ? 11n : 1n
      yield* follow(node, index)
      assert.strictEqual(yield* has(index, carol), 11n)
      const [holding] = yield* index.reader.holdings({ owner: carol, limit: 1 })
      assert.strictEqual(holding?.transactionHash, (yield* index.reader.transactionsOf(20))[0]?.hash)
    }))

  it.scoped("reads what a rebasing token gave its holders, and not what it gives them after their last transfer", () =>
    Effect.gen(function*() {
      const [node, index] = [quietNode((height) => [transfer(height === 20 ? carol : bob)]), yield* emptyIndex()]
      node.balanceOf = (_, height) => BigInt(height)
      yield* follow(node, index)
      assert.strictEqual(yield* has(index, carol), BigInt(near))
      // Nobody's transfer names Carol any more, so nothing shows that she has more.
      node.height = head + 3
      yield* follow(node, index)
      assert.deepStrictEqual([yield* has(index, carol), yield* has(index, bob)], [BigInt(near), BigInt(head + 3)])
    }))

  it.scoped("asks again after it ended between the last block and the questions", () =>
    Effect.gen(function*() {
      const [node, index] = [quietNode(), yield* emptyIndex()]
      node.balanceOf = () => 9n
      node.fault = ({ method, params: [, block] }) =>
        method === "eth_call" && String(block) === node.hashOf(near)
          ? { error: { code: -32000, message: "the node ended" } }
          : undefined
      assert.match(String(yield* Effect.flip(follow(node, index))), /the node ended/)
      assert.strictEqual((yield* index.reader.head).number, near)
      assert.isFalse(yield* index.reader.isSettled)
      assert.strictEqual(yield* has(index, bob), amount * BigInt(busy))
      node.fault = () => undefined
      const opened = yield* index.open()
      yield* follow(node, opened)
      assert.isTrue(yield* opened.reader.isSettled)
      assert.deepStrictEqual([yield* has(opened, alice), yield* has(opened, bob)], [9n, 9n])
    }))

  it.scoped("asks at its newest block if the node has no newer one", () =>
    Effect.gen(function*() {
      const [node, index] = [quietNode(), yield* emptyIndex()]
      node.balanceOf = () => 9n
      // A node that says that it is higher, and then is not.
      node.fault = ({ method, params: [first] }) =>
        method === "eth_getBlockByNumber" && Number(first) > gone ? { result: null } : undefined
      yield* follow(node, index)
      assert.isFalse(yield* index.reader.isSettled)
      node.height = gone
      node.fault = () => undefined
      yield* follow(node, index)
      assert.isTrue(yield* index.reader.isSettled)
      assert.strictEqual(yield* has(index, bob), 9n)
    }))

  it.scoped("is the same after it ended at any of its writes, before or after what was written", () =>
    Effect.gen(function*() {
      const make = () => {
        const node = new FakeNode(head)
        node.balanceOf = (owner, height) => owner === bob ? amount * BigInt(height) : 1n
        return node
      }
      const expected = yield* emptyIndex()
      let writes = 0
      yield* follow(make(), {
        ...expected,
        apply: (changes) => Effect.zipRight(Effect.sync(() => writes++), expected.apply(changes))
      })
      assert.isAbove(writes, 17)
      const wanted = yield* rowsOf(expected)
      for (const [last, isWritten] of [[0, true], [0, false], [1, true], [2, false], [writes - 1, true]] as const) {
        const index = yield* emptyIndex()
        let left = last
        const ended = new StoreFailure({ operation: "index", cause: new Error("ended") })
        const apply: IndexStore["apply"] = (changes) =>
          left-- > 0 ? index.apply(changes) : Effect.zipRight(isWritten ? index.apply(changes) : Effect.void, ended)
        assert.strictEqual(yield* Effect.flip(follow(make(), { ...index, apply })), ended)
        yield* follow(make(), yield* index.open())
        assert.deepStrictEqual(yield* rowsOf(index), wanted, `at write ${last} of ${writes}`)
      }
    }))

  for (const fork of [gone - 10, gone, gone + 20]) {
    it.scoped(`is the same after blocks above ${fork} were reverted as if they had never been there`, () =>
      Effect.gen(function*() {
        const logsOf = (node: FakeNode) => (height: number) => [
          transfer(node.fork(height) === "a" ? bob : carol, BigInt(height))
        ]
        const balanceOf = (node: FakeNode): FakeNode["balanceOf"] => (owner, height) =>
          owner === alice ? 1n : BigInt(Math.min(height, 150)) + (node.fork(height) === "a" ? 0n : 1n)
        const make = () => {
          const node = new FakeNode(head)
          node.isEmpty = (height) => height === 0 || (height > gone + 3 && height !== 130)
          node.logsOf = logsOf(node)
          node.balanceOf = balanceOf(node)
          return node
        }
        const [node, index] = [make(), yield* emptyIndex()]
        yield* follow(node, index)
        node.fork = (height) => height > fork ? "b" : "a"
        yield* follow(node, index)
        assert.isTrue(yield* index.reader.isSettled)
        const [other, expected] = [make(), yield* emptyIndex()]
        other.fork = node.fork
        yield* follow(other, expected)
        assert.deepStrictEqual(yield* rowsOf(index), yield* rowsOf(expected))
        assert.strictEqual(yield* has(index, carol), BigInt(near + 1))
      }))
  }

  it.scoped("keeps nothing to revert blocks deeper than it can revert", () =>
    Effect.gen(function*() {
      const [node, index] = [new FakeNode(head), yield* emptyIndex()]
      node.isEmpty = (height) => height === 0 || height > gone
      const depth = 120
      const undone: Array<unknown> = []
      yield* follow(node, index, {
        depth,
        onBlock: ({ number }) =>
          Effect.map(index.cells("DISTINCT block", "ownership_undo", "WHERE token <> '-'"), (rows) => {
            if (number <= gone) undone.push(...rows.filter(([block]) => Number(block) <= head - depth))
          })
      })
      assert.deepStrictEqual(undone, [])
      assert.strictEqual(NodeSource.stateDepth, head - gone - 1)
      node.fork = (height) => height > head - depth + 1 ? "b" : "a"
      yield* follow(node, index, { depth })
      assert.strictEqual(yield* has(index, bob), amount * BigInt(near))
    }))
})
