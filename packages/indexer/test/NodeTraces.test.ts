import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { catchUp } from "../src/CatchUp.js"
import { alice, bob, emptyIndex, FakeNode, hash, token } from "./support/fakeNode.js"

const [one, other]: readonly [Hex, Hex] = [`0x${"01".repeat(20)}`, `0x${"02".repeat(20)}`]

/** A frame of the tracer as nodes send it. */
const frame = (type: string, from: Hex, to: Hex, value: string | undefined, rest: object = {}) => ({
  type,
  from,
  to,
  gas: "0x1",
  gasUsed: "0x1",
  input: "0x",
  ...(value !== undefined && { value }),
  ...rest
})

/** A transaction that moves coin in every way, and the transfers that it makes besides its own. */
const trace = frame("CALL", alice, token, "0x7", {
  calls: [
    frame("CALL", token, one, "0x5", {
      calls: [
        frame("DELEGATECALL", one, other, "0x5", { calls: [frame("CALL", one, bob, "0x2")] }),
        frame("STATICCALL", one, other, undefined),
        frame("CALLCODE", one, other, "0x5"),
        frame("CALL", one, bob, "0x0"),
        // As anvil writes it: the caller in place of the contract.
        frame("SELFDESTRUCT", token, one, "0x1")
      ]
    }),
    frame("CALL", token, one, "0x4", { error: "execution reverted", calls: [frame("CALL", one, bob, "0x3")] }),
    frame("CREATE2", token, other, "0x6", { calls: [frame("SELFDESTRUCT", other, bob, "0x6")] }),
    { ...frame("CREATE", token, other, "0x9", { error: "out of gas" }), to: null }
  ]
})
const moved = [[token, one, 5n], [one, bob, 2n], [token, other, 6n], [other, bob, 6n]]

/** What a node that traces answers, and the methods that it was asked. */
const follow = (
  answer: (method: string, subject: unknown) => unknown,
  options: { readonly trace?: boolean } = { trace: true }
) =>
  Effect.gen(function*() {
    const node = new FakeNode(2)
    node.fault = ({ method, params: [subject] }) => {
      const result = method.startsWith("debug_") ? answer(method, subject) : undefined
      return result === undefined ? undefined : { result }
    }
    const index = yield* emptyIndex
    const result = yield* Effect.either(catchUp(index, yield* node.source({ ...options, namespace: "eth" })))
    const asked = node.requests.flat().map(({ method }) => method).filter((method) => method.startsWith("debug_"))
    const coinOf = (height: number) =>
      Effect.map(index.reader.transfersOf(hash(`a transaction ${height}`)), (transfers) =>
        transfers.toReversed().flatMap((one) => one.kind === "coin" ? [[one.from, one.to, one.value]] : []))
    return { asked: [...new Set(asked)], coin: yield* coinOf(1), next: yield* coinOf(2), result }
  })

describe("the coin that contracts move, traced by a node", () => {
  it.scoped("follows the transaction's own, in the order of execution", () =>
    Effect.gen(function*() {
      const { asked, coin } = yield* follow((method) =>
        method === "debug_traceBlockByHash" ? [{ result: trace }] : undefined
      )
      assert.deepStrictEqual(coin, [[alice, token, 7n], ...moved])
      assert.deepStrictEqual(asked, ["debug_traceBlockByHash"])
    }))

  it.scoped("is read transaction by transaction from a node that traces no blocks", () =>
    Effect.gen(function*() {
      const { asked, coin, next } = yield* follow((method, subject) =>
        method !== "debug_traceTransaction"
          ? undefined
          : subject === hash("a transaction 1")
          ? trace
          : { ...trace, calls: [] }
      )
      assert.deepStrictEqual(coin, [[alice, token, 7n], ...moved])
      assert.deepStrictEqual(next, [[alice, token, 7n]])
      assert.deepStrictEqual(asked, ["debug_traceBlockByHash", "debug_traceTransaction"])
    }))

  it.scoped("stayed where it was in a transaction that failed", () =>
    Effect.gen(function*() {
      const node = new FakeNode(1)
      node.logsOf = () => []
      node.fault = (call) => {
        if (call.method === "debug_traceBlockByHash") {
          return { result: [{ result: { ...trace, error: "execution reverted" } }] }
        }
        if (call.method !== "eth_getBlockReceipts") return undefined
        return { result: [{ ...Object(node["answer"](call)).result[0], status: "0x0" }] }
      }
      const source = yield* node.source({ trace: true, namespace: "eth" })
      const [mined] = (yield* source.block(1))?.transactions ?? []
      assert.deepStrictEqual([mined?.receipt.status, mined?.receipt.internalTransfers], [0, undefined])
    }))

  it.scoped("is not asked for unless that is wanted", () =>
    Effect.gen(function*() {
      const { asked, coin } = yield* follow(() => [{ result: trace }], {})
      assert.deepStrictEqual([coin, asked], [[[alice, token, 7n]], []])
    }))

  it.scoped("ends the following with an error if it can't be read", () =>
    Effect.gen(function*() {
      const problems: ReadonlyArray<readonly [answer: unknown, message: RegExp]> = [
        [[], /^debug_traceBlockByHash of the node: block 1: 0 traces for 1 transactions$/],
        [[{ error: "missing trie node" }], /block 1: transaction 0 was not traced: missing trie node$/],
        [[{ txHash: hash("another"), result: trace }], /block 1: trace 0 belongs to another transaction$/],
        [[{ result: frame("CALL", alice, token, "seven") }], /^debug_traceBlockByHash of the node: 0\.result\.value: /]
      ]
      for (const [answer, message] of problems) {
        const { coin, result } = yield* follow(() => answer)
        assert.match(result._tag === "Left" ? result.left.message : "", message)
        assert.deepStrictEqual(coin, [])
      }
    }))
})
