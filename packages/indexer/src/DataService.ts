/**
 * The handlers that serve transfer history and token data from an index.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Layer from "effect/Layer"
import type { DataParts } from "./DataChain.js"
import { DataApi } from "./internal/data/DataApi.js"
import { historyLayer } from "./internal/data/history.js"
import { directoryLayer } from "./internal/data/tokenDirectory.js"
import { tokensLayer } from "./internal/data/tokens.js"

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
