import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Address from "ox/Address"
import * as Sandbox from "../src/Sandbox.js"
import * as DevRpc from "./support/devRpc.js"
import { send } from "./support/wire.js"

const options = { seed: "devRpc restart", clock: { start: 1_600_000_000, step: 1 } } as const
const sandbox = Sandbox.layer(options)
const to = `0x${"c0".repeat(20)}`
const alice = Effect.map(Sandbox.Sandbox, ({ chains }) => chains.account("alice").address)

layer(sandbox, { excludeTestServices: true })("A transaction whose nonce is too far ahead", (it) => {
  it.effect("is told in the answer, the pool and the explorer, and others are not", () =>
    Effect.gen(function*() {
      const from = yield* alice
      const answer = (nonce: string) =>
        Effect.map(
          DevRpc.post(
            JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_sendTransaction", params: [{ from, to, nonce }] })
          ),
          ({ text }) => JSON.parse(text) as { readonly result: string; readonly hint?: string }
        )
      assert.isUndefined((yield* answer("0x0")).hint)
      const { hint, result } = yield* answer("0x7")
      assert.match(
        hint ?? "",
        /^Its nonce 7 is too far ahead: the next one of 0x[0-9a-f]{40} is 1\. After a restart or a reset/
      )
      assert.deepNestedInclude(yield* DevRpc.object("txpool_content"), {
        [`queued.${Address.checksum(from)}.7.hash`]: result
      })
      for (const path of [`/explorer/1001/transactions/${result}`, "/explorer/1001/transactions"]) {
        assert.include((yield* send(path)).text, "Its nonce 7 is too far ahead")
      }
      // What waits for a block alone has no hint.
      yield* DevRpc.call("evm_setAutomine", false)
      assert.isUndefined((yield* answer("0x1")).hint)
      yield* DevRpc.call("evm_setAutomine", true)
    }))
})

describe("A chain", () => {
  const genesis = DevRpc.object("eth_getBlockByNumber", "0x0", false)
  const state = Effect.flatMap(alice, (from) => DevRpc.call("eth_getBalance", from, "latest"))

  it.effect("has another genesis hash and the same state after each reset, in memory and in what it stores", () =>
    Effect.gen(function*() {
      const [before, balance] = [yield* genesis, yield* state]
      const hashes = new Set([before["hash"]])
      for (const reset of ["hardhat_reset", "anvil_reset"]) {
        yield* DevRpc.text("eth_sendTransaction", { from: yield* alice, to, value: "0x1" })
        yield* DevRpc.call(reset)
        const { hash, number, timestamp } = yield* genesis
        assert.deepStrictEqual([number, timestamp], [before["number"], before["timestamp"]])
        hashes.add(hash)
        assert.strictEqual(yield* state, balance)
        assert.strictEqual(yield* DevRpc.call("eth_getTransactionCount", yield* alice, "latest"), "0x0")
        assert.deepInclude(yield* DevRpc.object("eth_getBlockByHash", hash, false), { number: "0x0" })
        const code = yield* DevRpc.call("eth_getCode", "0xca11bde05977b3631167028862be2a173976ca11", "latest")
        assert.isAbove(String(code).length, 100)
        yield* DevRpc.text("eth_sendTransaction", { from: yield* alice, to, value: "0x1" })
        assert.strictEqual((yield* DevRpc.object("eth_getBlockByNumber", "0x1", false))["parentHash"], hash)
      }
      assert.strictEqual(hashes.size, 3)
    }).pipe(Effect.provide(sandbox)))

  it.effect("that is new has another genesis hash, unless its times are fixed", () =>
    Effect.gen(function*() {
      const hashOf = (given: Parameters<typeof Sandbox.layer>[0]) =>
        Effect.map(Effect.provide(genesis, Sandbox.layer(given)), ({ hash }) => hash)
      assert.strictEqual(yield* hashOf(options), yield* hashOf(options))
      assert.notStrictEqual(yield* hashOf({ seed: options.seed }), yield* hashOf({ seed: options.seed }))
    }))
})
