import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import { equal, has } from "../support/assertions.js"
import * as Chain from "../support/chain.js"
import * as Records from "../support/records.js"
import * as Service from "../support/service.js"

const { alice, bob, hash, otherHash } = Records

const address = Either.getOrThrow(Address.make(alice))
const theHash = Either.getOrThrow(Hash.make(hash))

const lookup = (wire: Testing.Wire, more: Service.More = {}) => Service.lookup(wire, { ...Service.withNode, ...more })

/** A node that answers each method from a table; a text is the whole answer. */
const node = (answers: Readonly<Record<string, unknown>>) =>
  Testing.wire((sent) => {
    const { method } = JSON.parse(sent.body ?? "{}")
    const answer = answers[method]
    return (typeof answer === "string" && answer.startsWith("{")
      ? Testing.text(200, answer)
      : Testing.json(200, { jsonrpc: "2.0", id: 1, result: answer ?? null }))(sent)
  })

const count = (from: string, upTo: ReadonlyArray<ReadonlyArray<Chain.Mined>>): number =>
  upTo.flat().filter((one) => one.from === from).length

describe("the next nonce of an account", () => {
  const chain: Chain.Chain = {
    blocks: [[], [Chain.payment(0), Chain.payment(1)]],
    waiting: [Chain.payment(2)]
  }

  it.effect("is that of the latest block, or with pending that behind everything that waits", () =>
    Effect.gen(function*() {
      const wire = Chain.make(chain)
      const service = yield* lookup(wire)
      assert.strictEqual(yield* service.nextNonce(address), 2)
      assert.strictEqual(yield* service.nextNonce(address, "latest"), 2)
      assert.strictEqual(yield* service.nextNonce(address, "pending"), 3)
      assert.deepStrictEqual(wire.sent.map(({ body }) => JSON.parse(body ?? "{}").params), [
        [alice, "latest"],
        [alice, "latest"],
        [alice, "pending"]
      ])
    }))

  it.effect("can't be asked without the node's address, and its variable is named", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const service = yield* Service.lookup(wire)
      for (const ask of [service.nextNonce(address), Effect.asVoid(service.byNonce(address, 0))]) {
        const failed = yield* Effect.flip(ask)
        assert.strictEqual(failed._tag, "LookupFailed")
        assert.include(failed.message, "KLAYTN_NODE_URL")
        assert.strictEqual(failed.cause, undefined)
      }
      assert.strictEqual(wire.sent.length, 0)
    }))

  const bad: ReadonlyArray<readonly [name: string, answer: string, message: string]> = [
    [
      "refuses",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32000,\"message\":\"missing trie node\"}}",
      "-32000 missing trie node"
    ],
    [
      "answers a number",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":2}",
      "malformed answer at result: expected string, got a number"
    ],
    ["answers a decimal text", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"2\"}", "a string matching the pattern"],
    [
      "answers nothing",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}",
      "malformed answer at result: expected string, got null"
    ],
    ["answers no JSON", "{", "a JSON-RPC response"]
  ]
  for (const [name, answer, message] of bad) {
    it.effect(`is a failure to look up where the node ${name}`, () =>
      Effect.gen(function*() {
        const service = yield* lookup(node({ klay_getTransactionCount: answer }))
        const failed = yield* Effect.flip(service.nextNonce(address))
        assert.strictEqual(failed._tag, "LookupFailed")
        assert.include(failed.message, message)
      }))
  }
})

