import * as Deviation from "@effect-klaytn/local-chain/Deviation"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Sandbox from "../src/Sandbox.js"
import * as DevRpc from "./support/devRpc.js"

const clock = { start: 1_600_000_000, step: 1 }
const seed = "node defaults"
const gpeb = 10n ** 9n
const address = `0x${"c0".repeat(20)}`

const anchored = Effect.flatMap(
  Sandbox.Sandbox,
  ({ chains }) => chains.chain(1001).sign({ from: chains.account("alice"), kind: "anchor", data: "0xf8" })
)

/** Sends a transfer that bob pays for, and gives its hashes with his signature and without. */
const delegated = Effect.gen(function*() {
  const { chains } = yield* Sandbox.Sandbox
  const bob = chains.account("bob")
  const request = {
    from: chains.account("alice"),
    feePayer: bob,
    kind: "transfer",
    to: bob.address,
    value: 1n
  } as const
  const { hash } = yield* chains.chain(1001).execute(request)
  const { senderTxHash } = yield* DevRpc.object("klay_getTransactionByHash", hash)
  return { hash, sender: senderTxHash }
})

const overrides = { [address]: { balance: "0x7" } }
const call = { to: address, gasPrice: "0x0" }

layer(Sandbox.layer({ seed, clock, nodeDefaults: true }), { excludeTestServices: true })(
  "A sandbox with the defaults of a node",
  (it) => {
    it.effect("refuses to anchor data, in the node's words", () =>
      Effect.gen(function*() {
        const { message } = yield* DevRpc.failure("kaia_sendRawTransaction", yield* anchored)
        assert.strictEqual(message, "locally anchoring chaindata tx is not allowed in this node")
      }))

    it.effect("finds a transaction by its own hash alone", () =>
      Effect.gen(function*() {
        const { hash, sender } = yield* delegated
        assert.isFalse(yield* DevRpc.call("klay_isSenderTxHashIndexingEnabled"))
        for (const method of ["klay_getTransactionBySenderTxHash", "kaia_getTransactionReceiptBySenderTxHash"]) {
          assert.isNull(yield* DevRpc.call(method, sender))
          assert.strictEqual((yield* DevRpc.object(method, hash))["senderTxHash"], sender)
        }
      }))

    it.effect("names as deviations from a node only what no option ended", () =>
      Effect.gen(function*() {
        const { control } = yield* Sandbox.Sandbox
        assert.deepStrictEqual(
          yield* control.deviations,
          Deviation.all.filter(({ unless }) => unless === undefined)
        )
      }))

    it.effect("has no method and takes no parameter that a node does not", () =>
      Effect.gen(function*() {
        for (
          const [method, ...params] of [
            ["klay_gasPriceAt", "latest"],
            ["kaia_gasPriceAt", "latest"],
            ["eth_estimateComputationCost", call, "latest"]
          ] as const
        ) {
          assert.include(yield* DevRpc.failure(method, ...params), {
            code: -32601,
            message: `the method ${method} does not exist/is not available`
          })
        }
        const tooMany: ReadonlyArray<readonly [method: string, most: number]> = [
          ["klay_call", 2],
          ["kaia_call", 2],
          ["eth_call", 3],
          ["klay_estimateGas", 3],
          ["eth_estimateGas", 3],
          ["kaia_createAccessList", 2],
          ["eth_createAccessList", 2]
        ]
        for (const [method, most] of tooMany) {
          const params = [call, "latest", overrides, {}]
          assert.strictEqual(
            (yield* DevRpc.failure(method, ...params)).message,
            `too many arguments, want at most ${most}`
          )
          yield* DevRpc.call(method, ...params.slice(0, most))
        }
        yield* DevRpc.call("kaia_estimateComputationCost", call, "latest")
      }))
  }
)

layer(Sandbox.layer({ seed, clock, nodeDefaults: true, anchoring: true, senderTxHashIndex: true }), {
  excludeTestServices: true
})("A sandbox with the defaults of a node and its options", (it) => {
  it.effect("anchors data, and finds transactions by the hash of their sender", () =>
    Effect.gen(function*() {
      const { control } = yield* Sandbox.Sandbox
      const ended = new Set((yield* control.deviations).map(({ here }) => here))
      assert.deepStrictEqual(
        Deviation.all.flatMap(({ here, unless }) => ended.has(here) ? [] : [unless]),
        ["nodeDefaults"]
      )
      yield* DevRpc.call("kaia_sendRawTransaction", yield* anchored)
      const { hash, sender } = yield* delegated
      assert.isTrue(yield* DevRpc.call("klay_isSenderTxHashIndexingEnabled"))
      assert.strictEqual((yield* DevRpc.object("klay_getTransactionBySenderTxHash", sender))["hash"], hash)
    }))
})

layer(Sandbox.layer({ seed, clock, unitPrice: 30n * gpeb, highestUnitPrice: 31n * gpeb + 1n }), {
  excludeTestServices: true
})("A sandbox with bounds of the base fee", (it) => {
  it.effect("names them, and no base fee is above the highest", () =>
    Effect.gen(function*() {
      assert.strictEqual(BigInt(yield* DevRpc.text("klay_lowerBoundGasPrice")), 30n * gpeb)
      assert.strictEqual(BigInt(yield* DevRpc.text("klay_upperBoundGasPrice")), 31n * gpeb)
      const [highest, more] = [31n * gpeb, 40n * gpeb]
      yield* DevRpc.call("hardhat_setNextBlockBaseFeePerGas", `0x${more.toString(16)}`)
      yield* DevRpc.call("evm_mine")
      yield* DevRpc.call("evm_mine")
      const { baseFeePerGas } = yield* DevRpc.object("eth_getBlockByNumber", "latest", false)
      assert.isAtMost(Number(baseFeePerGas), Number(highest))
    }))
})
