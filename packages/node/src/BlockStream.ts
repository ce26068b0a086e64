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
 */
import * as Input from "@effect-klaytn/core/Input"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Array from "effect/Array"
import * as Chunk from "effect/Chunk"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Block, FullBlock } from "./Block.js"
import * as schemas from "./internal/schemas.js"
import { KlaytnNode, type Service } from "./KlaytnNode.js"
import type { RpcError } from "./RpcError.js"

/**
 * Where the stream begins and how often it polls.
 *
 * @category models
 */
export interface Options {
  /** The first block: a height, or `latest` (the default) for the latest block at the time of the first pull. */
  readonly from?: bigint | "latest" | undefined
  /** The polling interval. Defaults to one second, the time of one block. */
  readonly pollInterval?: Duration.DurationInput | undefined
  /** How many blocks are requested at once when the stream is behind. From 1 to 1,000; defaults to 20. */
  readonly atOnce?: number | undefined
}

const decode = Input.decode(
  "node.blocks",
  Schema.Struct({
    from: Schema.optional(Schema.Union(Schema.Literal("latest"), schemas.Height)),
    pollInterval: schemas.Pause,
    atOnce: Schema.optional(Input.wholeNumber("expected a whole number from 1 to 1000", 1, 1000))
  })
)

const stream =
  <A>(get: (node: Service, height: bigint) => Effect.Effect<A, RpcError | ReadError>) =>
  (options: Options = {}): Stream.Stream<A, RpcError | ReadError, KlaytnNode> =>
    Stream.unwrap(Effect.gen(function*() {
      const node = yield* KlaytnNode
      const { atOnce = 20, from = "latest", pollInterval } = yield* decode(options)

      const at = (height: bigint) =>
        Effect.asSome(get(node, height)).pipe(
          Effect.catchTag("BlockNotFound", () => Effect.succeedNone)
        )

      /** The blocks from `next` on that the node has, at most `atOnce`; waits until there is one. */
      const following = (next: bigint) =>
        Effect.gen(function*() {
          while (true) {
            const head = yield* node.klay.blockNumber()
            const count = Math.min(atOnce, Number(head - next) + 1)
            const heights = count > 0 ? Array.makeBy(count, (i) => next + BigInt(i)) : []
            const found = yield* Effect.forEach(heights, at, { concurrency: "unbounded" })
            const blocks = Array.getSomes(Array.takeWhile(found, Option.isSome))
            if (blocks.length > 0) return blocks
            yield* Effect.sleep(pollInterval)
          }
        })

      const start = from === "latest" ? yield* node.klay.blockNumber() : from
      return Stream.unfoldChunkEffect(
        start,
        (next) =>
          Effect.map(following(next), (found) =>
            Option.some([Chunk.unsafeFromArray(found), next + BigInt(found.length)] as const))
      )
    }))

/**
 * Streams blocks with the hashes of their transactions, each once, in order and without gaps.
 *
 * **Details**
 *
 * Blocks of this chain are final immediately, so none is ever reverted. A node behind a load balancer may lag: a height
 * that it does not have yet is requested again. The stream ends only when it fails or is no longer pulled;
 * `Stream.take` and the like stop the polling. After a failure, resume from the block after the last one received.
 *
 * @category constructors
 */
export const blocks: (options?: Options) => Stream.Stream<Block, RpcError | ReadError, KlaytnNode> = stream(
  (node, height) => node.klay.getBlockByNumber(height)
)

/**
 * Like {@link blocks}, with the full transactions.
 *
 * @category constructors
 */
export const fullBlocks: (options?: Options) => Stream.Stream<FullBlock, RpcError | ReadError, KlaytnNode> = stream(
  (node, height) => node.klay.getFullBlockByNumber(height)
)
