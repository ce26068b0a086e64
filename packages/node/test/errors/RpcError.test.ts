import * as Address from "@effect-klaytn/core/Address"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { inspect } from "node:util"
import * as Client from "../../../core/test/support/client.js"
import { ContractReverted } from "../../src/Contract.js"
import { ProviderError } from "../../src/Eip1193.js"
import * as RpcError from "../../src/RpcError.js"
import * as Node from "../support/node.js"

const failing = (code: number, message: string, data?: unknown) => Node.node(() => ({ error: { code, message, data } }))

const flipped = (answer: Testing.Step) =>
  Effect.gen(function*() {
    const node = yield* Node.make(Testing.wire(answer))
    return yield* Effect.flip(node.klay.call({ to: "0x3333333333333333333333333333333333333333" }))
  }).pipe(RetryPolicy.withRetryPolicy(RetryPolicy.none))

const reasonOf = (error: object): unknown => "reason" in error ? error.reason : "who" in error ? error.who : undefined

const address = Address.zero

describe("an error of the node", () => {
  const rows: ReadonlyArray<readonly [code: number, message: string, tag: string, detail?: unknown]> = [
    [-32601, "the method klay_x does not exist/is not available", "MethodNotFound"],
    [-32000, "The method klay_x does not exist/is not available", "MethodNotFound"],
    [-32602, "missing value for required argument 1", "InvalidParams"],
    [3, "execution reverted: paused", "ExecutionReverted", "paused"],
    [-32000, "evm: execution reverted", "ExecutionReverted"],
    [-32000, `known transaction: ${"ab".repeat(32)}`, "KnownTransaction"],
    [-32000, "already known", "KnownTransaction"],
    [-32000, "nonce too low", "NonceTooLow"],
    [-32000, "there is another tx which has the same nonce in the tx pool", "NonceTooLow"],
    [-32000, "insufficient funds of the sender for value", "InsufficientFunds", "sender"],
    [-32000, "insufficient funds of the fee payer for gas * price", "InsufficientFunds", "feePayer"],
    [-32000, "insufficient funds for gas * price + value", "InsufficientFunds"],
    [-32000, "err: insufficient balance for transfer (supplied gas 5)", "InsufficientFunds", "sender"],
    [-32000, "invalid transaction v, r, s values of the sender", "TransactionRefused", "signature"],
    [-32000, "invalid chain id", "TransactionRefused", "chain"],
    [-32000, "intrinsic gas too low", "TransactionRefused", "gas"],
    [-32000, "transaction underpriced", "TransactionRefused", "price"],
    [-32000, "invalid unit price", "TransactionRefused", "price"],
    [
      -32000,
      "transaction gas price below minimum: blob fee cap 1, minimum needed 200000000000",
      "TransactionRefused",
      "price"
    ],
    [-32000, "It must be set to value greater than or equal to baseFee", "TransactionRefused", "price"],
    [-32000, "oversized data", "TransactionRefused", "size"],
    [-32000, "txpool is full", "TransactionRefused", "pool"],
    [-32000, "undefined tx type", "TransactionRefused", "type"],
    [-32000, "transaction type not supported", "TransactionRefused", "type"],
    [-32000, "the block does not exist (block number: 5)", "BlockNotFound"],
    [-32000, "the header does not exist (block number: 5)", "BlockNotFound"],
    [-32000, "header for hash not found", "BlockNotFound"],
    [-32000, "pending block is not prepared yet", "BlockNotFound"],
    [-32000, "header not found", "BlockNotFound"],
    [-32000, "Unknown block", "BlockNotFound"],
    [-32001, "block not found: 0x1b4", "BlockNotFound"],
    [-32000, "missing trie node 9f (path )", "StatePruned"],
    [-32000, "query returned more than 10000 results", "LogLimitExceeded"],
    [-32000, "query timeout exceeded", "LogLimitExceeded"],
    [-32000, "invalid sender: invalid account key", "TransactionRefused", "signature"],
    [-32000, "invalid fee payer: invalid account key", "TransactionRefused", "signature"],
    [-32000, "invalid sender", "TransactionRefused", "signature"],
    [-32000, "invalid sender: invalid chain id", "TransactionRefused", "chain"],
    [-32000, "a legacy transaction must be with a legacy account key", "TransactionRefused", "signature"],
    [
      -32000,
      "set code transaction has authorization with R or S value greater than 2^256 - 1",
      "TransactionRefused",
      "signature"
    ],
    [-32000, "exceeds block gas limit", "TransactionRefused", "gas"],
    [-32000, "replacement transaction underpriced", "TransactionRefused", "price"],
    [
      -32000,
      "invalid gas fee cap. It must be set to value greater than or equal to baseFee",
      "TransactionRefused",
      "price"
    ],
    [-32000, "Invalid gas tip cap. It must be set to the same value as gas unit price.", "TransactionRefused", "price"],
    [-32000, "max fee per gas higher than max priority fee per gas", "TransactionRefused", "price"],
    [-32000, "max initcode size exceeded", "TransactionRefused", "size"],
    [-32000, "set code transaction with empty auth list", "TransactionRefused", "type"],
    [-32000, "set code tx must have at least one authorization tuple", "TransactionRefused", "type"],
    [-32000, "sender must be an EOA without code", "TransactionRefused", "type"],
    [-32000, "recipient must be an EOA without code", "TransactionRefused", "receiver"],
    [-32000, "recipient must be an EOA with code or an SCA", "TransactionRefused", "receiver"],
    [-32000, "this type transaction cannot be sent to nil", "TransactionRefused", "receiver"],
    [-32000, "in-flight transaction limit reached for delegated accounts", "TransactionRefused", "pool"],
    [-32000, "gapped-nonce tx from delegated accounts", "TransactionRefused", "pool"],
    [-32000, "authority already reserved", "TransactionRefused", "pool"],
    [-32000, "not a program account (e.g., an account having code and storage)", "TransactionRefused", "receiver"],
    [-32000, "this type transaction cannot be sent to contract addresses", "TransactionRefused", "receiver"],
    [-32000, "the address is reserved for pre-compiled contracts", "TransactionRefused", "receiver"],
    [-32000, "filter not found", "RpcFailed"],
    [-32700, "parse error", "RpcFailed"],
    [-32603, "internal error", "RpcFailed"]
  ]

  it.effect.each(rows)("%s %s is a %s", ([code, message, tag, detail]) =>
    Effect.gen(function*() {
      const error = yield* flipped(failing(code, message))
      assert.strictEqual(error._tag, tag)
      assert.strictEqual(reasonOf(error), detail)
      assert.isTrue("method" in error)
      if (!("method" in error)) return
      assert.deepStrictEqual(
        [error.operation, error.method, error.code, error.serviceMessage],
        ["node.klay_call", "klay_call", code, message]
      )
      assert.isTrue(RpcError.isRpcError(error))
    }))

  it.effect.each(
    [
      [-32005, "query returned more than 10000 results", "LogLimitExceeded"],
      [-32005, "too many results, narrow the block range", "LogLimitExceeded"],
      [
        -32602,
        "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range",
        "LogLimitExceeded"
      ],
      [-32005, "daily request count exceeded, request rate limited", "RateLimited"],
      [-32005, "limit exceeded", "RateLimited"]
    ] as const
  )("%s %s to a search for logs is a %s", ([code, message, tag]) =>
    Effect.gen(function*() {
      const node = yield* Node.make(Testing.wire(failing(code, message)), { config: { retry: RetryPolicy.none } })
      assert.strictEqual((yield* Effect.flip(node.klay.getLogs({ fromBlock: 1n })))._tag, tag)
    }))

  it.effect("is written as JSON by itself, with its numbers as texts", () =>
    Effect.gen(function*() {
      const panic = `0x4e487b71${"11".padStart(64, "0")}`
      const error = yield* flipped(failing(3, "execution reverted", panic))
      assert.deepInclude(JSON.parse(JSON.stringify(error)), { _tag: "ExecutionReverted", panic: "17" })
    }))

  it.effect("keeps what came with it, and can be stored as JSON", () =>
    Effect.gen(function*() {
      const error = yield* flipped(failing(-32000, "odd", { at: [1, "x"] }))
      assert.deepStrictEqual("data" in error ? error.data : undefined, { at: [1, "x"] })
      assert.isTrue(RpcError.isRpcError(error))
      if (!RpcError.isRpcError(error)) return
      const stored = JSON.parse(JSON.stringify(Schema.encodeSync(RpcError.RpcError)(error))) as unknown
      assert.deepStrictEqual(Schema.decodeUnknownSync(RpcError.RpcError)(stored)._tag, error._tag)
    }))

  it("can be shown and stored whatever came with it, and whoever made it", () => {
    const looped: Array<unknown> = []
    looped.push(looped)
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const throwing = {
      toJSON: (): never => {
        throw new Error("no")
      }
    }
    const common = { operation: "node.klay_call", method: "klay_call", code: 3, serviceMessage: "odd", retrySafe: true }
    for (const data of [2n ** 255n, { at: [1n] }, looped, proxy, throwing, Symbol("data"), () => 1, undefined]) {
      const reverted = new RpcError.ExecutionReverted({ ...common, data, panic: 17n })
      const members = [
        new RpcError.MethodNotFound({ ...common, data }),
        new RpcError.InvalidParams({ ...common, data }),
        reverted,
        new RpcError.KnownTransaction({ ...common, data }),
        new RpcError.NonceTooLow({ ...common, data }),
        new RpcError.InsufficientFunds({ ...common, data }),
        new RpcError.TransactionRefused({ ...common, data, reason: "gas" }),
        new RpcError.BlockNotFound({ ...common, data }),
        new RpcError.StatePruned({ ...common, data }),
        new RpcError.LogLimitExceeded({ ...common, data }),
        new RpcError.RpcFailed({ ...common, data })
      ]
      assert.lengthOf(members, RpcError.RpcError.members.length)
      const others = [
        new ContractReverted({ address, name: "transfer", errorName: "Odd", args: [data], reverted }),
        new ProviderError({ message: "odd", code: 3, data, cause: reverted })
      ]
      for (const error of [...members, ...others]) {
        const told = JSON.parse(JSON.stringify({ error })).error
        assert.include(told, { _tag: error._tag, message: error.message })
        for (const show of [String, inspect, (one: unknown) => Cause.pretty(Cause.fail(one))]) {
          assert.include(show(error), error.message)
        }
      }
      const encode = Schema.encodeSync(Schema.Union(RpcError.RpcError, ContractReverted, ProviderError))
      for (const error of [...members, ...others]) assert.isString(JSON.stringify(encode(error)))
    }
    assert.deepInclude(JSON.parse(JSON.stringify(new RpcError.RpcFailed({ ...common, data: [2n ** 255n] }))), {
      data: [`${2n ** 255n}`]
    })
  })

  it.effect("shows no credential that the node repeats", () =>
    Effect.gen(function*() {
      const secret = "not-a-secret"
      const error = yield* flipped(
        failing(
          -32000,
          `no\u0007 ${secret} ${Buffer.from(`KASK0EXAMPLE:${secret}`).toString("base64")}`,
          `key ${secret}`
        )
      )
      const shown = `${inspect(error)} ${error.message} ${JSON.stringify(error)} ${String(error.stack)}`
      assert.notInclude(shown, secret)
      assert.notInclude(shown, "S0FTSzBFWEFNUExFOm5vdC1hLXNlY3JldA==")
      assert.notInclude(error.message, "\u0007")
    }))
})

