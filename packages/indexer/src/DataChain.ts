/**
 * The chain that the handlers of history and token data read.
 */
import type { ServiceRefusals } from "@effect-klaytn/service/ServiceRefusals"
import type * as Effect from "effect/Effect"
import type { Cursors } from "./Cursors.js"
import type { ChainId, IndexReader } from "./IndexReader.js"

/**
 * The source of history and token data: the index of a chain, and its time.
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

/**
 * The parts that the handlers share.
 *
 * @category models
 */
export interface DataParts {
  readonly chain: (chainId: ChainId) => DataChain
  readonly cursors: Cursors
  readonly refusals: ServiceRefusals
  /** The word for coin in answers: `klay` or `coin`. */
  readonly coin: CoinWord
}
