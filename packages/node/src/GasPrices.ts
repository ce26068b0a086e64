/**
 * Prices of gas, in peb.
 *
 * **Example** (the highest possible fee of a transfer)
 *
 * ```ts
 * import * as Amount from "@effect-klaytn/core/Amount"
 * import * as GasPrices from "@effect-klaytn/node/GasPrices"
 * import * as Effect from "effect/Effect"
 *
 * export const most = Effect.map(GasPrices.suggest, (fees) => Amount.format(GasPrices.atMost(fees, 21_000n)))
 * ```
 */
import type { Peb } from "@effect-klaytn/core/Amount"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Brand from "effect/Brand"
import * as Effect from "effect/Effect"
import { KlaytnNode } from "./KlaytnNode.js"
import type { RpcError } from "./RpcError.js"

/**
 * Gas prices, in peb per unit of gas.
 *
 * @category models
 */
export interface GasPrices {
  /** The price that the node suggests, for types with a single price: all of the chain's own types. */
  readonly gasPrice: Peb
  /**
   * For types with two prices: twice the base fee of the latest block, plus the tip. Before the Magma upgrade there is
   * no base fee and the price is fixed: both prices are then that price, as the chain requires.
   */
  readonly maxFeePerGas: Peb
  readonly maxPriorityFeePerGas: Peb
  /** The base fee of the latest block; none before the Magma upgrade. */
  readonly baseFeePerGas: Peb | undefined
}

/** Sums and products of amounts are amounts. */
const peb = Brand.nominal<Peb>()

/**
 * Asks the node for current prices, in one request.
 *
 * @category constructors
 */
export const suggest: Effect.Effect<GasPrices, RpcError | ReadError, KlaytnNode> = Effect.gen(function*() {
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
  return baseFeePerGas === undefined || tip._tag === "None"
    ? { gasPrice, maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice, baseFeePerGas }
    : {
      gasPrice,
      maxFeePerGas: peb(baseFeePerGas * 2n + tip.value),
      maxPriorityFeePerGas: tip.value,
      baseFeePerGas
    }
})

/**
 * The most that `gas` units can cost at these prices, whatever the transaction type.
 *
 * @category getters
 */
export const atMost = (fees: GasPrices, gas: bigint): Peb =>
  peb((fees.gasPrice > fees.maxFeePerGas ? fees.gasPrice : fees.maxFeePerGas) * gas)
