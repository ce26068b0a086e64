import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { catchUp } from "../src/CatchUp.js"
import { NodeFault } from "../src/IndexError.js"
import { type Call, emptyIndex, FakeNode, hash, quantity } from "./support/fakeNode.js"

type Fields = { readonly [name: string]: unknown }

/** Changes the answer of a method about block 3. */
const changed = (node: FakeNode, wanted: string, change: (result: Fields) => Fields) => (call: Call) => {
  const [block, isFull] = call.params
  const isMeant = call.method === wanted && (block === node.hashOf(3) || (block === quantity(3) && isFull === true))
  if (!isMeant) return undefined
  const { result } = Object(node["answer"](call))
  return { result: Array.isArray(result) ? result.map(change) : change(result) }
}

const block = (fields: Fields) => [`eth_getBlockByNumber`, (result: Fields) => ({ ...result, ...fields })] as const
const transaction = (fields: Fields) =>
  [
    `eth_getBlockByNumber`,
    (result: Fields) => ({
      ...result,
      transactions: (result["transactions"] as ReadonlyArray<Fields>).map((one) => ({ ...one, ...fields }))
    })
  ] as const
const receipt = (fields: Fields) => [`eth_getBlockReceipts`, (result: Fields) => ({ ...result, ...fields })] as const

const amount = `0x1${"0".repeat(64)}`
const count = quantity(2 ** 53)

/** Numbers that no chain has, or that have no place in the index. */
const beyond = [
  ["the gas of a block", block({ gasUsed: count }), "gasUsed: expected a number below 2^53"],
  ["the size of a block", block({ size: count }), "size: expected a number below 2^53"],
  ["the height of a block", block({ number: count }), "number: expected a number below 2^53"],
  ["a value", transaction({ value: amount }), "transactions.0.value: expected a number below 2^256"],
  ["a value of very many digits", transaction({ value: `0x${"f".repeat(100_000)}` }), "transactions.0.value: "],
  ["a nonce", transaction({ nonce: count }), "transactions.0.nonce: expected a number below 2^53"],
  ["the number of a type", transaction({ typeInt: 2 ** 40 }), "transactions.0.typeInt: "],
  ["the ratio of a fee", transaction({ feeRatio: "0xffff" }), "transactions.0.feeRatio: expected a number below 2^8"],
  ["the gas of a receipt", receipt({ gasUsed: count }), "0.gasUsed: expected a number below 2^53"],
  ["a price", receipt({ effectiveGasPrice: amount }), "0.effectiveGasPrice: expected a number below 2^256"],
  ["the reason of a failure", receipt({ txError: count }), "0.txError: expected a number below 2^31"],
  [
    "a transaction of another block",
    transaction({ blockHash: hash("other") }),
    "transaction 0 belongs to another block"
  ]
] as const

describe("a number that has no place in the index", () => {
  for (const [name, [method, change], problem] of beyond) {
    it.scoped(`is the node's fault, which names the method and the field: ${name}`, () =>
      Effect.gen(function*() {
        const node = new FakeNode(6)
        node.fault = changed(node, method, change)
        const index = yield* emptyIndex
        const source = yield* node.source({ namespace: "eth" })
        const error = yield* Effect.flip(catchUp(index, source))
        assert.instanceOf(error, NodeFault)
        assert.strictEqual(error.method, method)
        assert.include(error.message, problem)
        node.fault = () => undefined
        yield* catchUp(index, source)
        assert.strictEqual((yield* index.reader.head).number, 6)
      }))
  }

  it.scoped("is stored as the highest one that has a place where the chain allows it: a limit of gas", () =>
    Effect.gen(function*() {
      const node = new FakeNode(6)
      node.fault = changed(node, ...transaction({ gas: "0xffffffffffffffff" }))
      const index = yield* emptyIndex
      yield* catchUp(index, yield* node.source({ namespace: "eth" }))
      const stored = Option.getOrThrow(yield* index.reader.transaction(hash("a transaction 3")))
      assert.strictEqual(stored.gas, BigInt(Number.MAX_SAFE_INTEGER))
    }))
})

describe("the time of a block before that of its parent", () => {
  /** A node that has given the first blocks, and then the next one with another time. */
  const after = (times: number, method: (node: FakeNode, call: Call) => object | undefined, attempts = 3) =>
    Effect.gen(function*() {
      const node = new FakeNode(3)
      const index = yield* emptyIndex
      const source = yield* node.source({ namespace: "eth" }, attempts)
      const asked = { left: times }
      node.fault = (call) => {
        const answer = asked.left > 0 ? method(node, call) : undefined
        if (answer !== undefined) asked.left--
        return answer && { result: { ...Object(node["answer"](call)).result, ...answer } }
      }
      return { node, index, asked, follow: catchUp(index, source) }
    })
  const isBlock = (height: number) => ({ method, params }: Call) =>
    method === "eth_getBlockByNumber" && params[0] === quantity(height)

  it.scoped("is asked for again, also where the blocks come in two requests", () =>
    Effect.gen(function*() {
      const { follow, index, node } = yield* after(
        2,
        (_, call) => isBlock(4)(call) ? { timestamp: "0x1" } : undefined
      )
      yield* follow
      node.height = 5
      yield* follow
      const [four] = [Option.getOrThrow(yield* index.reader.block(4))]
      assert.strictEqual(four.timestamp, 1_700_000_004)
    }))

  it.scoped("keeps the block waiting if that goes on", () =>
    Effect.gen(function*() {
      const { follow, index, node } = yield* after(
        Number.POSITIVE_INFINITY,
        (_, call) => isBlock(4)(call) ? { timestamp: "0x1" } : undefined
      )
      yield* follow
      node.height = 5
      for (let rounds = 0; rounds < 3; rounds++) {
        const error = yield* Effect.flip(follow)
        assert.strictEqual(
          error.message,
          "eth_getBlockByNumber of the node: block 4: its time is before that of the block before it"
        )
      }
      assert.strictEqual((yield* index.reader.head).number, 3)
    }))

  it.scoped("does not stop the index where it was the parent's that was wrong", () =>
    Effect.gen(function*() {
      const { follow, index, node } = yield* after(
        1,
        (_, call) => isBlock(3)(call) ? { timestamp: "0x2000000000" } : undefined
      )
      yield* follow
      node.height = 6
      yield* follow
      assert.strictEqual((yield* index.reader.head).number, 6)
    }))
})
