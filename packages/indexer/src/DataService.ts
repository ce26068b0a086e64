/**
 * The handlers that serve transfer history and token data from an index.
 */
import type { ServiceRefusals } from "@effect-klaytn/service/ServiceRefusals"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Layer from "effect/Layer"
import type { Cursors } from "./Cursors.js"
import type { CoinWord, DataChain } from "./DataChain.js"
import type { ChainId } from "./IndexReader.js"
import { DataApi } from "./internal/data/DataApi.js"
import { historyLayer } from "./internal/data/history.js"
import { directoryLayer } from "./internal/data/tokenDirectory.js"
import { tokensLayer } from "./internal/data/tokens.js"

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

/**
 * All operations of the contracts of `history` and `tokens`. It needs the middleware `Access` of core's `OperationApi`.
 *
 * @category layers
 */
export const layer = (parts: DataParts) =>
  HttpApiBuilder.api(DataApi).pipe(
    Layer.provide(historyLayer(parts)),
    Layer.provide(tokensLayer(parts)),
    Layer.provide(directoryLayer(parts))
  )
