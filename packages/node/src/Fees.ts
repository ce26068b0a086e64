/**
 * What to pay for gas, in peb.
 *
 * **Example** (the fee of a transfer, at most)
 *
 * ```ts
 * import * as Amount from "@effect-klaytn/core/Amount"
 * import * as Fees from "@effect-klaytn/node/Fees"
 * import * as Effect from "effect/Effect"
 *
 * export const most = Effect.map(Fees.suggest, (fees) => Amount.format(Fees.atMost(fees, 21_000n)))
 * ```
 *
 * @since 0.1.0
 */
import type { Peb } from "@effect-klaytn/core/Amount"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import type * as Effect from "effect/Effect"
import * as internal from "./internal/fees.js"
import type { KlaytnNode } from "./KlaytnNode.js"
import type { RpcError } from "./RpcError.js"

/**
 * Prices in peb a unit of gas.
 *
 * @since 0.1.0
 * @category models
 */
export interface Fees {
  /** For the types that have one price, which are all of the chain's own: what the node suggests. */
  readonly gasPrice: Peb
  /**
   * For the types with two prices: twice the base fee of the latest block, and the tip. Before the Magma upgrade there
   * is no base fee and the price is fixed: then both prices are that one, as the chain asks for.
   */
  readonly maxFeePerGas: Peb
  readonly maxPriorityFeePerGas: Peb
  /** Of the latest block; none before the Magma upgrade. */
  readonly baseFeePerGas: Peb | undefined
}

/**
 * Asks the node what to pay, in one request.
 *
 * @since 0.1.0
 * @category constructors
 */
export const suggest: Effect.Effect<Fees, RpcError | ReadError, KlaytnNode> = internal.suggest

/**
 * The most that `gas` units can cost at these prices, whichever type is used.
 *
 * @since 0.1.0
 * @category getters
 */
export const atMost: (fees: Fees, gas: bigint) => Peb = internal.atMost
