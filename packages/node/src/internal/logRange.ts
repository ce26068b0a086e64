/** Searches a range of blocks piece by piece. */
import * as Input from "@effect-klaytn/core/Input"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { KlaytnNode, type Service } from "../KlaytnNode.js"
import type { Log } from "../Log.js"
import type * as LogRange from "../LogRange.js"
import type { RpcError } from "../RpcError.js"
import * as options from "./options.js"

type Failure = RpcError | ReadError

interface Place {
  readonly next: bigint
  /** The number of blocks in the next piece. */
  readonly width: bigint
}

const least = (left: bigint, right: bigint): bigint => left < right ? left : right

const decode = Input.decode(
  "node.logs",
  Schema.Struct({
    fromBlock: options.Height,
    toBlock: Schema.optional(options.Height),
    // The node's own method checks these.
    address: Schema.optional(Schema.Unknown),
    topics: Schema.optional(Schema.Unknown),
    every: Schema.optional(options.Pause),
    piece: Schema.optional(Schema.Struct({
      first: Schema.optional(options.Count),
      most: Schema.optional(options.Count)
    }))
  })
)

/** Searches one piece; returns its logs and where the next one begins. */
const piece = (
  node: Service,
  search: LogRange.Search,
  last: bigint,
  most: bigint,
  every: Duration.Duration
) => {
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
      }),
      // This is not the node that reported the height, and it lags behind.
      Effect.catchTag("BlockNotFound", () => Effect.delay(Effect.suspend(() => take(place)), every))
    )
  }
  return take
}

export const logs = (search: LogRange.Search): Stream.Stream<Log, Failure, KlaytnNode> =>
  Stream.unwrap(Effect.gen(function*() {
    const node = yield* KlaytnNode
    const given = yield* decode(search)
    const last = given.toBlock ?? (yield* node.klay.blockNumber())
    const most = BigInt(given.piece?.most ?? 10_000)
    const start: Place = {
      next: given.fromBlock,
      width: least(BigInt(given.piece?.first ?? 1000), most)
    }
    const take = piece(node, search, last, most, given.every ?? Duration.seconds(1))
    return Stream.unfoldChunkEffect(
      start,
      (place) => place.next > last ? Effect.succeedNone : Effect.asSome(take(place))
    )
  }))
