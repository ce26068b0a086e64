/** Polls heights, and reads the blocks at them. */
import * as Input from "@effect-klaytn/core/Input"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Array from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as BlockStream from "../BlockStream.js"
import { KlaytnNode, type Service } from "../KlaytnNode.js"
import type { RpcError } from "../RpcError.js"
import * as options from "./options.js"

const decode = Input.decode(
  "node.blocks",
  Schema.Struct({
    from: Schema.optional(Schema.Union(Schema.Literal("latest"), options.Height)),
    every: Schema.optional(options.Pause),
    atOnce: Schema.optional(options.Count)
  })
)

type Failure = RpcError | ReadError

/** The blocks before the first one that the node does not have yet. */
const available = <A>(found: ReadonlyArray<Option.Option<A>>): ReadonlyArray<A> =>
  Array.getSomes(Array.takeWhile(found, Option.isSome))

const stream = <A>(
  get: (node: Service, height: bigint) => Effect.Effect<A, Failure>
) =>
(asked: BlockStream.Options = {}): Stream.Stream<A, Failure, KlaytnNode> =>
  Stream.unwrap(Effect.gen(function*() {
    const node = yield* KlaytnNode
    const given = yield* decode(asked)
    const every = given.every ?? Duration.seconds(1)
    const atOnce = BigInt(given.atOnce ?? 20)

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

    const start = given.from === undefined || given.from === "latest" ? yield* node.klay.blockNumber() : given.from
    return Stream.unfoldChunkEffect(
      start,
      (next) =>
        Effect.map(following(next), (found) =>
          Option.some([Chunk.fromIterable(found), next + BigInt(found.length)] as const))
    )
  }))

export const blocks = stream((node, height) => node.klay.getBlockByNumber(height))

export const fullBlocks = stream((node, height) => node.klay.getFullBlockByNumber(height))
