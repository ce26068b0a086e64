/** Gas prices from the node's answers. */
import type { Peb } from "@effect-klaytn/core/Amount"
import * as Brand from "effect/Brand"
import * as Effect from "effect/Effect"
import type * as Fees from "../Fees.js"
import { KlaytnNode } from "../KlaytnNode.js"

/** Sums and products of amounts are amounts. */
const peb = Brand.nominal<Peb>()

export const suggest = Effect.gen(function*() {
  const { klay } = yield* KlaytnNode
  const { gasPrice, latest, tip } = yield* Effect.all({
    gasPrice: klay.gasPrice(),
    latest: klay.getBlockByNumber("latest"),
    // Nodes before v1.8 do not have it, and their price is fixed.
    tip: Effect.asSome(klay.maxPriorityFeePerGas()).pipe(
      Effect.catchTag("MethodNotFound", () => Effect.succeedNone)
    )
  }, { concurrency: "unbounded" })
  const { baseFeePerGas } = latest
  const fees: Fees.Fees = baseFeePerGas === undefined || tip._tag === "None"
    ? { gasPrice, maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice, baseFeePerGas }
    : {
      gasPrice,
      maxFeePerGas: peb(baseFeePerGas * 2n + tip.value),
      maxPriorityFeePerGas: tip.value,
      baseFeePerGas
    }
  return fees
})

export const atMost = (fees: Fees.Fees, gas: bigint): Peb =>
  peb((fees.gasPrice > fees.maxFeePerGas ? fees.gasPrice : fees.maxFeePerGas) * gas)
