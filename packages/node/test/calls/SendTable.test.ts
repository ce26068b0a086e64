/**
 * What `sendRawTransaction` returns: the table "Raw transactions of the node" of docs/send-outcomes.md has a row for each
 * test here.
 */
import * as Deadline from "@effect-klaytn/core/Deadline"
import { OutcomeUnknown } from "@effect-klaytn/core/ServiceError"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as Client from "../../../core/test/support/client.js"
import * as Eip1193 from "../../src/Eip1193.js"
import * as KlaytnNode from "../../src/KlaytnNode.js"
import { delegatedTransfer, valueTransfer } from "../golden/vectors.js"
import * as Node from "../support/node.js"

const { hash, raw } = valueTransfer

const isLookUp = (sent: Testing.SentRequest): boolean => sent.body?.includes("_getTransactionByHash") === true

/** The submissions are answered with the steps in turn, the last one for all that follow; look-ups with their own. */
const wireOf = (lookUp: Testing.Step, ...submissions: ReadonlyArray<Testing.Step>): Testing.Wire => {
  let made = 0
  return Testing.wire((sent) => {
    if (isLookUp(sent)) return lookUp(sent)
    const step = submissions[Math.min(made++, submissions.length - 1)]
    return step === undefined ? Effect.dieMessage("no submission was to be made") : step(sent)
  })
}

const says = (code: number, message: string): Testing.Step => Node.node(() => ({ error: { code, message } }))
const result = (value: unknown): Testing.Step => Node.node(() => ({ result: value }))

const lost = Testing.broken(Testing.networkError("ECONNRESET"))
const refusedConnection = Testing.broken(Testing.networkError("ECONNREFUSED", { syscall: "connect" }))
const nothing = result(null)
const itself = result({ hash, blockNumber: "0x1" })
const another = result({ hash: delegatedTransfer.hash })

/** What the caller is told: the hash, or the error's tag; a doubt must name the hash. */
const told = (wire: Testing.Wire, send: (node: KlaytnNode.Service) => Effect.Effect<unknown, unknown>) =>
  Effect.gen(function*() {
    const node = yield* Node.make(wire)
    const fiber = yield* Effect.fork(Effect.either(send(node)))
    yield* TestClock.adjust("10 minutes")
    const outcome = yield* Fiber.join(fiber)
    if (Either.isRight(outcome)) return outcome.right
    const error = outcome.left
    if (error instanceof OutcomeUnknown) {
      assert.strictEqual(error.transactionHash, hash)
      assert.include(error.message, hash)
      assert.match(error.reason, / gave (nothing|another transaction|no answer)$/)
      assert.deepStrictEqual([error.operation.startsWith("node."), error.retrySafe], [true, true])
    }
    return (error as { readonly _tag: string })._tag
  })

const send = (node: KlaytnNode.Service) => node.klay.sendRawTransaction(raw)

interface Row {
  readonly row: string
  readonly submissions: ReadonlyArray<Testing.Step>
  readonly lookUp?: Testing.Step
  readonly told: string
  readonly lookUps?: number
}

const unknown = "OutcomeUnknown"

