/** Many sends of one account at once. */
import type { DevAccount } from "@effect-klaytn/local-chain/DevAccount"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Sandbox from "../src/Sandbox.js"
import * as DevRpc from "./support/devRpc.js"
import { type Connection, open } from "./support/socket.js"

const to = `0x${"78".repeat(20)}` as const

const value = <A>(result: { readonly ok: true; readonly value: A } | { readonly ok: false }): A =>
  result.ok ? result.value : assert.fail("no value")

const account = (name: string) => Effect.map(Sandbox.Sandbox, ({ chains }) => chains.account(name))

/** The bytes of a transfer that its sender has signed. */
const signed = (from: DevAccount, nonce: bigint, gasPrice: bigint): Hex => {
  const made = value(Transaction.make({
    type: "LegacyTransaction",
    nonce,
    gasPrice,
    gas: 30_000n,
    to,
    value: 1n,
    input: "0x"
  }))
  const options = { chainId: 1001, privateKey: Redacted.value(from.privateKey) }
  return value(Transaction.encode(value(Transaction.signAsSender(made, options)), { form: "eth" }))
}

/** A send without a nonce; every other one leaves the gas to be estimated. */
const args = (from: Hex, index: number) => ({ from, to, value: "0x1", ...(index % 2 === 0 && { gas: "0x7530" }) })

const overSocket = (connection: Connection, id: number, method: string, params: ReadonlyArray<unknown>) =>
  Effect.map(connection.call(id, method, ...params), ({ error, result }) => {
    assert.isUndefined(error, JSON.stringify(error))
    return result
  })

/** Messages of one connection, which it answers in order. */
const allOver = (connection: Connection, from: Hex, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    (index) => overSocket(connection, index, "eth_sendTransaction", [args(from, index)])
  )

const noncesOf = (hashes: ReadonlyArray<unknown>) =>
  Effect.forEach(
    hashes,
    (hash) =>
      Effect.map(DevRpc.object("eth_getTransactionByHash", hash), ({ from, nonce }) => ({ from, nonce: Number(nonce) }))
  )

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

const manual = Sandbox.layer({ seed: "sends at once", mining: "manual" })

