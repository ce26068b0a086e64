import * as OwnNode from "@effect-klaytn/core/OwnNode"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as Testing from "@effect-klaytn/core/Testing"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SyntheticNode } from "../bench/SyntheticNode.js"
import { encodeCall } from "../src/Abi.js"
import type { BlockRecord } from "../src/BlockRecord.js"
import { catchUp } from "../src/CatchUp.js"
import * as NodeSource from "../src/NodeSource.js"
import { amount, bob, type Call, emptyIndex, FakeNode, type Reply, token } from "./support/fakeNode.js"

const word = (n: number) => n.toString(16).padStart(64, "0")
const text = (value: string) =>
  `0x${word(32)}${word(value.length)}${Buffer.from(value).toString("hex").padEnd(64, "0")}`
const selector = (signature: string) => `0x${Buffer.from(encodeCall(signature)).toString("hex")}`

/** The token of a node whose answers to calls of it are others, by the signature of the called function. */
const tokenOf = (answers: Readonly<Record<string, (call: Call) => Reply>>) =>
  Effect.gen(function*() {
    const node = new FakeNode(3)
    node.fault = (call) => {
      if (!call.method.endsWith("_call")) return undefined
      const { data } = Object(call.params[0])
      return Object.entries(answers).find(([signature]) => data.startsWith(selector(signature)))?.[1](call)
    }
    const index = yield* emptyIndex
    yield* catchUp(index, yield* node.source({ namespace: "eth" }, 2))
    const found = Option.getOrThrow(yield* index.reader.contract(token))
    return { ...found, bob: yield* index.reader.totalBalance(token, bob), height: (yield* index.reader.head).number }
  })

const named = { "symbol()": () => ({ result: text("SYM") }), "decimals()": () => ({ result: `0x${word(18)}` }) }

describe("a contract that a node can't call", () => {
  const words = [
    [-32603, "Error: VM Exception while processing transaction: reverted without a reason"],
    [-32000, "VM Exception while processing transaction: revert"],
    [-32000, "the machine stopped at instruction 7"],
    [-32603, "method handler crashed"],
    [-39999, ""]
  ] as const
  for (const [code, message] of words) {
    it.scoped(`has no value, and its block is stored, whatever the words are: ${code} ${message}`, () =>
      Effect.gen(function*() {
        const found = yield* tokenOf({ ...named, "name()": () => ({ error: { code, message } }) })
        assert.deepStrictEqual([found.name, found.symbol, found.decimals], [undefined, "SYM", 18])
        assert.deepStrictEqual([found.bob, found.height], [3n * amount, 3])
      }))
  }

  it.scoped("is asked again before that: one answer may be that of a node in trouble", () =>
    Effect.gen(function*() {
      let times = 0
      const found = yield* tokenOf({
        ...named,
        "name()": () => times++ === 0 ? { error: { code: -32000, message: "it broke" } } : { result: text("NAME") }
      })
      assert.deepStrictEqual([found.name, found.symbol], ["NAME", "SYM"])
    }))

  it.scoped("keeps its block waiting while the node answers no call at all", () =>
    Effect.gen(function*() {
      const node = new FakeNode(3)
      node.fault = ({ method }) => method === "eth_call" ? { error: { code: -32000, message: "it broke" } } : undefined
      const index = yield* emptyIndex
      const error = yield* Effect.flip(catchUp(index, yield* node.source({ namespace: "eth" })))
      assert.match(error.message, /^eth_call of the node: it broke/)
      assert.strictEqual((yield* index.reader.head).number, 0)
    }))
})

describe("a first sync", () => {
  it.scoped("calls contracts less than 40 times for a thousand transfers, and ends with their balances", () =>
    Effect.gen(function*() {
      const node = new SyntheticNode(250, 10)
      const index = yield* emptyIndex
      const client = Testing.wire((sent) => Testing.text(200, node.answer(sent.body ?? ""))(sent)).client
      const source = yield* Effect.flatMap(ServiceClient.make("node"), (made) => NodeSource.make(made)).pipe(
        Effect.provide(OwnNode.layer({ chain: 1001, url: "http://127.0.0.1:8551" })),
        Effect.provideService(HttpClient.HttpClient, client)
      )
      let transfers = 0
      const onBlock = ({ transferCount }: BlockRecord) => Effect.sync(() => transfers += transferCount)
      yield* catchUp(index, source, { depth: 128, onBlock: (block) => Effect.asVoid(onBlock(block)) })
      assert.isAbove(transfers, 3000)
      assert.isBelow(node.contractCalls / transfers * 1000, 40)
      const ofAccounts = [...node.balances].filter(([key]) => key.length === 84)
      assert.isAbove(ofAccounts.length, 500)
      for (const [key, balance] of ofAccounts) {
        const [contract, owner] = [`0x${key.slice(2, 42)}`, `0x${key.slice(44)}`] as const
        assert.strictEqual(yield* index.reader.totalBalance(contract, owner), balance)
      }
    }))
})

describe("a node that can't make many calls as one", () => {
  const answers = {
    "refuses the parameter": () => ({ error: { code: -32602, message: "too many arguments, want at most 2" } }),
    "does not heed it": () => ({ result: "0x" }),
    "answers with something else": () => ({ result: `0x${"80".padEnd(64, "0")}ff` })
  } as const
  for (const [words, answer] of Object.entries(answers)) {
    it.scoped(`is asked call by call after few attempts: it ${words}`, () =>
      Effect.gen(function*() {
        const node = new FakeNode(60)
        let attempts = 0
        node.fault = ({ method, params }) => {
          if (method !== "eth_call" || params.length < 3) return undefined
          attempts++
          return answer()
        }
        const index = yield* emptyIndex
        yield* catchUp(index, yield* node.source({ namespace: "eth" }))
        assert.strictEqual(yield* index.reader.totalBalance(token, bob), 60n * amount)
        assert.isAtLeast(attempts, 1)
        assert.isAtMost(attempts, 4)
      }))
  }
})
