/**
 * New blocks as a stream. It polls, or asks as soon as the node announces a block, if `BlockHeads` is in the context.
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
import { MalformedResponse, type ReadError } from "@effect-klaytn/core/ServiceError"
import * as Array from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Block, FullBlock } from "./Block.js"
import { addHint, isContradiction } from "./internal/errors/failure.js"
import * as schemas from "./internal/records/schemas.js"
import * as nextBlock from "./internal/streams/nextBlock.js"
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

/** What a stream has seen: the last block that it delivered, and the newest height that a node reported. */
class Sighting {
  last: { readonly block: Linked; readonly at: string } | undefined
  head: { readonly number: bigint; readonly at: string } | undefined

  /** The sighting as a sentence, for an error. */
  get text(): string {
    const { head, last } = this
    return [
      last === undefined
        ? "no block was delivered yet"
        : `block ${last.block.number} (${last.block.hash}) was delivered at ${last.at}`,
      ...(head === undefined ? [] : [`a node reported height ${head.number} at ${head.at}`])
    ].join("; ")
  }
}

/** What connects a block to the one before. */
interface Linked {
  readonly number?: bigint | undefined
  readonly hash?: string | undefined
  readonly parentHash: string
}

const now: Effect.Effect<string> = Effect.map(DateTime.now, DateTime.formatIso)

/** How often a block that doesn't follow the last one, or a node that can't be reached, is asked again before the stream fails. */
const patience = 60

/** Whether the node gave no answer of its own, as one that restarts. */
const isDown = ({ _tag }: RpcError | ReadError): boolean =>
  _tag === "TransportFailed" || _tag === "Unavailable" || _tag === "TimedOut"

/** The failure of a stream whose next block does not follow the last one. */
const unlinked = (last: Linked, found: Linked, hint: string): ReadError =>
  new MalformedResponse({
    operation: "node.blocks",
    retrySafe: true,
    attempts: [],
    status: 200,
    path: ["parentHash"],
    expected: `${last.hash}, the hash of block ${last.number}`,
    actual: `${found.parentHash} in block ${found.number}`,
    hint
  })

const stream =
  <A extends Linked>(get: (node: Service, height: bigint) => Effect.Effect<A, RpcError | ReadError>) =>
  (options: Options = {}): Stream.Stream<A, RpcError | ReadError, KlaytnNode> =>
    Stream.unwrap(Effect.gen(function*() {
      const node = yield* KlaytnNode
      const { atOnce = 20, from = "latest", pollInterval } = yield* decode(options)
      const sighting = new Sighting()

      const height = Effect.gen(function*() {
        const number = yield* node.klay.blockNumber()
        if (number >= (sighting.head?.number ?? 0n)) sighting.head = { number, at: yield* now }
        return number
      })

      const at = (height: bigint) =>
        Effect.catchTag(Effect.asSome(get(node, height)), "BlockNotFound", () => Effect.succeedNone)

      /** The blocks from `next` on that the node has, at most `atOnce`. */
      const present = Effect.fnUntraced(function*(next: bigint) {
        const head = yield* height
        const count = Math.min(atOnce, Number(head - next) + 1)
        const heights = count > 0 ? Array.makeBy(count, (i) => next + BigInt(i)) : []
        const found = yield* Effect.forEach(heights, at, { concurrency: "unbounded" })
        return Array.getSomes(Array.takeWhile(found, Option.isSome))
      })

      /** The next blocks, each of which follows the one before; waits until there is one. */
      const following = Effect.fnUntraced(function*(next: bigint) {
        for (let disagreements = 0, failures = 0; true;) {
          const found = yield* present(next).pipe(
            Effect.tap(() => Effect.sync(() => failures = 0)),
            // The node restarts, perhaps.
            Effect.catchIf((error) => isDown(error) && failures++ < patience, () => Effect.succeed([])),
            // Another copy of the node may have the right block.
            Effect.catchIf(
              (error) => sighting.last !== undefined && isContradiction(error) && ++disagreements <= patience,
              () => Effect.succeed([])
            )
          )
          const linked = linkedTo(sighting.last?.block, found)
          const last = linked.at(-1)
          if (last !== undefined) {
            const { hash, number, parentHash } = last
            sighting.last = { block: { hash, number, parentHash }, at: yield* now }
            return linked
          }
          const [first] = found
          if (first !== undefined && sighting.last !== undefined && ++disagreements > patience) {
            return yield* unlinked(sighting.last.block, first, sighting.text)
          }
          yield* nextBlock.wait(pollInterval, next)
        }
      })

      const withSighting = Effect.mapError((error: RpcError | ReadError) => addHint(error, sighting.text))
      /** The newest block, from a node that has it: one of another chain may have answered. */
      const latest: Effect.Effect<bigint, RpcError | ReadError> = Effect.flatMap(height, (number) =>
        Effect.flatMap(at(number), (found) =>
          Option.isSome(found)
            ? Effect.succeed(number)
            : Effect.zipRight(
              nextBlock.wait(pollInterval),
              Effect.suspend(() =>
                latest
              )
            )))
      const start = from === "latest" ? yield* withSighting(latest) : from
      return Stream.unfoldChunkEffect(
        start,
        (next) =>
          Effect.map(withSighting(following(next)), (found) =>
            Option.some([Chunk.unsafeFromArray(found), next + BigInt(found.length)] as const))
      )
    }))

/** The blocks, from the first on, each of which names the one before as its parent. */
const linkedTo = <A extends Linked>(last: Linked | undefined, blocks: ReadonlyArray<A>): ReadonlyArray<A> => {
  const stray = blocks.findIndex(({ parentHash }, i) => {
    const before = i === 0 ? last : blocks[i - 1]
    return before !== undefined && parentHash !== before.hash
  })
  return stray === -1 ? blocks : blocks.slice(0, stray)
}

/**
 * Streams blocks with the hashes of their transactions, each once, in order and without gaps.
 *
 * **Details**
 *
 * Blocks of this chain are final immediately, so none is ever reverted. A node behind a load balancer may lag: a height
 * that it does not have yet is requested again, and so is a block that does not name the one before as its parent, or has another
 * height than was asked for: another node may have the right one. If that does not end within 60 polls, or the first block has
 * another height in all attempts of the client, the stream fails with `MalformedResponse`. A node that
 * can't be reached, as during a restart, is asked again for 60 polls too, beside the retries of the client. Every error
 * says in its `hint` which block was delivered last, and what height was seen, and when.
 *
 * The stream ends only when it fails or is no longer pulled;
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