layer(manual, { excludeTestServices: true })("Sends of one account at once", (it) => {
  it.effect("are all kept, beside signed ones of others and of the account at later nonces", () =>
    Effect.gen(function*() {
      const [alice, bob] = [yield* account("alice"), yield* account("bob")]
      const price = BigInt(yield* DevRpc.text("eth_gasPrice"))
      const ahead = yield* DevRpc.call("eth_sendRawTransaction", signed(alice, 60n, price))
      const first = yield* open("/rpc/1001")
      const second = yield* open("/rpc/1001")
      const [overHttp, overFirst, overSecond, byType, ofBob] = yield* Effect.all([
        Effect.forEach(
          upTo(100),
          (index) => DevRpc.call("eth_sendTransaction", args(alice.address, index)),
          { concurrency: "unbounded" }
        ),
        allOver(first, alice.address, 40),
        allOver(second, alice.address, 40),
        Effect.forEach(
          upTo(20),
          () =>
            DevRpc.call("kaia_sendTransaction", {
              typeInt: 8,
              from: alice.address,
              to,
              value: "0x1",
              gas: "0x7530"
            }),
          { concurrency: "unbounded" }
        ),
        Effect.forEach(
          upTo(20),
          (nonce) => DevRpc.call("eth_sendRawTransaction", signed(bob, BigInt(nonce), price)),
          { concurrency: "unbounded" }
        )
      ], { concurrency: "unbounded" })
      const filled = [...overHttp, ...overFirst, ...overSecond, ...byType]
      assert.strictEqual(new Set([...filled, ahead]).size, 201)
      const nonces = (yield* noncesOf([...filled, ahead])).map(({ nonce }) => nonce)
      assert.deepStrictEqual(nonces.toSorted((a, b) => a - b), upTo(201))
      // One connection's answers are in the order of its messages.
      const inOrder = (yield* noncesOf(overFirst)).map(({ nonce }) => nonce)
      assert.deepStrictEqual(inOrder, inOrder.toSorted((a, b) => a - b))
      const taken = yield* DevRpc.failure("eth_sendRawTransaction", signed(alice, BigInt(nonces[7] ?? 0), price))
      assert.deepStrictEqual(taken, {
        code: -32000,
        message: "there is another tx which has the same nonce in the tx pool"
      })
      yield* DevRpc.call("evm_mine")
      assert.strictEqual(Number(yield* DevRpc.text("eth_getTransactionCount", alice.address, "latest")), 201)
      assert.strictEqual(Number(yield* DevRpc.text("eth_getTransactionCount", bob.address, "latest")), 20)
      assert.strictEqual(ofBob.length, 20)
      const late = yield* DevRpc.failure("eth_sendRawTransaction", signed(alice, 7n, price))
      assert.strictEqual(late.message, "nonce too low")
    }).pipe(Effect.scoped))

  it.effect("keep their order under a signed one that comes while their gas is estimated", () =>
    Effect.gen(function*() {
      const carol = yield* account("carol")
      const { chains } = yield* Sandbox.Sandbox
      const price = yield* chains.chain(1001).gasPrice
      // Each of the signed ones wants the nonce that a send is about to get: one of the two has it, and the send goes on.
      const [sends, rivals] = yield* Effect.all([
        Effect.forEach(
          upTo(30),
          () => DevRpc.call("eth_sendTransaction", { from: carol.address, to, value: "0x1" }),
          { concurrency: "unbounded" }
        ),
        Effect.forEach(
          upTo(30),
          (nonce) => Effect.option(chains.chain(1001).submitRaw(signed(carol, BigInt(nonce), price))),
          { concurrency: "unbounded" }
        )
      ], { concurrency: "unbounded" })
      const kept = [...sends, ...rivals.flatMap(Option.toArray)]
      const nonces = (yield* noncesOf(kept)).map(({ nonce }) => nonce)
      assert.deepStrictEqual(nonces.toSorted((a, b) => a - b), upTo(kept.length))
    }))

  it.effect("count for one sender only: a send that fails lets the next one in", () =>
    Effect.gen(function*() {
      const dave = yield* account("dave")
      const results = yield* Effect.forEach(
        upTo(10),
        (index) =>
          Effect.option(
            index % 2 === 0
              ? DevRpc.failure("eth_sendTransaction", { from: dave.address, to, value: `0x${"f".repeat(40)}` })
              : DevRpc.call("eth_sendTransaction", { from: dave.address, to, value: "0x1" })
          ),
        { concurrency: "unbounded" }
      )
      assert.isTrue(results.every(Option.isSome))
      assert.strictEqual(Number(yield* DevRpc.text("eth_getTransactionCount", dave.address, "pending")), 5)
    }))
})

layer(Sandbox.layer({ seed: "sends at once, mined" }), { excludeTestServices: true })("With a block each", (it) => {
  it.effect("sends at once are all mined, and each sees what the one before did", () =>
    Effect.gen(function*() {
      const alice = yield* account("alice")
      // Adds a word to storage: the first word costs more than the next ones.
      const counter = `0x${"c0".repeat(20)}`
      yield* DevRpc.call("hardhat_setCode", counter, "0x5f54600101805f55805500")
      const hashes = yield* Effect.forEach(
        upTo(60),
        () => DevRpc.call("eth_sendTransaction", { from: alice.address, to: counter }),
        { concurrency: "unbounded" }
      )
      const receipts = yield* Effect.forEach(hashes, (hash) => DevRpc.object("eth_getTransactionReceipt", hash))
      assert.deepStrictEqual(new Set(receipts.map(({ status }) => status)), new Set(["0x1"]))
      assert.strictEqual(Number(yield* DevRpc.text("eth_getStorageAt", counter, "0x0", "latest")), 60)
    }))
})
