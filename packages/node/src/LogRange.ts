/**
 * Searches logs over a range of blocks of any width.
 *
 * **Details**
 *
 * A node returns at most 10,000 logs and searches for at most 10 seconds (from its code); providers allow less, and say so
 * in many ways. This module searches the range piece by piece, in order. A refused piece of more than one block is
 * searched again in a smaller one, whatever the code and the words of the refusal, unless it is about the credential, the
 * quota, the method or a state that the node no longer has. A number of blocks in the message is tried first. The width
 * that worked is remembered for the client. A refused piece of one block fails with the node's own error. If the node does not have the last block of a piece yet, the search asks again later, as
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
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { blockMethods } from "./BlockMethods.js"
import * as schemas from "./internal/schemas.js"
import * as widths from "./internal/searchWidths.js"
import { KlaytnNode, type Service } from "./KlaytnNode.js"
import type { Log, LogFilter } from "./Log.js"
import { logMethods } from "./LogMethods.js"
import * as Method from "./Method.js"
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
  /** The number of blocks in the first piece, and the most in any piece. Default to 10,000, and to 1000 or `most` if less. */
  readonly piece?: { readonly first?: number | undefined; readonly most?: number | undefined } | undefined
}

const largestPiece = 10_000

const decode = Input.decode(
  "node.logs",
  Schema.Struct({
    fromBlock: schemas.Height,
    toBlock: Schema.optional(schemas.Height),
    // The node's own method checks these.
    address: Schema.optional(Schema.Unknown),
    topics: Schema.optional(Schema.Unknown),
    pollInterval: schemas.Pause,
    piece: Schema.optional(
      Schema.Struct({ first: Schema.optional(Input.Count), most: Schema.optional(Input.Count) }).pipe(
        Schema.filter(({ first = 1, most = largestPiece }) =>
          first <= most ? undefined : { path: ["first"], message: `expected no more than \`most\`, which is ${most}` }
        )
      )
    )
  })
)

const min = (left: bigint, right: bigint): bigint => left < right ? left : right

/**
 * The logs of some blocks, which a node gave in one answer.
 *
 * @category models
 */
export interface Piece {
  readonly fromBlock: bigint
  /** Inclusive. */
  readonly toBlock: bigint
  readonly logs: ReadonlyArray<Log>
}

type Failure = RpcError | ReadError

/** Where the next piece begins, the number of blocks in it, and the newest block that is known. */
interface Place {
  readonly next: bigint
  readonly width: bigint
  readonly head: bigint
}

/** Asks a node for the logs of some blocks. */
type Ask = (
  node: Service,
  filter: LogFilter & { readonly toBlock: bigint }
) => Effect.Effect<ReadonlyArray<Log>, Failure>

const ask: Ask = (node, filter) => node.klay.getLogs(filter)

/**
 * Asks in the same request for the last block, and before the logs: if the node does not have it, it may have left out
 * what is in it.
 */
const askAfterBlock: Ask = (node, filter) =>
  Effect.flatMap(
    node.runAll([
      Method.call(blockMethods.getBlockByNumber, filter.toBlock),
      Method.call(logMethods.getLogs, filter)
    ]),
    ([block, logs]) => Effect.zipRight(block, logs)
  )