describe("the node", () => {
  it.effect("is asked at one path, for both forms of its address", () =>
    Effect.gen(function*() {
      for (const form of ["http://127.0.0.1:8080/node", "http://127.0.0.1:8080/node/v1/klaytn"]) {
        const wire = Testing.wire(Testing.json(200, { jsonrpc: "2.0", id: 1, result: "0x2" }))
        const service = yield* Service.lookup(wire, { endpoints: { wallet: Service.base, node: form } })
        assert.strictEqual(yield* service.nextNonce(address), 2)
        assert.deepStrictEqual(wire.sent.map(({ url }) => url), ["http://127.0.0.1:8080/node/v1/klaytn"])
      }
    }))

  it.effect("can't put the credential, line breaks or escapes into an error", () =>
    Effect.gen(function*() {
      const secret = `Basic ${btoa("KASK0EXAMPLE:not-a-secret")}`
      const message = `denied\n2026-01-01 forged \u001b[31m ${secret} \u202e`
      const wire = Testing.wire(Testing.json(200, { jsonrpc: "2.0", id: 1, error: { code: -32000, message } }))
      const failed = yield* Effect.flip((yield* lookup(wire)).nextNonce(address))
      const shown = [failed.problem, failed.message, JSON.stringify(failed), Cause.pretty(Cause.fail(failed))]
      for (const text of shown) {
        assert.include(text, "denied")
        assert.notInclude(text, btoa("KASK0EXAMPLE:not-a-secret"))
        for (const character of ["\n", "\u001b", "\u202e"]) {
          assert.notInclude(text.split("\n    at ")[0] ?? "", character)
        }
      }
    }))

  it.effect("that answers with a nonce no account can reach is a failure to look up", () =>
    Effect.gen(function*() {
      for (const result of ["0x20000000000000", `0x${"f".repeat(300)}`]) {
        const wire = Testing.wire(Testing.json(200, { jsonrpc: "2.0", id: 1, result }))
        const failed = yield* Effect.flip((yield* lookup(wire)).nextNonce(address))
        assert.strictEqual(failed._tag, "LookupFailed")
      }
      const last = Testing.wire(Testing.json(200, { jsonrpc: "2.0", id: 1, result: "0x1fffffffffffff" }))
      assert.strictEqual(yield* (yield* lookup(last)).nextNonce(address), Number.MAX_SAFE_INTEGER)
    }))

  it.effect("that answers with thousands of levels is a failure to look up", () =>
    Effect.gen(function*() {
      const deep = `{"jsonrpc":"2.0","id":1,"result":${"[".repeat(5000)}${"]".repeat(5000)}}`
      const failed = yield* Effect.flip((yield* lookup(Testing.wire(Testing.text(200, deep)))).nextNonce(address))
      assert.strictEqual(failed._tag, "LookupFailed")
      const inError = `{"error":{"code":${"[".repeat(5000)}${"]".repeat(5000)}}}`
      assert.strictEqual(
        (yield* Effect.flip((yield* lookup(Testing.wire(Testing.text(200, inError)))).nextNonce(address)))._tag,
        "LookupFailed"
      )
    }))
})

describe("a look-up of several nonces", () => {
  const chain: Chain.Chain = {
    blocks: Array.from(
      { length: 5000 },
      (_, number) =>
        number % 700 === 3 ? [Chain.payment((number - 3) / 700, { hash: `0x${String(number).padStart(64, "0")}` })] : []
    )
  }

  it.effect("asks for no count twice, and looks for the next one behind the last", () =>
    Effect.gen(function*() {
      const wire = Chain.make({
        blocks: Array.from(
          { length: 40 },
          (_, number) => number % 10 === 9 ? [Chain.payment((number - 9) / 10), Chain.payment(9, { from: bob })] : []
        )
      })
      const found = yield* (yield* lookup(wire)).byNonces(address, [0, 1, 3])
      assert.deepStrictEqual(found.map(({ nonce }) => nonce), [0, 1, 3])
      const asked = wire.sent.map(({ body }) => {
        const { method, params } = JSON.parse(body ?? "{}")
        return method === "klay_getTransactionCount" ? Number(params[1]) : [method, ...params]
      })
      assert.deepStrictEqual(asked, [
        ["klay_blockNumber"],
        // What is near first, in growing steps; then halves.
        ...[39, 38, 34, 18, 0, 9, 4, 6, 7, 8],
        ["klay_getBlockByNumber", "0x9", true],
        // Between 18 and 34, of which the counts are known.
        ...[26, 22, 20, 19],
        ["klay_getBlockByNumber", "0x13", true],
        // Between 38 and 39.
        ["klay_getBlockByNumber", "0x27", true]
      ])
    }))

  it.effect("finds them all, and makes 50 requests at most", () =>
    Effect.gen(function*() {
      const wire = Chain.make(chain)
      const service = yield* lookup(wire)
      const found = yield* service.byNonces(address, [6, 7])
      assert.deepStrictEqual(found.map(({ nonce }) => nonce), [6, 7])
      assert.isAtMost(wire.sent.length, 50)
      const before = wire.sent.length
      const failed = yield* Effect.flip(service.byNonces(address, [0, 1, 2, 3, 4, 5, 6, 7]))
      assert.strictEqual(
        failed.message,
        "the search would take more than 50 requests, so nothing is known: look up fewer nonces at once with byNonce or " +
          "byNonces, or provide a TransactionLookup with an index of your own"
      )
      assert.strictEqual(wire.sent.length - before, 50)
    }))
})

