/** A range of blocks, piece by piece. */
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { KlaytnNode, type Service } from "../KlaytnNode.js"
import type { Log } from "../Log.js"
import type * as LogRange from "../LogRange.js"
import type { RpcError } from "../RpcError.js"

type Failure = RpcError | ReadError

interface Place {
  readonly next: bigint
  /** Blocks in the piece to come. */
  readonly width: bigint
}

const least = (left: bigint, right: bigint): bigint => left < right ? left : right

const positive = (count: number): bigint => BigInt(Math.max(1, Math.floor(count) || 1))

/** One piece, and where the following begins. */
const piece = (node: Service, search: LogRange.Search, last: bigint, most: bigint) => {
  const filter = {
    ...(search.address === undefined ? {} : { address: search.address }),
    ...(search.topics === undefined ? {} : { topics: search.topics })
  }
  const take = (place: Place): Effect.Effect<readonly [Chunk.Chunk<Log>, Place], Failure> => {
    const toBlock = least(place.next + place.width - 1n, last)
    return node.klay.getLogs({ fromBlock: place.next, toBlock, ...filter }).pipe(
      Effect.map((logs) =>
        [
          Chunk.unsafeFromArray(logs),
          { next: toBlock + 1n, width: least(place.width * 2n, most) }
        ] as const
      ),
      Effect.catchTag("LogLimitExceeded", (error) => {
        const width = (toBlock - place.next + 1n) / 2n
        return width === 0n ? Effect.fail(error) : take({ next: place.next, width })
      })
    )
  }
  return take
}

export const logs = (search: LogRange.Search): Stream.Stream<Log, Failure, KlaytnNode> =>
  Stream.unwrap(Effect.gen(function*() {
    const node = yield* KlaytnNode
    const last = search.toBlock === undefined ? yield* node.klay.blockNumber() : BigInt(search.toBlock)
    const most = positive(search.piece?.most ?? 10_000)
    const start: Place = {
      next: BigInt(search.fromBlock),
      width: least(positive(search.piece?.first ?? 1000), most)
    }
    const take = piece(node, search, last, most)
    return Stream.unfoldChunkEffect(
      start,
      (place) => place.next > last ? Effect.succeedNone : Effect.asSome(take(place))
    )
  }))