const rows: ReadonlyArray<Row> = [
  // The only attempt.
  { row: "nothing left", submissions: [refusedConnection], told: "TransportFailed", lookUps: 0 },
  { row: "it left, and no answer came", submissions: [lost], told: unknown },
  { row: "it left, and the answer broke off", submissions: [Testing.cutOff(200)], told: unknown },
  { row: "a redirect", submissions: [Testing.text(307, "", { location: "https://other.example/" })], told: unknown },
  { row: "a 4xx without a code", submissions: [Testing.text(403, "")], told: unknown },
  {
    row: "a 4xx with a code that is not the service's",
    submissions: [Testing.json(403, { code: 403 })],
    told: unknown
  },
  {
    row: "a 4xx with the service's code",
    submissions: [Testing.json(403, { code: 1010009 })],
    told: "Unauthorized",
    lookUps: 0
  },
  {
    row: "a 429 with the service's code",
    submissions: [Testing.json(429, { code: 1019999 })],
    told: "RateLimited"
  },
  {
    row: "a 429 with the service's code, and the look-up fails",
    submissions: [Testing.json(429, { code: 1019999 })],
    lookUp: Testing.text(500, ""),
    told: unknown,
    lookUps: 4
  },
  {
    row: "a 4xx with another code of the service",
    submissions: [Testing.json(400, { code: 1069999 })],
    told: "Rejected"
  },
  {
    row: "a 4xx with another code of the service, and the look-up finds it",
    submissions: [Testing.json(400, { code: 1069999 })],
    lookUp: itself,
    told: hash
  },
  { row: "a 5xx", submissions: [Testing.text(500, "")], told: unknown },
  {
    row: "a 200 with a refusal of the service, with its code",
    submissions: [Testing.json(200, { code: 1010009 })],
    told: "Unauthorized",
    lookUps: 0
  },
  {
    row: "a 200 with a refusal that has no code",
    submissions: [Testing.json(200, { message: "forbidden" })],
    told: unknown
  },
  {
    row: "a 200 with a refusal and a code that is not the service's",
    submissions: [Testing.json(200, { code: 429, message: "slow down" })],
    told: unknown
  },
  { row: "a 200 that is no envelope", submissions: [Testing.text(200, "<html>")], told: unknown },
  { row: "a 200 without a result", submissions: [Node.node(() => ({}))], told: unknown },
  { row: "a 200 whose result is null", submissions: [result(null)], told: unknown },
  { row: "a 200 with another hash", submissions: [result(delegatedTransfer.hash)], told: unknown },
  ...[
    ["invalid chain id", "TransactionRefused"],
    ["oversized data", "TransactionRefused"],
    ["intrinsic gas too low", "TransactionRefused"],
    ["transaction type not supported", "TransactionRefused"]
  ].map(([message = "", told = ""]): Row => ({
    row: `the node refuses the bytes: ${message}`,
    submissions: [says(-32000, message)],
    lookUp: itself,
    told,
    lookUps: 0
  })),
  ...([
    [-32601, "the method does not exist/is not available", "MethodNotFound"],
    [-32602, "missing value for required argument 0", "InvalidParams"],
    [-32600, "not a request", "RpcFailed"],
    [-32700, "parse error", "RpcFailed"]
  ] as const).map(([code, message, told]): Row => ({
    row: `the node does not read the call: ${code}`,
    submissions: [says(code, message)],
    lookUp: itself,
    told,
    lookUps: 0
  })),
  ...[
    ["insufficient funds of the sender for value ", "InsufficientFunds"],
    ["txpool is full", "TransactionRefused"],
    ["transaction underpriced", "TransactionRefused"],
    ["invalid sender: invalid account key", "TransactionRefused"],
    ["not a program account", "TransactionRefused"],
    ["no, thanks", "RpcFailed"]
  ].flatMap(([message = "", told = ""]): ReadonlyArray<Row> => [
    {
      row: `the node refuses for its state, and the look-up finds nothing: ${message}`,
      submissions: [says(-32000, message)],
      told
    },
    {
      row: `the node refuses for its state, and the look-up finds it: ${message}`,
      submissions: [says(-32000, message)],
      lookUp: itself,
      told: hash
    },
    {
      row: `the node refuses for its state, and the look-up fails: ${message}`,
      submissions: [says(-32000, message)],
      lookUp: Testing.text(500, ""),
      told: unknown,
      lookUps: 4
    }
  ]),
  { row: "the node has too much to do", submissions: [says(-32005, "slow down")], told: "RateLimited" },
  {
    row: "the nonce is too low, and the look-up finds it",
    submissions: [says(-32000, "nonce too low")],
    lookUp: itself,
    told: hash
  },
  {
    row: "the nonce is too low, and the look-up finds nothing",
    submissions: [says(-32000, "nonce too low")],
    told: unknown
  },
  {
    row: "the nonce is too low, and the look-up fails",
    submissions: [says(-32000, "nonce too low")],
    lookUp: Testing.text(500, ""),
    told: unknown,
    lookUps: 4
  },
  {
    row: "the pool has it, by this hash",
    submissions: [says(-32000, `known transaction: ${hash.slice(2)}`)],
    told: hash,
    lookUps: 0
  },
  {
    row: "the pool has it, without a hash, and the look-up finds nothing",
    submissions: [says(-32000, "already known")],
    told: unknown
  },
  { row: "an internal error of the node", submissions: [says(-32603, "internal error")], told: unknown },
  {
    row: "a timeout on the way, told as an error of the node",
    submissions: [says(-32000, "upstream request timed out")],
    told: unknown
  },
  // An uncertain attempt, then another.
  { row: "first no answer, then the hash", submissions: [lost, result(hash)], told: hash, lookUps: 0 },
  {
    row: "first no answer, then the pool has it, by this hash",
    submissions: [lost, says(-32000, `known transaction: ${hash.slice(2)}`)],
    told: hash,
    lookUps: 0
  },
  ...[
    ["the nonce is too low", says(-32000, "nonce too low")],
    ["the pool is full", says(-32000, "txpool is full")],
    ["funds are missing", says(-32000, "insufficient funds of the sender for value ")],
    ["the node says no in words that are not known", says(-32000, "no, thanks")],
    ["the receiver is refused", says(-32000, "recipient must be an EOA without code")],
    ["the type is refused", says(-32000, "transaction type not supported")],
    ["a refusal of the service", Testing.json(403, { code: 1010009 })],
    ["a 200 with a refusal of the service", Testing.json(200, { code: 1010009 })],
    ["nothing leaves any more", refusedConnection]
  ].flatMap(([what, step]): ReadonlyArray<Row> => [
    {
      row: `first no answer, then ${String(what)}, and the look-up finds it`,
      submissions: [lost, step as Testing.Step],
      lookUp: itself,
      told: hash
    },
    {
      row: `first no answer, then ${String(what)}, and the look-up finds nothing`,
      submissions: [lost, step as Testing.Step],
      told: unknown
    },
    {
      row: `first no answer, then ${String(what)}, and the look-up fails`,
      submissions: [lost, step as Testing.Step],
      lookUp: Testing.text(500, ""),
      told: unknown,
      lookUps: 4
    },
    {
      row: `first no answer, then ${String(what)}, and the look-up finds another transaction`,
      submissions: [lost, step as Testing.Step],
      lookUp: another,
      told: unknown,
      lookUps: 4
    }
  ]),
  ...["invalid chain id", "intrinsic gas too low", "oversized data"].map((message): Row => ({
    row: `first no answer, then a refusal for its bytes: ${message}`,
    submissions: [lost, says(-32000, message)],
    told: "TransactionRefused",
    lookUps: 0
  })),
  {
    row: "first a 429 with the service's code, then the nonce is too low",
    submissions: [Testing.json(429, { code: 1019999 }), says(-32000, "nonce too low")],
    told: unknown
  },
  {
    row: "first nothing left, then the pool is full",
    submissions: [refusedConnection, says(-32000, "txpool is full")],
    told: "TransactionRefused"
  },
  {
    row: "first no answer, then the node has too much to do, then the pool is full",
    submissions: [lost, says(-32005, "slow down"), says(-32000, "txpool is full")],
    told: unknown
  },
  {
    row: "first no answer, then the node has too much to do until the end",
    submissions: [lost, says(-32005, "slow down")],
    told: unknown
  }
]