describe("a revert", () => {
  const word = (hex: string) => hex.padStart(64, "0")

  it.effect("whose reason repeats the credential or breaks the line tells it clean", () =>
    Effect.gen(function*() {
      const reason = Buffer.from("no\nnot-a-secret")
      const data = `0x08c379a0${word("20")}${word(reason.length.toString(16))}${reason.toString("hex").padEnd(64, "0")}`
      const error = yield* flipped(failing(3, "execution reverted", data))
      assert.notInclude(`${error.message} ${JSON.stringify("reason" in error ? error.reason : "")}`, "not-a-secret")
      assert.notInclude(error.message, "\n")
    }))
  const paused = `0x08c379a0${word("20")}${word("6")}${Buffer.from("paused").toString("hex").padEnd(64, "0")}`

  const reverted = (message: string, data?: unknown) =>
    Effect.gen(function*() {
      const node = yield* Node.make(Testing.wire(failing(3, message, data)))
      return yield* Client.failsAs("ExecutionReverted" as never)(node.klay.call({})) as Effect.Effect<
        RpcError.ExecutionReverted
      >
    })

  it.effect("tells the text of Error(string)", () =>
    Effect.gen(function*() {
      const error = yield* reverted("execution reverted: something else", paused)
      assert.deepStrictEqual([error.reason, error.panic, error.revertData], ["paused", undefined, paused])
    }))

  it.effect("tells the number of Panic(uint256)", () =>
    Effect.gen(function*() {
      const error = yield* reverted("execution reverted", `0x4e487b71${word("11")}`)
      assert.deepStrictEqual([error.reason, error.panic], [undefined, 0x11n])
      assert.include(error.message, "panic 0x11")
    }))

  it.effect("keeps the bytes of an error of the contract's own", () =>
    Effect.gen(function*() {
      const error = yield* reverted("execution reverted", "0xDEADBEEF")
      assert.deepStrictEqual([error.reason, error.revertData], [undefined, "0xdeadbeef"])
    }))

  it.effect.each(
    [
      ["the text of the data", "execution reverted", paused, "execution reverted: paused (code 3)"],
      ["the text of the message", "execution reverted: words", undefined, "execution reverted: words (code 3)"],
      ["a panic", "execution reverted", `0x4e487b71${word("11")}`, "execution reverted: panic 0x11 (code 3)"],
      [
        "an error of its own",
        "execution reverted",
        "0xdeadbeef",
        "execution reverted: custom error 0xdeadbeef (code 3)"
      ],
      ["nothing", "execution reverted", undefined, "execution reverted (code 3)"],
      ["nothing, as older nodes say it", "evm: execution reverted", undefined, "execution reverted (code 3)"],
      ["other words", "out of luck", undefined, "execution reverted: out of luck (code 3)"]
    ] as const
  )("says once that it is one, and why: %s", ([, message, data, expected]) =>
    Effect.gen(function*() {
      const error = yield* reverted(message, data)
      assert.strictEqual(error.message, `node.klay_call: ${expected}`)
    }))

  it.effect.each([
    ["cut off", `0x08c379a0${word("20")}`],
    ["with a length beyond its end", `0x08c379a0${word("20")}${word("ff")}`],
    ["with an offset beyond its end", `0x08c379a0${word("f".repeat(64))}${word("1")}`],
    ["empty", "0x"],
    ["not bytes", 5],
    ["a Panic of another length", "0x4e487b7111"]
  ])("survives data that is %s", ([, data]) =>
    Effect.gen(function*() {
      const error = yield* reverted("execution reverted: words", data)
      assert.strictEqual(error.reason, "words")
    }))
})

