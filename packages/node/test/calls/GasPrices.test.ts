import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as GasPrices from "../../src/GasPrices.js"
import { KlaytnNode } from "../../src/KlaytnNode.js"
import * as records from "../golden/records.js"
import * as Node from "../support/node.js"
import * as TestNode from "../support/testNode.js"

const block = { ...records.header, size: "0x1", transactions: [], baseFeePerGas: "0x5d21dba00" }
const { baseFeePerGas: _none, ...before } = block

describe("suggested fees", () => {
  it.effect("are twice the base fee and the tip for two prices, and the node's word for one", () =>
    Effect.gen(function*() {
      const node = TestNode.make({
        klay_gasPrice: () => "0x66720b300",
        klay_getBlockByNumber: () => block,
        klay_maxPriorityFeePerGas: () => "0x1"
      })
      const fees = yield* GasPrices.suggest.pipe(Effect.provide(node.layer))
      assert.deepStrictEqual({ ...fees }, {
        gasPrice: 27_500_000_000n,
        maxFeePerGas: 50_000_000_001n,
        maxPriorityFeePerGas: 1n,
        baseFeePerGas: 25_000_000_000n
      } as unknown as GasPrices.GasPrices)
      assert.strictEqual(GasPrices.atMost(fees, 21_000n), 1_050_000_000_021_000n)
    }))

  it.effect.each([
    ["there is no base fee", before, "0x0"],
    ["the node knows no tip", block, undefined]
  ])("are the fixed price when %s", ([, latest, tip]) =>
    Effect.gen(function*() {
      const node = TestNode.make({
        klay_gasPrice: () => "0xae9f7bcc00",
        klay_getBlockByNumber: () => latest,
        ...(tip === undefined ? {} : { klay_maxPriorityFeePerGas: () => tip })
      })
      const fees = yield* GasPrices.suggest.pipe(Effect.provide(node.layer))
      assert.deepStrictEqual(
        [fees.gasPrice, fees.maxFeePerGas, fees.maxPriorityFeePerGas].map(BigInt),
        [750_000_000_000n, 750_000_000_000n, 750_000_000_000n]
      )
    }))

  it.effect("take one request", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(
        Node.node(({ method }) => ({ result: method === "klay_getBlockByNumber" ? block : "0x1" }))
      )
      const node = yield* Node.make(wire)
      yield* Effect.provideService(GasPrices.suggest, KlaytnNode, node)
      assert.strictEqual(wire.sent.length, 1)
    }))
})
