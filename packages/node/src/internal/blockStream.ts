/** Heights by polling, and the blocks at them. */
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Array from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as BlockStream from "../BlockStream.js"
import { KlaytnNode, type Service } from "../KlaytnNode.js"
import type { RpcError } from "../RpcError.js"

type Failure = RpcError | ReadError

/** Blocks up to the first that the node does not have yet. */
const available = <A>(found: ReadonlyArray<Option.Option<A>>): ReadonlyArray<A> =>
  Array.getSomes(Array.takeWhile(found, Option.isSome))

const stream = <A>(
  get: (node: Service, height: bigint) => Effect.Effect<A, Failure>
) =>
(options: BlockStream.Options = {}): Stream.Stream<A, Failure, KlaytnNode> =>
  Stream.unwrap(Effect.map(KlaytnNode, (node) => {
    const every = Duration.decode(options.every ?? "1 second")
    const atOnce = BigInt(Math.max(1, Math.floor(options.atOnce ?? 20) || 1))

    const at = (height: bigint): Effect.Effect<Option.Option<A>, Failure> =>
      get(node, height).pipe(
        Effect.map(Option.some),
        Effect.catchTag("BlockNotFound", () => Effect.succeedNone)
      )

    /** The blocks from `next` to the head, at most `atOnce`; waits until there is one. */
    const following = (next: bigint): Effect.Effect<ReadonlyArray<A>, Failure> =>
      Effect.gen(function*() {
        while (true) {
          const head = yield* node.klay.blockNumber()
          const count = head - next + 1n < atOnce ? head - next + 1n : atOnce
          const heights = Array.makeBy(Math.max(0, Number(count)), (i) => next + BigInt(i))
          const found = count <= 0n ? [] : available(
            yield* Effect.forEach(heights, at, { concurrency: "unbounded" })
          )
          if (found.length > 0) return found
          yield* Effect.sleep(every)
        }
      })

    const first: Effect.Effect<bigint, Failure> = options.from === undefined || options.from === "latest"
      ? node.klay.blockNumber()
      : Effect.succeed(BigInt(options.from))

    return Stream.unwrap(
      Effect.map(
        first,
        (start) =>
          Stream.unfoldChunkEffect(
            start,
            (next) =>
              Effect.map(following(next), (found) =>
                Option.some([Chunk.fromIterable(found), next + BigInt(found.length)] as const))
          )
      )
    )
  }))

export const blocks = stream((node, height) => node.klay.getBlockByNumber(height))

export const fullBlocks = stream((node, height) => node.klay.getFullBlockByNumber(height))