describe("too many calls, said inside of an answer", () => {
  const throttled = failing(-32005, "limit exceeded")

  it.effect.each<readonly [name: string, answer: Testing.Step]>([
    ["-32005", failing(-32005, "limit exceeded")],
    ["429", failing(429, "slow down")],
    ["-32600 about an excess", failing(-32600, "requests exceed the limit")],
    ["429 of the gateway", Testing.json(200, { code: 429, message: "slow down" })]
  ])("as %s are waited for and made again", ([, answer]) =>
    Effect.gen(function*() {
      const wire = Testing.wire(answer, Node.node(() => ({ result: "0x7" })))
      const node = yield* Node.make(wire)
      const fiber = yield* Effect.fork(node.klay.blockNumber())
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(fiber), 7n)
      assert.strictEqual(wire.sent.length, 2)
    }))

  it.effect("are RateLimited when the policy makes no more attempts", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(throttled)
      const node = yield* Node.make(wire)
      const error = yield* Client.failsAs("RateLimited")(
        RetryPolicy.withRetryPolicy(node.klay.blockNumber(), RetryPolicy.none)
      )
      assert.deepStrictEqual([error.operation, error.origin, error.code], ["node.klay_blockNumber", "service", -32005])
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("end with the deadline", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(throttled)
      const node = yield* Node.make(wire, {
        config: { retry: RetryPolicy.make({ attempts: 1000 }), deadline: "10 seconds" }
      })
      const fiber = yield* Effect.fork(Client.failsAs("RateLimited")(node.klay.blockNumber()))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      assert.isTrue(wire.sent.every(({ at }) => at <= 10_000))
      assert.isAbove(wire.sent.length, 3)
    }))
})