describe("a transaction by its hash", () => {
  const states: ReadonlyArray<readonly [status: string, state: string, more?: object]> = [
    ["Committed", "succeeded"],
    ["CommitError", "failed"],
    ["Submitted", "waiting"],
    ["Pending", "waiting"],
    ["SomethingNew", "executed", { blockNumber: "0x5" }],
    ["SomethingNew", "waiting", { blockNumber: "0x0" }],
    ["SomethingNew", "waiting"],
    ["toString", "waiting"]
  ]
  for (const [status, state, more = {}] of states) {
    it.effect(`with the status ${status} ${JSON.stringify(more)} is ${state}`, () =>
      Effect.gen(function*() {
        const receipt = { ...Records.receipt, status, blockNumber: undefined, blockHash: undefined, ...more }
        const wire = Testing.wire(Testing.json(200, receipt))
        const found = Option.getOrThrow(yield* (yield* lookup(wire)).byHash(theHash))
        has(found, { state, transactionHash: hash, from: alice, nonce: 7, value: 0n, input: "0x", to: undefined })
        assert.deepStrictEqual(Service.requests(wire), [`GET /wallet/v2/tx/${hash}`])
      }))
  }

  it.effect("has the fee payer that its receipt names, and none where that is empty", () =>
    Effect.gen(function*() {
      const payers: ReadonlyArray<readonly [string | null | undefined, string | undefined]> = [
        [bob, bob],
        ["", undefined],
        [null, undefined],
        [undefined, undefined]
      ]
      for (const [feePayer, expected] of payers) {
        const wire = Testing.wire(Testing.json(200, { ...Records.receipt, feePayer }))
        const found = Option.getOrThrow(yield* (yield* lookup(wire)).byHash(theHash))
        assert.strictEqual<string | undefined>(found.feePayer, expected)
      }
    }))

  it.effect("that nobody knows is none", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.refusal(1065000, "failed to retrieve a transaction from klaytn node"))
      equal(yield* (yield* lookup(wire)).byHash(theHash), Option.none())
    }))

  it.effect("is found by the hash of what its sender signed, and the answer about another one is a failure", () =>
    Effect.gen(function*() {
      const signedAnew = Testing.json(200, { ...Records.receipt, hash: otherHash, senderTxHash: hash })
      const found = Option.getOrThrow(yield* (yield* lookup(Testing.wire(signedAnew))).byHash(theHash))
      has(found, { transactionHash: otherHash, senderTxHash: hash })
      const another = Testing.json(200, { ...Records.receipt, hash: otherHash, senderTxHash: otherHash })
      const failed = yield* Effect.flip((yield* lookup(Testing.wire(another))).byHash(theHash))
      assert.strictEqual(failed.problem, `${hash} was looked up, and the answer is about ${otherHash}`)
    }))

  it.effect("that can't be asked for is a failure with its cause, not none", () =>
    Effect.gen(function*() {
      for (const step of [Service.refusal(1061010, "data don't exist"), Testing.text(502, ""), Testing.json(200, {})]) {
        const service = yield* lookup(Testing.wire(step), Service.noRetries)
        const failed = yield* Effect.flip(service.byHash(theHash))
        assert.strictEqual(failed._tag, "LookupFailed")
        assert.isDefined(failed.cause)
        assert.include(failed.message, failed.cause?.message ?? "-")
      }
    }))
})

