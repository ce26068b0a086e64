/**
 * Searches logs over a range of blocks of any width.
 *
 * **Details**
 *
 * A node returns at most 10,000 logs and searches for at most 10 seconds (from its code); providers allow less, and say so
 * in many ways. This module searches the range piece by piece, in order. A refused piece of more than one block is
 * searched again in a smaller one, whatever the code and the words of the refusal, unless it is about the credential, the
 * quota, the method or a state that the node no longer has. A number of blocks in the message is tried first. The width
 * that worked is remembered for the client. The logs of a block that is refused alone, such as one with more logs than the node
 * returns, are those of its receipts; if the node refuses these too, the search fails with the node's own error about the logs. If
 * the node does not have the last block of a piece yet, the search asks again later, as `BlockStream` does, so a range may end in
 * the future.
 *
 * A node that lags behind leaves out the logs of blocks that it does not have, without a word, and of several nodes behind one
 * address, any may answer. So the logs of a piece are asked for in one request with its last block, which one node answers as a
 * whole: a node that lacks the block is asked again. Where that request comes apart (`Batching.off`, a node that takes one call a
 * request, a throttled half), each of the newest 256 blocks is asked for by its hash, which a node without the block refuses;
 * a node that lags by more than these may then leave out logs of older blocks.
 *
 * Each log is compared with the search: it is of a block, an address and topics that were asked for, was not removed, and comes once
 * and in the order of the chain. An answer that contradicts the search is asked for again, and fails as `MalformedResponse` if that
 * goes on.
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
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as schemas from "./internal/records/schemas.js"
import * as pieces from "./internal/streams/logPieces.js"
import * as nextBlock from "./internal/streams/nextBlock.js"
import * as widths from "./internal/streams/searchWidths.js"
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

/** Where the next piece begins, the number of blocks in it, the last block, and the newest block that is known. */
interface Place {
  readonly next: bigint
  readonly width: bigint
  readonly last: bigint
  readonly head: bigint | undefined
}

/** How many of the newest blocks a node that lags may not have yet. */
const lag = 256n

const prepare = Effect.fnUntraced(function*(search: RangeFilter) {
  const node = yield* KlaytnNode
  const { fromBlock, piece, pollInterval, toBlock } = yield* decode(search)
  const most = BigInt(piece?.most ?? largestPiece)
  const filter = {
    ...(search.address === undefined ? {} : { address: search.address }),
    ...(search.topics === undefined ? {} : { topics: search.topics })
  }
  /** The logs of some blocks; waits for the node to have them. */
  const ask = (from: bigint, to: bigint, head: bigint | undefined): Effect.Effect<ReadonlyArray<Log>, Failure> => {
    const found = pieces.withLastBlock(node, filter, from, to, head === undefined ? from : head - lag + 1n)
    const again = Effect.zipRight(nextBlock.wait(pollInterval), Effect.suspend(() => ask(from, to, head)))
    return found.pipe(
      // This is not the node that reported the height, and it lags behind.
      Effect.catchTag("BlockNotFound", () => Effect.succeedNone),
      Effect.flatMap((found) => Option.isSome(found) ? Effect.succeed(found.value) : again)
    )
  }
  /** Searches one piece; returns its logs and the next place. */
  const take = (place: Place): Effect.Effect<readonly [Piece, Place], Failure> => {
    const { head, last, next, width } = place
    const end = widths.least(next + width - 1n, last)
    const found = (logs: ReadonlyArray<Log>) =>
      [
        { fromBlock: next, toBlock: end, logs },
        { ...place, next: end + 1n, width: widths.after(node, end - next + 1n, most) }
      ] as const
    return Effect.map(ask(next, end, head), found).pipe(
      Effect.catchIf(widths.mayBeRange, (error) => {
        // Whatever the limit is, a block has its receipts.
        if (end === next) {
          return Effect.mapBoth(pieces.ofReceipts(node, filter, next), { onFailure: () => error, onSuccess: found })
        }
        const isAboutRange = error._tag === "LogLimitExceeded" || widths.isProven(node)
        const smaller = widths.smaller(node, end - next + 1n, error)
        if (isAboutRange) return take({ ...place, width: smaller })
        // One block shows whether the refusal is about the range at all.
        return Effect.map(
          take({ ...place, width: 1n }),
          ([piece, after]) => [piece, { ...after, width: smaller }] as const
        )
      })
    )
  }
  /**
   * The newest block, from a node that has it where it is far away: blocks below it are believed to be there, and a node of another chain may
   * have answered.
   */
  const newest = (next: bigint): Effect.Effect<bigint, Failure> =>
    Effect.flatMap(node.klay.blockNumber(), (head) => {
      if (head < next + lag) return Effect.succeed(head)
      const again = Effect.zipRight(nextBlock.wait(pollInterval), Effect.suspend(() => newest(next)))
      return Effect.flatMap(pieces.hasBlock(node, head), (isThere) => isThere ? Effect.succeed(head) : again)
    })
  const start = { next: fromBlock, width: widths.first(node, widths.least(BigInt(piece?.first ?? 1000), most)) }
  return { newest, pollInterval, toBlock, start, take }
})

/**
 * Streams all logs that match, each once, in chain order.
 *
 * @category constructors
 */
export const logs = (search: RangeFilter): Stream.Stream<Log, RpcError | ReadError, KlaytnNode> =>
  Stream.unwrap(Effect.gen(function*() {
    const { newest, start, take, toBlock } = yield* prepare(search)
    const head = toBlock === undefined ? yield* newest(start.next) : undefined
    return Stream.unfoldChunkEffect(
      { ...start, head, last: toBlock ?? head ?? 0n },
      (place: Place) =>
        place.next > place.last ? Effect.succeedNone : Effect.asSome(Effect.gen(function*() {
          // The first piece needs no height. The range may end in the future, so it is none.
          const isFirst = place.next === start.next
          const [{ logs }, next] = yield* take({
            ...place,
            head: isFirst ? place.head : place.head ?? (yield* newest(place.next))
          })
          return [Chunk.unsafeFromArray(logs), next] as const
        }))
    )
  }))

/**
 * Streams the logs of all blocks from one on, without end and without gaps: first of the blocks that are there, then of
 * each new block. Each element has the logs of some blocks, which may be none.
 *
 * **Details**
 *
 * Blocks of this chain are final, so no log is ever taken back. Store the block after `toBlock` when the logs of an
 * element are handled, and give it as `fromBlock` after a failure or a restart. A node that can't be reached, as during a
 * restart of its own, ends the stream once the client's retries are over: within a second, unless its policy has more.
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
    const { newest, pollInterval, start, take } = yield* prepare(search)
    /** The newest block, which is at least `next`. */
    const headFrom = (next: bigint): Effect.Effect<bigint, Failure> =>
      Effect.flatMap(
        newest(next),
        (head) =>
          head >= next
            ? Effect.succeed(head)
            : Effect.zipRight(nextBlock.wait(pollInterval, next), Effect.suspend(() => headFrom(next)))
      )
    return Stream.unfoldEffect(
      { ...start, head: undefined, last: start.next - 1n },
      (place: Place) =>
        Effect.asSome(Effect.flatMap(
          place.next > place.last ? headFrom(place.next) : Effect.succeed(place.last),
          (head) => take({ ...place, head, last: head })
        ))
    )
  }))