describe("input that can't be sent", () => {
  it.effect("is refused before anything is sent, with the name of the parameter", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const node = yield* Node.make(wire)
      const alice = "0x1111111111111111111111111111111111111111"
      const rows = [
        [node.klay.getBalance("0x12"), ["address"]],
        [node.klay.getBalance("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD"), ["address"]],
        [node.klay.getBalance(alice, -1n), ["block"]],
        [node.klay.getBalance(alice, "0xnewest"), ["block"]],
        [node.klay.getTransactionByHash("0x12"), ["hash"]],
        [node.klay.getTransactionByBlockHashAndIndex(`0x${"aa".repeat(32)}`, -1n), ["index"]],
        [node.klay.call({ to: "0x12" }), ["call", "to"]],
        [node.klay.call({ gas: -1n }), ["call", "gas"]],
        [node.klay.call({ gasPrice: 1n, maxFeePerGas: 1n }), ["call"]],
        [node.klay.getLogs({ blockHash: `0x${"aa".repeat(32)}`, fromBlock: 1n }), ["filter"]],
        [node.klay.feeHistory(1, "latest", [50, 10]), ["percentiles"]],
        [node.klay.sendRawTransaction("0xabc"), ["raw"]]
      ] as const
      for (const [call, path] of rows) {
        const error = yield* Client.failsAs("InvalidInput")(call as Effect.Effect<unknown, RpcError.RpcError>)
        assert.deepStrictEqual((error as unknown as { readonly path: unknown }).path, path)
      }
      assert.deepStrictEqual(wire.sent, [])
    }))

  it.effect("is refused when it can't be written as JSON", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const node = yield* Node.make(wire)
      const error = yield* Client.failsAs("InvalidInput")(node.call("klay_x", [1n], Schema.Unknown))
      assert.include(error.message, "bigint")
      assert.deepStrictEqual(wire.sent, [])
    }))
})

describe("a result that is not what the method answers", () => {
  it.effect("is malformed, with its place and without its content", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.node(() => ({ result: { oldestBlock: "0x1", reward: [["0x1", "secret"]] } })))
      const node = yield* Node.make(wire)
      const error = yield* Client.failsAs("MalformedResponse")(node.klay.feeHistory(1))
      assert.deepStrictEqual(error.path, ["result", "reward", 0, 1])
      assert.strictEqual(error.operation, "node.klay_feeHistory")
      assert.notInclude(error.message, "secret")
      assert.strictEqual(wire.sent.length, 1)
    }))
})
