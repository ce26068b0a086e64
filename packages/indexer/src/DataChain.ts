/**
 * What the handlers of history and token data read.
 */
import type * as Effect from "effect/Effect"
import type { ChainId, IndexReader } from "./IndexReader.js"

/**
 * What history and token data are served from: the index of a chain, and its time.
 *
 * @category models
 */
export interface DataChain extends IndexReader {
  readonly chainId: ChainId
  /** Unix seconds. */
  readonly now: Effect.Effect<number>
}

/**
 * The word that answers have for the native coin.
 *
 * @category models
 */
export type CoinWord = "klay" | "coin"
