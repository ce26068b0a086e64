import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Contract from "../../src/Contract.js"
import { Log } from "../../src/Log.js"
import * as records from "../golden/records.js"
import { alice, bob, token } from "../golden/row.js"
import * as TestNode from "../support/testNode.js"

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
      const paused = log([Either.getOrThrow(one.topic("Paused"))], `0x${word(bob)}`)
      const events = one.decodeLogs([paused, log(topics, `0x${word("0x7")}`, alice), transfer, log([], "0x")])
      assert.deepStrictEqual(events.map((event) => [event.name, event.args]), [
        ["Paused", { by: bob }],
        ["Transfer", { from: alice, to: bob, value: 7n }]
      ] as unknown)
      assert.deepStrictEqual(one.topic("Transfer"), Either.right(transferTopic))
      // What the types keep out is given by programs without types.
      const unknown = yield* Either.flip(one.topic("Sold" as "Transfer"))
      assert.deepInclude(unknown, { _tag: "AbiMismatch", name: "Sold" })
    }))

  it.effect("are none when the log only looks like one", () =>
    Effect.gen(function*() {
      const one = yield* contract
      assert.isTrue(Option.isNone(one.decodeLog(log([...topics, transferTopic], "0x"))))
      assert.isTrue(Option.isNone(one.decodeLog(log(topics, "0x"))))
      assert.isTrue(Option.isNone(one.decodeLog(log(topics.slice(0, 2), `0x${word("0x7")}`))))
    }))
})

