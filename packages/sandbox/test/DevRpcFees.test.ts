import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Sandbox from "../src/Sandbox.js"
import * as DevRpc from "./support/devRpc.js"

const sandbox = Sandbox.layer({
  seed: "devRpc fees",
  clock: { start: 1_600_000_000, step: 1 },
  baseFee: "moving"
})

const gpeb = 10n ** 9n
const burner = `0x${"b0".repeat(20)}`
const receiver = `0x${"c0".repeat(20)}`
const quantity = (value: bigint): string => `0x${value.toString(16)}`
const number = (method: string) => Effect.map(DevRpc.text(method), BigInt)

const send = (fields: object) =>
  Effect.gen(function*() {
    const from = (yield* Sandbox.Sandbox).chains.account("alice").address
    const hash = yield* DevRpc.text("eth_sendTransaction", { from, to: receiver, ...fields })
    return yield* DevRpc.object("eth_getTransactionReceipt", hash)
  })

layer(sandbox, { excludeTestServices: true })("With a base fee that moves", (it) => {
  it.effect("the node tells bounds, prices and tips, and receipts what was paid", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* number("eth_lowerBoundGasPrice"), 25n * gpeb)
      assert.strictEqual(yield* number("eth_upperBoundGasPrice"), 750n * gpeb)
      assert.strictEqual(yield* number("eth_gasPrice"), 27_500_000_000n)
      assert.strictEqual(yield* number("eth_maxPriorityFeePerGas"), 0n)
      assert.deepNestedInclude(yield* DevRpc.object("klay_getChainConfig"), {
        "governance.kip71.lowerboundbasefee": Number(25n * gpeb),
        "governance.kip71.upperboundbasefee": Number(750n * gpeb)
      })
      // INVALID uses all gas that a transaction has.
      yield* DevRpc.call("anvil_setCode", burner, "0xfe")
      const prices = { maxFeePerGas: quantity(100n * gpeb), maxPriorityFeePerGas: quantity(2n * gpeb) }
      yield* DevRpc.call("evm_setAutomine", false)
      const from = (yield* Sandbox.Sandbox).chains.account("alice").address
      const fields = { from, to: burner, gas: quantity(29_000_000n), ...prices }
      const hashes = yield* Effect.all(
        [fields, { ...fields, gas: quantity(20_000_000n) }].map((one) => DevRpc.text("eth_sendTransaction", one))
      )
      yield* DevRpc.call("evm_mine")
      yield* DevRpc.call("evm_setAutomine", true)
      const receipt = yield* DevRpc.object("eth_getTransactionReceipt", hashes[0])
      assert.strictEqual(receipt["effectiveGasPrice"], quantity(27n * gpeb))
      // 49,000,000 is 19/30 of the target above it: 25 + 25 * 19 / 30 / 20 gpeb, made even.
      const next = 25_791_666_666n
      const history = yield* DevRpc.object("eth_feeHistory", "0x1", "latest", [50, 100])
      assert.deepStrictEqual(history["baseFeePerGas"], [25n * gpeb, next].map(quantity))
      assert.deepStrictEqual(history["reward"], [[quantity(2n * gpeb), quantity(2n * gpeb)]])
      const tip = yield* number("eth_maxPriorityFeePerGas")
      assert.strictEqual(tip, 2n * gpeb)
      assert.strictEqual(yield* number("eth_gasPrice"), next * 115n / 100n + tip)
      const { baseFeePerGas } = yield* Effect.zipRight(send({}), DevRpc.object("eth_getBlockByNumber", "latest", false))
      assert.strictEqual(baseFeePerGas, quantity(next))
    }))

  it.effect("an offer below the base fee of the next block is refused, and sends without a price are not", () =>
    Effect.gen(function*() {
      yield* DevRpc.call("anvil_setNextBlockBaseFeePerGas", quantity(100n * gpeb))
      const { message } = yield* DevRpc.failure("eth_sendTransaction", {
        from: (yield* Sandbox.Sandbox).chains.account("alice").address,
        to: receiver,
        gasPrice: quantity(99n * gpeb)
      })
      assert.match(message, /greater than or equal to baseFee/)
      assert.strictEqual((yield* send({}))["status"], "0x1")
      const { baseFeePerGas } = yield* DevRpc.object("eth_getBlockByNumber", "latest", false)
      assert.strictEqual(baseFeePerGas, quantity(100n * gpeb))
    }))
})

describe("A file made with a base fee that moves", () => {
  it.scoped("has the same traces under a fixed one: a transaction pays what it paid", () =>
    Effect.gen(function*() {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "moving-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const open = (baseFee: "fixed" | "moving") =>
        Sandbox.layer({
          seed: "devRpc fees",
          clock: { start: 1_600_000_000, step: 1 },
          baseFee,
          database: join(folder, "sandbox.db"),
          walletKey: Redacted.make("devRpc fees")
        })
      const tracer = { tracer: "prestateTracer", tracerConfig: { diffMode: true } }
      const trace = (hash: unknown) => DevRpc.object("debug_traceTransaction", hash, tracer)
      const { hash, moved } = yield* Effect.gen(function*() {
        const tips = { maxFeePerGas: quantity(100n * gpeb), maxPriorityFeePerGas: quantity(2n * gpeb) }
        const { transactionHash } = yield* send({ value: "0x1", ...tips })
        return { hash: transactionHash, moved: yield* trace(transactionHash) }
      }).pipe(Effect.provide(open("moving")))
      assert.deepStrictEqual(yield* Effect.provide(trace(hash), open("fixed")), moved)
    }))
})
