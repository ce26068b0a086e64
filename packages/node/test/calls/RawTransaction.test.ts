import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as Client from "../../../core/test/support/client.js"
import { delegatedTransfer, valueTransfer } from "../golden/vectors.js"
import * as Node from "../support/node.js"

const { hash, raw } = valueTransfer

/** A node that answers a submission so, and a look-up so. */
const answering = (submission: object, lookUp: unknown) =>
  Node.node(({ method }) => method.endsWith("_sendRawTransaction") ? submission : { result: lookUp })

const known = { error: { code: -32000, message: `known transaction: ${hash.slice(2)}` } }
const tooLow = { error: { code: -32000, message: "nonce too low" } }

describe("a raw transaction", () => {
  it.effect("is answered with its hash", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(answering({ result: hash }, null))
      const node = yield* Node.make(wire)
      assert.strictEqual(yield* node.klay.sendRawTransaction(raw), hash)
      assert.deepStrictEqual(Node.methods(wire), [["klay_sendRawTransaction"]])
    }))

  it.effect("that the pool knows is a success, with the hash computed here", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(answering(known, { hash }))
      const node = yield* Node.make(wire)
      assert.strictEqual(yield* node.klay.sendRawTransaction(raw), hash)
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("that the pool knows without saying by which hash is looked up", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(answering({ error: { code: -32000, message: "already known" } }, { hash }))
      const node = yield* Node.make(wire)
      assert.strictEqual(yield* node.klay.sendRawTransaction(raw), hash)
      assert.strictEqual(
        wire.sent[1]?.body,
        `{"jsonrpc":"2.0","id":1,"method":"klay_getTransactionByHash","params":["${hash}"]}`
      )
    }))

  it.effect("whose nonce was used by itself is a success", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(answering(tooLow, { blockNumber: "0x1", hash }))
      const node = yield* Node.make(wire, { namespace: "kaia" })
      assert.strictEqual(yield* node.klay.sendRawTransaction(raw), hash)
      assert.deepStrictEqual(Node.methods(wire), [["kaia_sendRawTransaction"], ["kaia_getTransactionByHash"]])
    }))

  it.effect("whose nonce is taken, and that the node does not show, is in doubt: a copy of it may have the nonce", () =>
    Effect.gen(function*() {
      const node = yield* Node.make(Testing.wire(answering(tooLow, null)))
      const error = yield* Effect.flip(node.klay.sendRawTransaction(raw))
      assert.strictEqual(error._tag, "OutcomeUnknown")
      assert.strictEqual(error._tag === "OutcomeUnknown" ? error.serviceMessage : "", "nonce too low")
    }))

  it.effect("is looked up in its own namespace", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(answering(tooLow, { hash: delegatedTransfer.hash }))
      const node = yield* Node.make(wire)
      assert.strictEqual(yield* node.eth.sendRawTransaction(delegatedTransfer.raw), delegatedTransfer.hash)
      assert.deepStrictEqual(Node.methods(wire), [["eth_sendRawTransaction"], ["eth_getTransactionByHash"]])
    }))

  it.effect("that is refused for its bytes is not looked up", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(answering({ error: { code: -32000, message: "invalid chain id" } }, {}))
      const node = yield* Node.make(wire)
      assert.strictEqual((yield* Effect.flip(node.klay.sendRawTransaction(raw)))._tag, "TransactionRefused")
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("is sent again with the same bytes after a lost answer, and its repetition tells the truth", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(
        Testing.broken(Testing.networkError("ECONNRESET")),
        answering(known, null),
        answering(known, {})
      )
      const node = yield* Node.make(wire)
      const fiber = yield* Effect.fork(node.klay.sendRawTransaction(raw))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), hash)
      assert.strictEqual(wire.sent[0]?.body, wire.sent[1]?.body)
    }))

  it.effect("with every answer lost is looked up: found is a success", () =>
    Effect.gen(function*() {
      const lost = Testing.broken(Testing.networkError("ECONNRESET"))
      const wire = Testing.wire(lost, lost, lost, lost, answering({}, { hash }))
      const node = yield* Node.make(wire)
      const fiber = yield* Effect.fork(node.klay.sendRawTransaction(raw))
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), hash)
    }))

  it.effect("with every answer lost that is not found has an unknown outcome that names the hash", () =>
    Effect.gen(function*() {
      const lost = Testing.broken(Testing.networkError("ECONNRESET"))
      const wire = Testing.wire(lost, lost, lost, lost, answering({}, null))
      const node = yield* Node.make(wire)
      const fiber = yield* Effect.fork(Client.failsAs("OutcomeUnknown")(node.klay.sendRawTransaction(raw)))
      yield* TestClock.adjust("20 seconds")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error.reason, `ECONNRESET; looking up ${hash} gave nothing`)
      assert.deepStrictEqual([error.operation, error.retrySafe], ["node.klay_sendRawTransaction", true])
    }))

  it.effect("that is answered with another hash has an unknown outcome", () =>
    Effect.gen(function*() {
      const node = yield* Node.make(Testing.wire(answering({ result: delegatedTransfer.hash }, null)))
      const error = yield* Client.failsAs("OutcomeUnknown")(node.klay.sendRawTransaction(raw))
      assert.include(error.reason, hash)
    }))

  it.effect("of an Ethereum type has the hash of its bytes without 0x78", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.node(({ method, params }) =>
        method.endsWith("_sendRawTransaction") ? tooLow : { result: { hash: params[0] } }
      ))
      const node = yield* Node.make(wire)
      for (const bare of ["01c0", "02c0", "07c0", "0fc0", "0Fc0"]) {
        const wrapped = yield* node.klay.sendRawTransaction(`0x78${bare}`)
        assert.strictEqual(wrapped, yield* node.eth.sendRawTransaction(`0x${bare}`))
        assert.strictEqual(wrapped, `0x${bytesToHex(keccak_256(hexToBytes(bare)))}`)
      }
    }))

  it.effect("with blobs has the hash of its bytes before them", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.node(({ method, params }) =>
        method.endsWith("_sendRawTransaction") ? tooLow : { result: { hash: params[0] } }
      ))
      const node = yield* Node.make(wire)
      // A transaction as a node of Kaia 2.2.1 showed it, with the hash that it named.
      const body =
        "f8978203e980843b9aca008514f46b040082ea609400000000000000000000000000000000000a11ce0580c087038d7ea4c68000e1a001638cc81d248f2713b15ee421fbcbd715f76a07f79144e2ab3f696a996c9ba801a0737555fe0e8a94cb778d387342bc78f35cdaaaaf503ee58877f69f3125733641a05cde17230b55ae6250dfb5a64775af723bcc9b9fb13bc99e196a395ff7496fa9"
      const blobs = `01fa020004ba020000${"00".repeat(131_072)}c0c0`
      const whole = `03fa0200a5${body}${blobs}`
      for (const sent of [`03${body}`, whole]) {
        assert.strictEqual(
          yield* node.eth.sendRawTransaction(`0x${sent}`),
          "0x306a2102c2a0f04ddece4d68fdca30ced3b3beee915c559cac9bb4b9f9b3f228"
        )
        assert.strictEqual(
          yield* node.klay.sendRawTransaction(`0x78${sent}`),
          "0x306a2102c2a0f04ddece4d68fdca30ced3b3beee915c559cac9bb4b9f9b3f228"
        )
      }
    }))

  it.effect("of any other type has the hash of all its bytes", () =>
    Effect.gen(function*() {
      for (const other of ["0x7808c0", "0x7800c0", "0x787fc0", "0x780ec0", "0xc27801", "0x01c0", "0x78C0"]) {
        const wire = Testing.wire(answering(tooLow, null))
        const node = yield* Node.make(wire)
        yield* Effect.flip(node.klay.sendRawTransaction(other))
        assert.deepStrictEqual(Node.requestsIn(wire.sent[1] ?? assert.fail("it was not looked up"))[0]?.params, [
          `0x${bytesToHex(keccak_256(hexToBytes(other.slice(2))))}`
        ])
      }
    }))

  const others: ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> = [
    ["nothing", []],
    ["more than bytes", [raw, "latest"]],
    ["a number", [7]],
    ["no digits", ["0x"]],
    ["half a byte", ["0x123"]],
    ["other letters", ["0xzz"]],
    ["something before the bytes", [`a${raw}`]],
    ["something behind the bytes", [`${raw}z`]],
    ["a list of bytes", [[raw]]]
  ]
  it.effect.each(others)(
    "by name with %s for parameters is the caller's own affair: nothing is looked up",
    ([, params]) =>
      Effect.gen(function*() {
        const wire = Testing.wire(answering(tooLow, { hash }))
        const node = yield* Node.make(wire)
        const error = yield* Effect.flip(node.call("klay_sendRawTransaction", params, Schema.Unknown))
        assert.strictEqual(error._tag, "NonceTooLow")
        assert.deepStrictEqual(Node.requestsIn(wire.sent[0] ?? assert.fail("it was not sent"))[0]?.params, params)
        assert.strictEqual(wire.sent.length, 1)
      })
  )

  it.effect.each(
    [
      ["nothing", null],
      ["another transaction", { hash: delegatedTransfer.hash }],
      ["another transaction", { hash: 7 }],
      ["another transaction", hash]
    ] as const
  )("in doubt tells that its look-up gave %s (%j)", ([gave, found]) =>
    Effect.gen(function*() {
      const node = yield* Node.make(
        Testing.wire(answering({ error: { code: -32000, message: "already known" } }, found))
      )
      // Another copy of the node may know better: it is looked up as often as the policy says.
      const error = yield* Client.failsAs("OutcomeUnknown")(node.klay.sendRawTransaction(raw)).pipe(
        Client.within("1 minute")
      )
      assert.strictEqual(
        error.reason,
        `the answer does not prove that the node refused it; looking up ${hash} gave ${gave}`
      )
      assert.deepStrictEqual(error.attempts.map(({ reason }) => reason), ["KnownTransaction"])
    }))

  it.effect("is not taken for known because an error about something else names its hash", () =>
    Effect.gen(function*() {
      const submission = { error: { code: -32603, message: `internal error at ${hash}` } }
      const wire = Testing.wire(answering(submission, null))
      const node = yield* Node.make(wire)
      yield* Client.failsAs("OutcomeUnknown")(node.klay.sendRawTransaction(raw))
      assert.strictEqual(wire.sent.length, 2)
    }))

  it.effect("has one time for its submission and its look-up", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.after("4 seconds", answering(tooLow, null)), Testing.silence)
      const node = yield* Node.make(wire, { config: { deadline: "5 seconds" } })
      const error = yield* Effect.flip(node.klay.sendRawTransaction(raw)).pipe(Client.within("5 seconds"))
      assert.strictEqual(error._tag, "OutcomeUnknown")
      assert.strictEqual(wire.sent.length, 2)
    }))

  it.effect.each([
    ["known in upper case", { error: { code: -32000, message: `known transaction: ${hash.slice(2).toUpperCase()}` } }]
  ])("that is %s is a success", ([, submission]) =>
    Effect.gen(function*() {
      const node = yield* Node.make(Testing.wire(answering(submission as object, null)))
      assert.strictEqual(yield* node.klay.sendRawTransaction(raw), hash)
    }))
})