describe("an ABI of signatures", () => {
  const signatures = [
    "function balanceOf(address owner) view returns (uint256)",
    "function transfer(address to, uint256 value) returns (bool)",
    "event Transfer(address indexed from, address indexed to, uint256 value)",
    "error TooMuch(uint256 most)",
    "error Listed(uint256[] ids)",
    "error Closed()"
  ] as const

  const made = Contract.make({ address: token, abi: signatures })
  const yes = `0x${word("1")}`

  it.effect("is that of the JSON", () =>
    Effect.gen(function*() {
      const one = yield* made
      const other = yield* contract
      assert.deepStrictEqual(one.encode("balanceOf", [alice]), other.encode("balanceOf", [alice]))
      assert.deepStrictEqual(one.topic("Transfer"), Either.right(transferTopic))
    }))

  it.effect("is refused where it can't be parsed, without being shown", () =>
    Effect.gen(function*() {
      const abi: ReadonlyArray<string> = ["function (", "secret"]
      const error = yield* Effect.flip(Contract.make({ address: token, abi }))
      assert.deepStrictEqual([error._tag, error.path], ["InvalidInput", ["abi"]] as unknown)
      assert.notInclude(JSON.stringify(error) + error.message, "secret")
    }))

  it.effect("simulates a transaction: its result and its gas, in one request's worth of calls", () =>
    Effect.gen(function*() {
      const node = TestNode.make({ klay_call: () => yes, klay_estimateGas: () => "0x5208" })
      const one = yield* made
      const { gas, request, result } = yield* one.simulate("transfer", [bob, 5n], { from: alice }).pipe(
        Effect.provide(node.layer)
      )
      assert.deepStrictEqual([result, gas], [true, 21_000n])
      const input = Either.getOrThrow(one.encode("transfer", [bob, 5n]))
      assert.deepStrictEqual(request, { from: alice, to: token, input, gas: 21_000n })
      assert.sameDeepMembers(node.asked.map(([method, call]) => [method, call]), [
        ["klay_call", { from: alice, to: token, input }],
        ["klay_estimateGas", { from: alice, to: token, input }]
      ])
    }))

  it.effect("names the error of an estimate too", () =>
    Effect.gen(function*() {
      const node = TestNode.make({
        klay_estimateGas: () => new TestNode.Said(3, "execution reverted", `0xe0f0d3cc${word("5")}`)
      })
      const one = yield* made
      const error = yield* Effect.flip(one.estimateGas("transfer", [bob, 5n])).pipe(Effect.provide(node.layer))
      assert.deepInclude(error, { _tag: "ContractReverted", name: "transfer", errorName: "TooMuch", args: [5n] })
      assert.strictEqual(error.message, `transfer of contract ${token}: execution reverted: TooMuch(5n)`)
    }))

  it.effect("reads many at one block, each with its own outcome", () =>
    Effect.gen(function*() {
      const node = TestNode.make({
        klay_blockNumber: () => "0x64",
        klay_call: ([call]) => {
          const { input } = call as { readonly input: string }
          if (input.endsWith(word(bob))) return new TestNode.Said(3, "execution reverted", `0xe0f0d3cc${word("5")}`)
          return input.startsWith("0x70a08231") ? `0x${word("7")}` : "0x"
        }
      })
      const one = yield* made
      const { blockNumber, results } = yield* Contract.readAll([
        one.call("balanceOf", [alice]),
        one.call("balanceOf", ["0x12"]),
        one.call("balanceOf", [bob]),
        one.call("transfer", [alice, 1n], { from: bob })
      ]).pipe(Effect.provide(node.layer))
      assert.strictEqual(blockNumber, 100n)
      assert.deepStrictEqual(
        results.map((result: Either.Either<unknown, Contract.CallFailure>) =>
          Either.isRight(result) ? result.right : result.left._tag
        ),
        [
          7n,
          "AbiMismatch",
          "ContractReverted",
          "AbiMismatch"
        ]
      )
      assert.deepStrictEqual(node.asked.map(([method, , block]) => [method, block]), [
        ["klay_blockNumber", undefined],
        ["klay_call", "0x64"],
        ["klay_call", "0x64"],
        ["klay_call", "0x64"]
      ])
    }))

  describe("and the error of a revert", () => {
    const decoded = (data: string) =>
      Effect.map(made, (one) => Option.getOrUndefined(one.decodeError(data as `0x${string}`)))
    const ascii = (text: string) =>
      `0x08c379a0${word("20")}${word(text.length.toString(16))}${Buffer.from(text).toString("hex").padEnd(64, "0")}`

    it.effect.each(
      [
        ["one that it declares", `0xe0f0d3cc${word("5")}`, { _tag: "Declared", name: "TooMuch", args: [5n] }],
        [
          "one with a list as its only argument",
          `0x${"listed"}`,
          { _tag: "Declared", name: "Listed", args: [[1n, 2n]] }
        ],
        ["a panic", `0x4e487b71${word("11")}`, { _tag: "Panic", code: 0x11n }],
        ["a panic that nobody knows", `0x4e487b71${word("ffff")}`, {
          _tag: "Panic",
          code: 0xffffn,
          meaning: undefined
        }],
        ["a text", ascii("paused"), { _tag: "Reason", reason: "paused" }],
        ["nothing that it knows", `0x7d6b52b3${word("5")}`, undefined],
        ["its error cut off", "0xe0f0d3cc", undefined],
        ["nothing", "0x", undefined],
        ["no bytes", "no", undefined]
      ] as const
    )("is %s", ([, data, expected]) =>
      Effect.gen(function*() {
        const { encode, fromAbi } = yield* Effect.promise(() => import("ox/AbiError"))
        const one = yield* made
        const bytes = data === "0xlisted" ? encode(fromAbi(one.abi, "Listed"), [[1n, 2n]]) : data
        const found = yield* decoded(bytes)
        if (expected === undefined) assert.isUndefined(found)
        else assert.deepInclude(found, expected)
      }))

    it.effect("says what a panic means", () =>
      Effect.gen(function*() {
        const found = yield* decoded(`0x4e487b71${word("11")}`)
        assert.match(found?._tag === "Panic" ? found.meaning ?? "" : "", /overflow/i)
      }))

    it.effect("comes from a failed call as well", () =>
      Effect.gen(function*() {
        const node = calling(new TestNode.Said(3, "execution reverted: paused"))
        const one = yield* made
        const error = yield* Effect.flip(one.read("balanceOf", [alice])).pipe(Effect.provide(node.layer))
        assert.strictEqual(error._tag, "ExecutionReverted")
        if (error._tag !== "ExecutionReverted") return
        assert.deepStrictEqual(one.decodeError(error), Option.some({ _tag: "Reason", reason: "paused" } as const))
      }))
  })

  describe("and its events", () => {
    const transfer = { ...records.log, topics: [transferTopic, `0x${word(alice)}`, `0x${word(bob)}`], data: yes }

    it.effect("are searched for by name and indexed arguments", () =>
      Effect.gen(function*() {
        const node = TestNode.make({
          klay_getBlockTransactionCountByNumber: () => "0x1",
          klay_getLogs: () => [transfer, { ...transfer, topics: [transferTopic] }]
        })
        const one = yield* made
        const search = (where: Contract.Indexed<typeof one.abi, "Transfer">) =>
          Stream.runCollect(one.events("Transfer", { fromBlock: 1n, toBlock: 9n, where })).pipe(
            Effect.map(Chunk.toReadonlyArray),
            Effect.provide(node.layer)
          )
        const events = yield* search({ to: bob })
        assert.deepStrictEqual(events.map(({ args, name }) => [name, args]), [
          ["Transfer", { from: alice, to: bob, value: 1n }]
        ])
        yield* search({ from: [alice, bob] })
        yield* search({})
        assert.deepStrictEqual(
          node.asked.filter(([method]) => method === "klay_getLogs").map(([, filter]) => filter),
          [
            [transferTopic, null, `0x${word(bob)}`],
            [transferTopic, [`0x${word(alice)}`, `0x${word(bob)}`], null],
            [transferTopic]
          ].map((topics) => ({ fromBlock: "0x1", toBlock: "0x9", address: token, topics }))
        )
      }))

    it.effect.each([["value", 5n], ["nobody", alice], ["to", "0x12"]] as const)(
      "are not searched for by what is no indexed argument: %s",
      ([name, value]) =>
        Effect.gen(function*() {
          const one = yield* made
          // As a program without types would.
          const where = { [name]: value } as {}
          const error = yield* Effect.flip(
            Stream.runDrain(one.events("Transfer", { fromBlock: 1n, where })).pipe(
              Effect.provide(TestNode.make({}).layer)
            )
          )
          assert.deepInclude(error, { _tag: "AbiMismatch", name: "Transfer" })
        })
    )

    it.effect("are followed in pages that say where to go on", () =>
      Effect.gen(function*() {
        const node = TestNode.make({
          klay_blockNumber: () => "0x64",
          klay_getBlockByNumber: ([number]) => ({ ...records.header, size: "0x1", transactions: [], number }),
          klay_getLogs: () => [transfer]
        })
        const one = yield* made
        const page = yield* Stream.runHead(one.follow({ fromBlock: 90n })).pipe(Effect.provide(node.layer))
        assert.deepStrictEqual(
          Option.map(page, ({ events, ...rest }) => [events.map(({ name }) => name), rest]),
          Option.some([["Transfer"], { fromBlock: 90n, toBlock: 100n, next: 101n }])
        )
      }))
  })
})
