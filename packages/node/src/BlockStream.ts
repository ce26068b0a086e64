/**
 * New blocks as a stream. It polls, because subscriptions need a WebSocket, which the service does not offer.
 *
 * **Example** (the gas used by each new block)
 *
 * ```ts
 * import * as BlockStream from "@effect-klaytn/node/BlockStream"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const program = BlockStream.blocks({ from: "latest" }).pipe(
 *   Stream.runForEach((block) => Effect.log(`${block.number}: ${block.gasUsed}`))
 * )
 * ```
 *
 * @since 0.1.0
 */
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import type * as Duration from "effect/Duration"
import type * as Stream from "effect/Stream"
import type { Block, FullBlock } from "./Block.js"
import * as internal from "./internal/blockStream.js"
import type { KlaytnNode } from "./KlaytnNode.js"
import type { RpcError } from "./RpcError.js"

/**
 * Where the stream begins and how often it polls.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** The first block: a height, or `latest` (the default) for the latest block at the time of the first pull. */
  readonly from?: bigint | "latest" | undefined
  /** The polling interval. Defaults to one second, the time of one block. */
  readonly every?: Duration.DurationInput | undefined
  /** How many blocks are requested at once when the stream is behind. Defaults to 20. */
  readonly atOnce?: number | undefined
}

/**
 * Streams blocks with the hashes of their transactions, each once, in order and without gaps.
 *
 * **Details**
 *
 * Blocks of this chain are final immediately, so none is ever reverted. A node behind a load balancer may lag: a height
 * that it does not have yet is requested again. The stream ends only when it fails or is no longer pulled;
 * `Stream.take` and the like stop the polling. After a failure, resume from the block after the last one received.
 *
 * @since 0.1.0
 * @category constructors
 */
export const blocks: (options?: Options) => Stream.Stream<Block, RpcError | ReadError, KlaytnNode> = internal.blocks

/**
 * Like {@link blocks}, with the full transactions.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fullBlocks: (options?: Options) => Stream.Stream<FullBlock, RpcError | ReadError, KlaytnNode> =
  internal.fullBlocks