describe("the transaction that took a nonce", () => {
  const blocks = FastCheck.array(
    FastCheck.array(FastCheck.constantFrom(alice, bob), { maxLength: 3 }),
    { minLength: 1, maxLength: 40 }
  )

  it.effect.prop(
    "is found in whatever block it is, and in as few questions as a search needs",
    [blocks],
    ([senders]) =>
      Effect.gen(function*() {
        const made: Array<ReadonlyArray<Chain.Mined>> = []
        let number = 0
        for (const block of senders) {
          const mined: Array<Chain.Mined> = []
          for (const from of block) {
            const nonce = count(from, [...made, mined])
            const hash = `0x${(++number).toString(16).padStart(64, "0")}`
            mined.push(Chain.payment(nonce, { from, hash, ...(number % 2 === 0 ? { feePayer: bob } : {}) }))
          }
          made.push(mined)
        }
        const wire = Chain.make({ blocks: made })
        const service = yield* lookup(wire)
        const mine = made.flat().filter(({ from }) => from === alice)
        for (const one of mine) {
          const before = wire.sent.length
          const found = Option.getOrThrow(yield* service.byNonce(address, one.nonce))
          has(found, { transactionHash: one.hash, nonce: one.nonce, from: alice, to: bob, state: "succeeded" })
          assert.strictEqual<string | undefined>(found.feePayer, one.feePayer)
          assert.isAtMost(wire.sent.length - before, 4 + 2 * Math.ceil(Math.log2(made.length + 1)))
        }
        equal(yield* service.byNonce(address, mine.length), Option.none())
      }),
    { fastCheck: { numRuns: 20 } }
  )

  const one = (status: string | undefined) =>
    node({
      klay_blockNumber: "0x0",
      klay_getTransactionCount: "0x1",
      klay_getBlockByNumber: { transactions: [{ hash: otherHash, from: alice, nonce: "0x0" }] },
      klay_getTransactionReceipt: status === undefined ? {} : { status }
    })

  it.effect("failed when its receipt says so, and is executed when that says nothing", () =>
    Effect.gen(function*() {
      for (const [status, state] of [["0x0", "failed"], ["0x1", "succeeded"], [undefined, "executed"]] as const) {
        const found = Option.getOrThrow(yield* (yield* lookup(one(status))).byNonce(address, 0))
        has(found, { state, transactionHash: otherHash, typeInt: 0, value: 0n, input: "0x", to: undefined })
      }
    }))

  it.effect("can't be told by the receipt of another transaction, or from another block", () =>
    Effect.gen(function*() {
      const receipt = { status: "0x0", transactionHash: hash }
      const block = { number: "0x0", transactions: [{ hash: otherHash, from: alice, nonce: "0x0" }] }
      const found = (klay_getBlockByNumber: object, klay_getTransactionReceipt: object) =>
        Effect.flatMap(
          lookup(
            node({
              klay_blockNumber: "0x0",
              klay_getTransactionCount: "0x1",
              klay_getBlockByNumber,
              klay_getTransactionReceipt
            })
          ),
          (service) => service.byNonce(address, 0)
        )
      has(Option.getOrThrow(yield* found(block, { ...receipt, transactionHash: otherHash })), { state: "failed" })
      const failed = yield* Effect.flip(found(block, receipt))
      assert.include(
        failed.message,
        `the receipt of ${otherHash} was asked for, and the node answered about another one`
      )
      const moved = yield* Effect.flip(found({ ...block, number: "0x1" }, receipt))
      assert.include(moved.message, "block 0 was asked for, and the node answered about another one")
    }))

  it.effect("can't be told when the block that took the nonce does not show it", () =>
    Effect.gen(function*() {
      for (
        const block of [
          null,
          { transactions: [] },
          { transactions: [hash] },
          { transactions: [{ hash, from: bob, nonce: "0x0" }] },
          { transactions: [{ hash: "0x", from: alice, nonce: "0x0" }] }
        ]
      ) {
        const service = yield* lookup(node({
          klay_blockNumber: "0x0",
          klay_getTransactionCount: "0x1",
          klay_getBlockByNumber: block
        }))
        const failed = yield* Effect.flip(service.byNonce(address, 0))
        assert.include(failed.message, "was taken in block 0, but the node shows no such transaction there")
      }
    }))

  it.effect("is executed where the node has no receipt of it", () =>
    Effect.gen(function*() {
      const service = yield* lookup(node({
        klay_blockNumber: "0x0",
        klay_getTransactionCount: "0x1",
        klay_getBlockByNumber: { transactions: [{ hash: otherHash, from: alice, nonce: "0x0" }] },
        klay_getTransactionReceipt: null
      }))
      has(Option.getOrThrow(yield* service.byNonce(address, 0)), { state: "executed", transactionHash: otherHash })
    }))

  it.effect("is found where the node has forgotten the states of old blocks, if it is younger", () =>
    Effect.gen(function*() {
      const chain: Chain.Chain = {
        blocks: Array.from({ length: 1000 }, (_, number) => number === 995 ? [Chain.payment(0)] : [])
      }
      const answers = Chain.answering(chain)
      const forgetful = Testing.wire((sent) => {
        const { method, params } = JSON.parse(sent.body ?? "{}")
        const forgotten = method === "klay_getTransactionCount" && Number(params[1]) < 980
        const error = { code: -32000, message: "missing trie node" }
        return (forgotten ? Testing.json(200, { jsonrpc: "2.0", id: 1, error }) : answers)(sent)
      })
      const found = yield* (yield* lookup(forgetful)).byNonce(address, 0)
      has(Option.getOrThrow(found), { transactionHash: hash, state: "succeeded" })
    }))

  it.effect("can't be told when the node has forgotten the states of old blocks", () =>
    Effect.gen(function*() {
      const forgetful = Testing.wire((sent) => {
        const { method, params } = JSON.parse(sent.body ?? "{}")
        const result = method === "klay_blockNumber" ? "0x9" : "0x5"
        const forgotten = method === "klay_getTransactionCount" && Number(params[1]) < 7
        const error = { code: -32000, message: "missing trie node" }
        return Testing.json(200, { jsonrpc: "2.0", id: 1, ...(forgotten ? { error } : { result }) })(sent)
      })
      const failed = yield* Effect.flip((yield* lookup(forgetful)).byNonce(address, 2))
      assert.include(failed.message, "missing trie node")
    }))
})
