/**
 * New blocks as a stream, by polling: subscriptions need a WebSocket, which is not part of the service.
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
 * Where the stream begins and how often the height is asked for.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** A height, or the latest block at the time of the first pull; the latter if left out. */
  readonly from?: bigint | "latest" | undefined
  /** One second if left out, the time of one block. */
  readonly every?: Duration.DurationInput | undefined
  /** How many blocks are asked for together when the stream is behind; 20 if left out. */
  readonly atOnce?: number | undefined
}

/**
 * Blocks with the hashes of their transactions, each once, in order, without a gap.
 *
 * **Details**
 *
 * Blocks of this chain are final at once, so none is ever taken back. A node behind a load balancer may be late: a
 * height that it does not have yet is asked for again. It ends only by failing, or when it is no longer pulled;
 * `Stream.take` and its kin stop the polling. After a failure go on from the block after the last one.
 *
 * @since 0.1.0
 * @category constructors
 */
export const blocks: (options?: Options) => Stream.Stream<Block, RpcError | ReadError, KlaytnNode> = internal.blocks

/**
 * As {@link blocks}, with the transactions.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fullBlocks: (options?: Options) => Stream.Stream<FullBlock, RpcError | ReadError, KlaytnNode> =
  internal.fullBlocks
