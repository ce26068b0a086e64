/**
 * The handlers that serve transfer history and token data from an index.
 */
import type { BadRequest, InternalError, NotFound } from "@effect-klaytn/core/ErrorBody"
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
 * The error bodies with which a request is refused, in the words of the service that the handlers belong to.
 *
 * @category models
 */
export interface Refusals {
  readonly query: (which?: "invalidPresets" | "bothSides" | "filters") => BadRequest
  /** A time range that is too long or ends before it begins. */
  readonly range: () => BadRequest
  readonly preset: () => NotFound
  /** A contract or token that does not exist, or whose label was removed. */
  readonly token: (which: "ft" | "nft" | "mt" | "nft token" | "mt token") => NotFound
  /** A question about what the index does not have: `missing` names it. Never an answer of the hosted service. */
  readonly notIndexed: (missing: string) => BadRequest
  /** The database failed. */
  readonly internal: () => InternalError
}

/**
 * What the handlers work with.
 *
 * @category models
 */
export interface DataParts {
  readonly chain: (chainId: ChainId) => DataChain
  readonly cursors: Cursors
  readonly refusals: Refusals
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