const prepare = (search: RangeFilter, ask: Ask) =>
  Effect.gen(function*() {
    const node = yield* KlaytnNode
    const { fromBlock, piece, pollInterval, toBlock } = yield* decode(search)
    const most = BigInt(piece?.most ?? largestPiece)
    const filter = {
      ...(search.address === undefined ? {} : { address: search.address }),
      ...(search.topics === undefined ? {} : { topics: search.topics })
    }
    /** Searches one piece; returns its logs and the next place. */
    const take = ({ head, next, width }: Place): Effect.Effect<readonly [Piece, Place], Failure> => {
      const end = min(next + width - 1n, head)
      return ask(node, { fromBlock: next, toBlock: end, ...filter }).pipe(
        Effect.map((logs) =>
          [
            { fromBlock: next, toBlock: end, logs },
            { next: end + 1n, width: widths.after(node, end - next + 1n, most), head }
          ] as const
        ),
        Effect.catchIf((error) => end > next && widths.mayBeRange(error), (error) => {
          const isAboutRange = error._tag === "LogLimitExceeded" || widths.isProven(node)
          const smaller = widths.smaller(node, end - next + 1n, error)
          if (isAboutRange) return take({ next, width: smaller, head })
          // One block shows whether the refusal is about the range at all.
          return Effect.map(take({ next, width: 1n, head }), ([piece, place]) =>
            [piece, { ...place, width: smaller }] as const)
        }),
        // This is not the node that reported the height, and it lags behind.
        Effect.catchTag(
          "BlockNotFound",
          () =>
            Effect.delay(Effect.suspend(() => take({ next, width, head })), pollInterval)
        )
      )
    }
    const start = { next: fromBlock, width: widths.first(node, min(BigInt(piece?.first ?? 1000), most)) }
    return { node, pollInterval, toBlock, start, take }
  })

/**
 * Streams all logs that match, each once, in chain order.
 *
 * @category constructors
 */
export const logs = (search: RangeFilter): Stream.Stream<Log, RpcError | ReadError, KlaytnNode> =>
  Stream.unwrap(Effect.gen(function*() {
    const { node, start, take, toBlock } = yield* prepare(search, ask)
    const head = toBlock ?? (yield* node.klay.blockNumber())
    return Stream.unfoldChunkEffect(
      { ...start, head },
      (place: Place) =>
        place.next > place.head ? Effect.succeedNone : Effect.asSome(
          Effect.map(take(place), ([{ logs }, next]) => [Chunk.unsafeFromArray(logs), next] as const)
        )
    )
  }))

/**
 * Streams the logs of all blocks from one on, without end and without gaps: first of the blocks that are there, then of
 * each new block. Each element has the logs of some blocks, which may be none.
 *
 * **Details**
 *
 * Blocks of this chain are final, so no log is ever taken back. Store the block after `toBlock` when the logs of an
 * element are handled, and give it as `fromBlock` after a failure or a restart. The logs are asked for in one request
 * with the last block of their piece, so that a node that lags behind is asked again. With `Batching.off` these are two
 * requests, which two machines may answer.
 *
 * **Example** (counts events and remembers how far it came)
 *
 * ```ts
 * import * as LogRange from "@effect-klaytn/node/LogRange"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const count = (
 *   fromBlock: bigint,
 *   store: (found: number, next: bigint) => Effect.Effect<void>
 * ) =>
 *   LogRange.follow({ fromBlock, address: "0x3333333333333333333333333333333333333333" }).pipe(
 *     Stream.runForEach(({ logs, toBlock }) => store(logs.length, toBlock + 1n))
 *   )
 * ```
 *
 * @category constructors
 */
export const follow = (
  search: Omit<RangeFilter, "toBlock">
): Stream.Stream<Piece, RpcError | ReadError, KlaytnNode> =>
  Stream.unwrap(Effect.gen(function*() {
    const { node, pollInterval, start, take } = yield* prepare(search, askAfterBlock)
    /** The newest block, which is at least `next`. */
    const headFrom = (next: bigint): Effect.Effect<bigint, Failure> =>
      Effect.flatMap(
        node.klay.blockNumber(),
        (head) => head >= next ? Effect.succeed(head) : Effect.delay(Effect.suspend(() => headFrom(next)), pollInterval)
      )
    return Stream.unfoldEffect(
      { ...start, head: start.next - 1n },
      (place: Place) =>
        Effect.asSome(Effect.flatMap(
          place.next > place.head ? headFrom(place.next) : Effect.succeed(place.head),
          (head) => take({ ...place, head })
        ))
    )
  }))
