/**
 * Logs over a range of blocks of any width.
 *
 * **Details**
 *
 * A node answers at most 10,000 logs and searches for at most 10 seconds (its code; a gateway may allow less); beyond
 * that it fails. Here the range is asked for piece by piece, in order; a piece that is too much is halved until it is
 * not, and pieces grow again after that. One block that alone is too much fails as `LogLimitExceeded`. A node that does
 * not have the last block of a piece yet is asked again, as by `BlockStream`: a range that ends in the future is waited
 * for.
 *
 * **Example** (all transfers of a token)
 *
 * ```ts
 * import * as LogRange from "@effect-klaytn/node/LogRange"
 * import * as Stream from "effect/Stream"
 *
 * export const count = (token: string, topic: string) =>
 *   LogRange.logs({ fromBlock: 100_000_000n, address: token, topics: [topic] }).pipe(Stream.runCount)
 * ```
 *
 * @since 0.1.0
 */
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import type * as Duration from "effect/Duration"
import type * as Stream from "effect/Stream"
import * as internal from "./internal/logRange.js"
import type { KlaytnNode } from "./KlaytnNode.js"
import type { Log } from "./Log.js"
import type { LogFilter } from "./LogFilter.js"
import type { RpcError } from "./RpcError.js"

/**
 * Which logs, and how wide a piece is at first.
 *
 * @since 0.1.0
 * @category models
 */
export interface Search extends Pick<LogFilter, "address" | "topics"> {
  /** The first block. */
  readonly fromBlock: bigint
  /** The last block, included; the latest one at the time of the first pull if left out. */
  readonly toBlock?: bigint | undefined
  /** How long it waits before it asks again for a block that a node does not have yet; one second if left out. */
  readonly every?: Duration.DurationInput | undefined
  /** How many blocks the first piece has, and how many any piece has at most; 1000 and 10,000 if left out. */
  readonly piece?: { readonly first?: number | undefined; readonly most?: number | undefined } | undefined
}

/**
 * All logs that match, in the order of the chain, each once.
 *
 * @since 0.1.0
 * @category constructors
 */
export const logs: (search: Search) => Stream.Stream<Log, RpcError | ReadError, KlaytnNode> = internal.logs
