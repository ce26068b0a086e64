/**
 * Searches logs over a range of blocks of any width.
 *
 * **Details**
 *
 * A node returns at most 10,000 logs and searches for at most 10 seconds (from its code; a gateway may allow less);
 * beyond either it fails. This module searches the range piece by piece, in order. A piece that exceeds a limit is
 * halved until it fits, and the pieces grow again after that. A single block that exceeds a limit fails with
 * `LogLimitExceeded`. If the node does not have the last block of a piece yet, it is asked again, as `BlockStream`
 * does: a range that ends in the future is waited for.
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
 * Which logs to search for, and how to split the range.
 *
 * @since 0.1.0
 * @category models
 */
export interface Search extends Pick<LogFilter, "address" | "topics"> {
  /** The first block. */
  readonly fromBlock: bigint
  /** The last block, inclusive. Defaults to the latest block at the time of the first pull. */
  readonly toBlock?: bigint | undefined
  /** How long to wait before asking again for a block that a node does not have yet. Defaults to one second. */
  readonly every?: Duration.DurationInput | undefined
  /** The number of blocks in the first piece, and the most in any piece. Default to 1000 and 10,000. */
  readonly piece?: { readonly first?: number | undefined; readonly most?: number | undefined } | undefined
}

/**
 * Streams all logs that match, each once, in chain order.
 *
 * @since 0.1.0
 * @category constructors
 */
export const logs: (search: Search) => Stream.Stream<Log, RpcError | ReadError, KlaytnNode> = internal.logs
