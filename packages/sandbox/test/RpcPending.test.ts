import { quantity } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Sandbox from "../src/Sandbox.js"
import * as Rpc from "./support/rpc.js"

const bob = "0x000000000000000000000000000000000000b0b0"

/** A sandbox with one transaction in a block and one that waits. */
const waiting = Effect.gen(function*() {
  const { chains } = yield* Sandbox.Sandbox
  const chain = chains.chain(1001)
  const alice = chains.account("alice")
  yield* chain.send({ kind: "transfer", from: alice, to: bob, value: 5n })
  yield* chain.mine()
  yield* chain.send({ kind: "transfer", from: alice, to: bob, value: 7n })
  return alice.address
})

describe("the block `pending`", () => {
  it.effect("has the next base fee for what runs in it", () =>
    Effect.provide(
      Effect.gen(function*() {
        const { chains } = yield* Sandbox.Sandbox
        const [from, low, high] = [chains.account("alice").address, 25_000_000_000n, 40_000_000_000n]
        yield* chains.chain(1001).setNextBlock({ baseFeePerGas: high })
        const ask = (data: string, tag: string, price?: bigint) =>
          Rpc.call("eth_call", { from, data, ...(price !== undefined && { gasPrice: quantity(price) }) }, tag)
        const showsBaseFee = "0x485f5260205ff3"
        const showsPrice = "0x3a5f5260205ff3"
        for (const [tag, fee] of [["latest", low], ["pending", high]] as const) {
          assert.strictEqual(BigInt(String(yield* ask(showsBaseFee, tag))), fee)
          assert.strictEqual(BigInt(String(yield* ask(showsPrice, tag))), 2n * fee)
          assert.strictEqual(BigInt(String(yield* ask(showsPrice, tag, fee))), fee)
        }
        for (const method of ["eth_call", "kaia_estimateGas", "kaia_estimateComputationCost", "eth_createAccessList"]) {
          const { message } = yield* Rpc.failure(method, { from, to: bob, gasPrice: quantity(low) }, "pending")
          assert.include(message, `maxFeePerGas: ${low}, baseFee: ${high}`, method)
        }
      }),
      Sandbox.layer({ mining: "manual", seed: "pending tests" })
    ))

  it.effect("is the latest one, and its nonce counts the pool", () =>
    Effect.provide(
      Effect.gen(function*() {
        const from = yield* waiting
        assert.strictEqual(yield* Rpc.call("eth_getBalance", bob, "pending"), "0x5")
        assert.strictEqual(yield* Rpc.call("eth_getTransactionCount", from, "pending"), "0x2")
        assert.strictEqual(yield* Rpc.call("eth_getTransactionCount", from, "latest"), "0x1")
        assert.strictEqual(yield* Rpc.call("klay_estimateGas", { from, to: bob }, "pending"), "0x5208")
        assert.deepStrictEqual(
          yield* Rpc.call("eth_getBlockByNumber", "pending", false),
          yield* Rpc.call("eth_getBlockByNumber", "latest", false)
        )
        yield* Rpc.object("eth_createAccessList", { from, to: bob }, "pending")
      }),
      Sandbox.layer({ mining: "manual", seed: "pending tests" })
    ))

  it.effect("is refused where that is asked for, and the nonce still counts the pool", () =>
    Effect.provide(
      Effect.gen(function*() {
        const from = yield* waiting
        for (
          const [method, ...params] of [
            ["klay_getBalance", bob, "pending"],
            ["eth_getBlockByNumber", "pending", true],
            ["eth_call", { to: bob }, "pending"],
            ["eth_createAccessList", { from, to: bob }, "pending"]
          ] as const
        ) {
          const { error } = yield* Rpc.reply(method, ...params)
          assert.deepStrictEqual(error, { code: -32000, message: "pending block is not prepared yet" })
        }
        assert.strictEqual(yield* Rpc.call("eth_getTransactionCount", from, "pending"), "0x2")
      }),
      Sandbox.layer({ mining: "manual", seed: "pending tests", pendingBlock: "refused" })
    ))
})
