/**
 * Searches logs over a range of blocks of any width.
 *
 * **Details**
 *
 * A node returns at most 10,000 logs and searches for at most 10 seconds (from its code; a gateway may allow less);
 * beyond either it fails. This module searches the range piece by piece, in order. A piece that exceeds a limit is
 * halved until it fits, and the pieces grow again after that. A single block that exceeds a limit fails with
 * `LogLimitExceeded`. If the node does not have the last block of a piece yet, the search asks again later, as
 * `BlockStream` does, so a range may end in the future.
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
 */
import * as Input from "@effect-klaytn/core/Input"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as schemas from "./internal/schemas.js"
import { KlaytnNode } from "./KlaytnNode.js"
import type { Log, LogFilter } from "./Log.js"
import type { RpcError } from "./RpcError.js"

/**
 * Which logs to search for, and how to split the range.
 *
 * @category models
 */
export interface RangeFilter extends Pick<LogFilter, "address" | "topics"> {
  /** The first block. */
  readonly fromBlock: bigint
  /** The last block, inclusive. Defaults to the latest block at the time of the first pull. */
  readonly toBlock?: bigint | undefined
  /** How long to wait before asking again for a block that a node does not have yet. Defaults to one second. */
  readonly pollInterval?: Duration.DurationInput | undefined
  /** The number of blocks in the first piece, and the most in any piece. Default to 1000 and 10,000. */
  readonly piece?: { readonly first?: number | undefined; readonly most?: number | undefined } | undefined
}

const decode = Input.decode(
  "node.logs",
  Schema.Struct({
    fromBlock: schemas.Height,
    toBlock: Schema.optional(schemas.Height),
    // The node's own method checks these.
    address: Schema.optional(Schema.Unknown),
    topics: Schema.optional(Schema.Unknown),
    pollInterval: Schema.optional(schemas.Pause),
    piece: Schema.optional(Schema.Struct({
      first: Schema.optional(schemas.Count),
      most: Schema.optional(schemas.Count)
    }))
  })
)

const min = (left: bigint, right: bigint): bigint => left < right ? left : right

/** Where the next piece begins, and the number of blocks in it. */
interface Piece {
  readonly next: bigint
  readonly width: bigint
}

/**
 * Streams all logs that match, each once, in chain order.
 *
 * @category constructors
 */
export const logs = (search: RangeFilter): Stream.Stream<Log, RpcError | ReadError, KlaytnNode> =>
  Stream.unwrap(Effect.gen(function*() {
    const node = yield* KlaytnNode
    const { pollInterval = Duration.seconds(1), fromBlock, piece, toBlock } = yield* decode(search)
    const last = toBlock ?? (yield* node.klay.blockNumber())
    const most = BigInt(piece?.most ?? 10_000)
    const filter = {
      ...(search.address === undefined ? {} : { address: search.address }),
      ...(search.topics === undefined ? {} : { topics: search.topics })
    }

    /** Searches one piece; returns its logs and the next piece. */
    const take = ({ next, width }: Piece): Effect.Effect<readonly [Chunk.Chunk<Log>, Piece], RpcError | ReadError> => {
      const end = min(next + width - 1n, last)
      return node.klay.getLogs({ fromBlock: next, toBlock: end, ...filter }).pipe(
        Effect.map((logs) => [Chunk.unsafeFromArray(logs), { next: end + 1n, width: min(width * 2n, most) }] as const),
        Effect.catchTag("LogLimitExceeded", (error) => {
          const half = (end - next + 1n) / 2n
          return half === 0n ? Effect.fail(error) : take({ next, width: half })
        }),
        // This is not the node that reported the height, and it lags behind.
        Effect.catchTag("BlockNotFound", () => Effect.delay(Effect.suspend(() => take({ next, width })), pollInterval))
      )
    }

    const start: Piece = { next: fromBlock, width: min(BigInt(piece?.first ?? 1000), most) }
    return Stream.unfoldChunkEffect(
      start,
      (place) => place.next > last ? Effect.succeedNone : Effect.asSome(take(place))
    )
  }))
