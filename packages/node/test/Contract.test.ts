import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Contract from "../src/Contract.js"
import { Log } from "../src/Log.js"
import * as records from "./golden/records.js"
import { alice, bob, token } from "./golden/row.js"
import * as TestNode from "./support/testNode.js"

const address = { type: "address" } as const
const number = { type: "uint256" } as const

const abi = [
  {
    type: "function",
    name: "balanceOf",
    stateMutability: "view",
    inputs: [{ name: "owner", ...address }],
    outputs: [{ name: "", ...number }]
  },
  {
    type: "function",
    name: "pair",
    stateMutability: "view",
    inputs: [],
    outputs: [{ name: "owner", ...address }, { name: "count", ...number }]
  },
  {
    type: "function",
    name: "get",
    stateMutability: "view",
    inputs: [{ name: "id", ...number }],
    outputs: [{ name: "", ...number }]
  },
  {
    type: "function",
    name: "get",
    stateMutability: "view",
    inputs: [{ name: "key", type: "string" }],
    outputs: [{ name: "", ...number }]
  },
  {
    type: "event",
    name: "Transfer",
    inputs: [
      { name: "from", indexed: true, ...address },
      { name: "to", indexed: true, ...address },
      { name: "value", indexed: false, ...number }
    ]
  },
  { type: "event", name: "Paused", inputs: [{ name: "by", indexed: false, ...address }] },
  { type: "error", name: "TooMuch", inputs: [{ name: "most", ...number }] }
] as const

const word = (hex: string) => hex.replace("0x", "").padStart(64, "0")
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

const contract = Contract.make({ address: token, abi })

const calling = (answer: unknown) => TestNode.make({ klay_call: () => answer })

describe("a contract", () => {
  it.effect("encodes a call and decodes what comes back", () =>
    Effect.gen(function*() {
      const node = calling(`0x${word("0xde0b6b3a7640000")}`)
      const balance = yield* Effect.provide(
        Effect.flatMap(contract, (one) => one.read("balanceOf", [alice], { block: 436n, from: bob })),
        node.layer
      )
      assert.strictEqual(balance, 10n ** 18n)
      assert.deepStrictEqual(node.asked, [[
        "klay_call",
        { from: bob, to: token, input: `0x70a08231${word(alice)}` },
        "0x1b4"
      ]])
    }))

  it.effect("gives several results as a tuple, with addresses in lower case", () =>
    Effect.gen(function*() {
      const node = calling(`0x${word("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")}${word("0x7")}`)
      const pair = yield* Effect.provide(Effect.flatMap(contract, (one) => one.read("pair", [])), node.layer)
      assert.deepStrictEqual(pair, ["0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", 7n])
      assert.deepStrictEqual(node.asked[0]?.[2], "latest")
    }))

  it.effect("takes the function that fits the arguments", () =>
    Effect.gen(function*() {
      const one = yield* contract
      assert.strictEqual(Either.getOrThrow(one.encode("get", [5n])), `0x9507d39a${word("5")}`)
      assert.isTrue(Either.getOrThrow(one.encode("get", ["k"])).startsWith("0x693ec85e"))
    }))

  it.effect("refuses arguments that do not fit", () =>
    Effect.gen(function*() {
      const one = yield* contract
      const error = yield* Effect.flip(one.encode("balanceOf", ["0x12"]))
      assert.deepStrictEqual([error._tag, error.name, error.address], ["AbiMismatch", "balanceOf", token] as unknown)
      const node = calling("0x")
      yield* Effect.flip(one.read("balanceOf", ["0x12"])).pipe(Effect.provide(node.layer))
      assert.deepStrictEqual(node.asked, [])
    }))

  it.effect("says so when nothing comes back, or something else", () =>
    Effect.gen(function*() {
      const one = yield* contract
      const read = (answer: string) =>
        Effect.flip(one.read("balanceOf", [alice])).pipe(Effect.provide(calling(answer).layer))
      const nothing = yield* read("0x")
      assert.strictEqual(nothing._tag, "AbiMismatch")
      assert.include(nothing.message, "no contract at this address")
      assert.strictEqual((yield* read("0x01"))._tag, "AbiMismatch")
    }))

  it.effect("names an error of its own when it reverts", () =>
    Effect.gen(function*() {
      const one = yield* contract
      const node = calling(new TestNode.Said(3, "execution reverted", `0x7d6b52b3${word("5")}`))
      const unnamed = yield* Effect.flip(one.read("balanceOf", [alice])).pipe(Effect.provide(node.layer))
      assert.strictEqual(unnamed._tag, "ExecutionReverted")
      const selector = "0xe0f0d3cc"
      const own = calling(new TestNode.Said(3, "execution reverted", `${selector}${word("5")}`))
      const error = yield* Effect.flip(one.read("balanceOf", [alice])).pipe(Effect.provide(own.layer))
      assert.strictEqual(error._tag, "ContractReverted")
      if (error._tag !== "ContractReverted") return
      assert.deepStrictEqual([error.errorName, error.args], ["TooMuch", [5n]])
      assert.include(error.message, "TooMuch(5n)")
    }))

  it.effect("refuses a wrong address", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Contract.make({ address: "0x12", abi }))
      assert.deepStrictEqual(error.path, ["address"])
    }))
})

const log = (topics: ReadonlyArray<string>, data: string, at = token) =>
  Schema.decodeUnknownSync(Log)({ ...records.log, address: at, topics, data })

describe("the events of a contract", () => {
  const topics = [transferTopic, `0x${word(alice)}`, `0x${word(bob)}`]

  it.effect("are decoded from logs, in order, and the logs of others are left out", () =>
    Effect.gen(function*() {
      const one = yield* contract
      const transfer = log(topics, `0x${word("0x7")}`)
      const paused = log([one.topic("Paused")], `0x${word(bob)}`)
      const events = one.decodeLogs([paused, log(topics, `0x${word("0x7")}`, alice), transfer, log([], "0x")])
      assert.deepStrictEqual(events.map((event) => [event.name, event.args]), [
        ["Paused", { by: bob }],
        ["Transfer", { from: alice, to: bob, value: 7n }]
      ] as unknown)
      assert.strictEqual(one.topic("Transfer"), transferTopic)
    }))

  it.effect("are none when the log only looks like one", () =>
    Effect.gen(function*() {
      const one = yield* contract
      assert.isTrue(Option.isNone(one.decodeLog(log([...topics, transferTopic], "0x"))))
      assert.isTrue(Option.isNone(one.decodeLog(log(topics, "0x"))))
      assert.isTrue(Option.isNone(one.decodeLog(log(topics.slice(0, 2), `0x${word("0x7")}`))))
    }))
})