describe("what a send is told", () => {
  for (const { lookUp = nothing, lookUps = 1, row, submissions, told: expected } of rows) {
    it.effect(row, () =>
      Effect.gen(function*() {
        const wire = wireOf(lookUp, ...submissions)
        assert.strictEqual(yield* told(wire, send), expected)
        assert.strictEqual(wire.sent.filter(isLookUp).length, lookUps, "look-ups")
        assert.isAtMost(wire.sent.filter((sent) => !isLookUp(sent)).length, 4, "submissions")
      }))
  }

  const refusedAfterwards = () => wireOf(nothing, lost, says(-32000, "nonce too low"))

  it.effect.each(
    [
      ["klay", (node: KlaytnNode.Service) => node.klay.sendRawTransaction(raw)],
      ["eth", (node: KlaytnNode.Service) => node.eth.sendRawTransaction(raw)],
      ["a call by name", (node: KlaytnNode.Service) => node.call("kaia_sendRawTransaction", [raw], Schema.Unknown)],
      [
        "a call by name that is said to be safe",
        (node: KlaytnNode.Service) => node.call("klay_sendRawTransaction", [raw], Schema.Unknown, { safety: "safe" })
      ],
      [
        "a batch",
        (node: KlaytnNode.Service) =>
          Effect.all([node.klay.sendRawTransaction(raw), node.klay.sendRawTransaction(raw)], { concurrency: 2 })
      ]
    ] as const
  )("is the same by %s", ([, by]) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* told(refusedAfterwards(), by), unknown)
    }))

  it.effect("is the same through EIP-1193, as the cause of a Eip1193.ProviderError", () =>
    Effect.gen(function*() {
      const node = yield* Node.make(refusedAfterwards())
      const provider = yield* Effect.provideService(Eip1193.make, KlaytnNode.KlaytnNode, node)
      const fiber = yield* Effect.fork(
        Effect.flip(Effect.tryPromise({
          try: () => provider.request({ method: "eth_sendRawTransaction", params: [raw] }),
          catch: (error) => error
        }))
      )
      yield* TestClock.adjust("10 minutes")
      const error = yield* Fiber.join(fiber)
      assert.instanceOf(error, Eip1193.ProviderError)
      assert.instanceOf(error.cause, OutcomeUnknown)
      assert.strictEqual(error.cause.transactionHash, hash)
    }))

  it.effect("in a batch, is for each transaction what is known of that one", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(
        lost,
        Node.node(({ params }) =>
          params[0] === raw ? { error: { code: -32000, message: "txpool is full" } } : {
            result: delegatedTransfer.hash
          }
        ),
        nothing
      )
      const node = yield* Node.make(wire)
      const fiber = yield* Effect.fork(Effect.all([
        Client.failsAs("OutcomeUnknown")(node.klay.sendRawTransaction(raw)),
        node.klay.sendRawTransaction(delegatedTransfer.raw)
      ], { concurrency: 2 }))
      yield* TestClock.adjust("1 minute")
      const [first, second] = yield* Fiber.join(fiber)
      assert.deepStrictEqual([first.transactionHash, first.serviceMessage], [hash, "txpool is full"])
      assert.strictEqual(second, delegatedTransfer.hash)
    }))

  it.effect("in a batch where an error came for none in particular, is that nobody knows", () =>
    Effect.gen(function*() {
      const wire = wireOf(
        nothing,
        Testing.json(200, [{ jsonrpc: "2.0", id: 1, result: delegatedTransfer.hash }, {
          jsonrpc: "2.0",
          id: null,
          error: { code: -32000, message: "txpool is full" }
        }])
      )
      const node = yield* Node.make(wire)
      const [, error] = yield* Effect.all([
        node.klay.sendRawTransaction(delegatedTransfer.raw),
        Client.failsAs("OutcomeUnknown")(node.klay.sendRawTransaction(raw))
      ], { concurrency: 2 })
      assert.strictEqual(error.transactionHash, hash)
    }))

  it.effect("where the one error that came is for no call in particular, is the node's refusal", () =>
    Effect.gen(function*() {
      const refusal = { jsonrpc: "2.0", id: null, error: { code: -32000, message: "txpool is full" } }
      const wire = wireOf(nothing, Testing.json(200, refusal))
      assert.strictEqual(yield* told(wire, send), "TransactionRefused")
      assert.deepStrictEqual(wire.sent.map(isLookUp), [false, true])
    }))

  it.effect("when the time ends between two submissions after an uncertain one, is that nobody knows", () =>
    Effect.gen(function*() {
      const slow: Testing.Step = (sent) => Effect.delay(says(-32005, "slow down")(sent), "900 millis")
      const node = yield* Node.make(wireOf(nothing, lost, slow))
      const fiber = yield* Effect.fork(
        Client.failsAs("OutcomeUnknown")(Deadline.withDeadline(node.klay.sendRawTransaction(raw), "1200 millis"))
      )
      yield* TestClock.adjust("1200 millis")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error.transactionHash, hash)
    }))
})
