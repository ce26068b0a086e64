import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Address from "ox/Address"
import * as Sandbox from "../src/Sandbox.js"
import * as DevRpc from "./support/devRpc.js"

const sandbox = Sandbox.layer({ seed: "rpc prices", clock: { start: 1_600_000_000, step: 1 } })

const gpeb = 10n ** 9n
const quantity = (value: bigint): string => `0x${value.toString(16)}`
const to: Hex = `0x${"c0".repeat(20)}`
const nobody: Hex = `0x${"00".repeat(20)}`
const alice = Effect.map(Sandbox.Sandbox, ({ chains }) => chains.account("alice").address)

/** Returns GASPRICE. */
const showsPrice = "0x3a5f5260205ff3"

layer(sandbox, { excludeTestServices: true })("The price of a call", (it) => {
  it.effect("is seen by its code: what it names, the base fee for none, and twice that by default", () =>
    Effect.gen(function*() {
      const from = yield* alice
      const rows: ReadonlyArray<readonly [prices: object, seen: bigint]> = [
        [{}, 50n],
        [{ maxPriorityFeePerGas: "0x1" }, 50n],
        [{ gasPrice: quantity(60n * gpeb) }, 60n],
        [{ maxFeePerGas: quantity(70n * gpeb) }, 70n],
        [{ maxFeePerGas: quantity(70n * gpeb), maxPriorityFeePerGas: "0x1" }, 70n],
        [{ gasPrice: "0x0" }, 25n],
        [{ maxFeePerGas: "0x0" }, 25n]
      ]
      for (const method of ["eth_call", "klay_call", "kaia_call"]) {
        for (const [prices, seen] of rows) {
          const found = yield* DevRpc.text(method, { from, data: showsPrice, ...prices }, "latest")
          assert.strictEqual(BigInt(found), seen * gpeb, `${method} ${JSON.stringify(prices)}`)
        }
      }
    }))

  it.effect("is refused in a node's words where it is below the base fee", () =>
    Effect.gen(function*() {
      const from = yield* alice
      const below = (gas: number, price: bigint, address: Hex = from) =>
        `err: max fee per gas less than block base fee: address ${Address.checksum(address)}, ` +
        `maxFeePerGas: ${price}, baseFee: 25000000000 (supplied gas ${gas})`
      const low = 25n * gpeb - 1n
      // The hashes that a node said for these calls of a sender whose next nonce is 0.
      const madeUp = "0x9984ceba935bd69ee59c3dcd8618bd6e0e5b112e149e196f7ec9af843bc5af3f"
      const lacking = "0xb98ffd00ecfefa6cc24b0760775fb737aa7e0bb6a468b7f82862057ae636682b"
      const rows: ReadonlyArray<readonly [method: string, params: ReadonlyArray<unknown>, message: string]> = [
        ["eth_call", [{ from, to, gasPrice: "0x1" }, "latest"], below(500_000_000, 1n)],
        ["eth_call", [{ to, maxFeePerGas: quantity(low) }, "latest"], below(500_000_000, low, nobody)],
        ["klay_call", [{ from, to, gas: "0x7530", gasPrice: "0x1" }, "latest"], below(30_000, 1n)],
        ["kaia_estimateComputationCost", [{ from, to, gasPrice: "0x1" }, "latest"], below(500_000_000, 1n)],
        ["eth_estimateGas", [{ from, to, gasPrice: "0x1" }], below(250_010_499, 1n)],
        ["klay_estimateGas", [{ from, to, gas: "0x7530", maxFeePerGas: quantity(low) }], below(25_499, low)],
        ["eth_estimateGas", [{ to, gasPrice: "0x1" }], "insufficient funds for transfer"],
        [
          "eth_createAccessList",
          [{ from, to, gasPrice: "0x1" }],
          `failed to apply transaction: ${madeUp} ${below(0, 1n).replace(" (supplied gas 0)", "")}`
        ],
        [
          "eth_createAccessList",
          [{ from, to, gas: "0x1" }],
          `failed to apply transaction: ${lacking} err: intrinsic gas too low`
        ],
        ["eth_estimateGas", [{ from, to, gasPrice: quantity(2n ** 255n) }], "gas required exceeds allowance (0)"],
        ["eth_call", [{ to, gas: "0x23c34600" }, "latest"], "gas limit 600000000 exceeds the upper limit 500000000"],
        ["eth_createAccessList", [{ from, to, maxFeePerGas: "0x1" }], "maxFeePerGas (0x1) < BaseFee (27500000000)"],
        [
          "eth_call",
          [{ from, to, gasPrice: quantity(2n ** 255n) }, "latest"],
          `err: insufficient funds for gas * price + value: address ${Address.checksum(from)} ` +
          "required balance exceeds 256 bits (supplied gas 500000000)"
        ],
        [
          "eth_call",
          [{ from, to, maxFeePerGas: "0x1", maxPriorityFeePerGas: "0x2" }, "latest"],
          "MaxPriorityFeePerGas is greater than MaxFeePerGas"
        ]
      ]
      for (const [method, params, message] of rows) {
        assert.strictEqual((yield* DevRpc.failure(method, ...params)).message, message, `${method} ${params[0]}`)
      }
      assert.strictEqual(yield* DevRpc.text("eth_estimateGas", { from, to, gasPrice: "0x0" }), "0x5208")
    }))

  it.effect("is suggested as the base fee and a tenth, and with a tip as that of others above the lower bound", () =>
    Effect.gen(function*() {
      const from = yield* alice
      const number = (method: string) => Effect.map(DevRpc.text(method), BigInt)
      const pay = (tip: bigint) =>
        DevRpc.call("eth_sendTransaction", {
          from,
          to,
          value: "0x1",
          maxFeePerGas: quantity(200n * gpeb),
          maxPriorityFeePerGas: quantity(tip * gpeb)
        })
      for (const tip of [10n, 20n, 30n]) yield* pay(tip)
      assert.deepStrictEqual(
        yield* Effect.all([number("eth_gasPrice"), number("eth_maxPriorityFeePerGas")]),
        [27_500_000_000n, 0n]
      )
      assert.deepStrictEqual(
        yield* Effect.all([number("klay_lowerBoundGasPrice"), number("klay_upperBoundGasPrice")]),
        [25n * gpeb, 750n * gpeb]
      )
      yield* DevRpc.call("anvil_setNextBlockBaseFeePerGas", quantity(100n * gpeb))
      // Of three tips the sixtieth percentile is the second.
      assert.deepStrictEqual(
        yield* Effect.all([number("eth_gasPrice"), number("eth_maxPriorityFeePerGas")]),
        [135n * gpeb, 20n * gpeb]
      )
      yield* DevRpc.call("evm_mine")
      // A block without transactions counts as one with the tip that was suggested last: of 10, 20, 20 and 30 the second.
      const { baseFeePerGas } = yield* DevRpc.object("eth_getBlockByNumber", "latest", false)
      assert.strictEqual(baseFeePerGas, quantity(100n * gpeb))
      assert.strictEqual(yield* number("eth_maxPriorityFeePerGas"), 20n * gpeb)
      const next = 95n * gpeb
      assert.strictEqual(yield* number("eth_gasPrice"), next * 115n / 100n + 20n * gpeb)
    }))
})
