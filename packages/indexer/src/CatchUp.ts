/**
 * Follows a chain that is executed elsewhere.
 */
import * as Input from "@effect-klaytn/core/Input"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { BlockHeader } from "@effect-klaytn/transaction/ExecutedTransaction"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { BlockRecord } from "./BlockRecord.js"
import type { BlockSource, SourceBlock } from "./BlockSource.js"
import { SourceMismatch, type StoreFailure } from "./IndexError.js"
import * as IndexStore from "./IndexStore.js"
import type { WrittenBlock } from "./IndexWriter.js"
import { executedOf } from "./internal/executed.js"
import { blocksAtOnce, transactionsAtOnce } from "./internal/tokens/stretch.js"

/**
 * A source whose blocks don't fit together or don't fit the index. Nothing of the block was stored.
 *
 * @category errors
 */
export { SourceMismatch } from "./IndexError.js"

/**
 * The changes of a chain since the last look: blocks that were reverted, and blocks that were added.
 *
 * @category models
 */
export interface Progress {
  readonly reverted: number
  readonly indexed: number
}

/** Near the head, and from there on, each block is stored by itself, with what contracts answer at its end. */
const blocksAtHead = 16

type Failure<E> = E | SourceMismatch | StoreFailure

/** A block that is read and not stored yet. */
interface Waiting<E> extends IndexStore.StretchBlock<E> {
  readonly isFinal: boolean
}

/** Puts blocks of a source into an index: one by one, or many at once while the index is far behind. */
class Intake<E> {
  /** Blocks that are not stored yet, and how many transactions they have. */
  #waiting: Array<Waiting<E>> = []
  #transactions = 0
  /**
   * Whether the source lacked the state of a block, now or before contracts were asked about it; undefined if it has to be looked up. An
   * index that is less far behind is right at each block, as at the head.
   */
  #isFar: boolean | undefined
  /** How many blocks were added. */
  count = 0

  constructor(private readonly index: IndexStore.IndexStore, private readonly options: Options) {}

  /** Whether contracts are asked about a block later: its state is gone, or it is one of many that follow such blocks. */
  isPassed({ header, newest, viewer }: SourceBlock<E>): Effect.Effect<boolean, StoreFailure> {
    if (viewer.isLater === true) this.#isFar = true
    if (viewer.isLater === true || header.number >= (newest ?? 0) - blocksAtHead) {
      return Effect.succeed(viewer.isLater === true)
    }
    if (this.#isFar !== undefined) return Effect.succeed(this.#isFar)
    return Effect.map(this.index.reader.isSettled, (isSettled) => this.#isFar = !isSettled)
  }

  /** Reverts what the source no longer has. */
  revert(source: BlockSource<E>, head: Pick<BlockHeader, "hash" | "number">) {
    this.#isFar = undefined
    return revert(this.index, source, head, this.options)
  }

  /** The newest block that is stored. */
  get newest(): Effect.Effect<BlockHeader | undefined, StoreFailure> {
    return Effect.map(this.index.newest, Option.getOrUndefined)
  }

  /** Adds a block above the newest one. */
  add(block: SourceBlock<E>): Effect.Effect<void, Failure<E>> {
    return Effect.gen(this, function*() {
      const transactions = yield* executedOf(block)
      const header = { ...block.header, transactionCount: transactions.length }
      const { depth = Number.POSITIVE_INFINITY } = this.options
      const one = { header, transactions, viewer: block.viewer, isFinal: header.number <= (block.newest ?? 0) - depth }
      if (!(yield* this.isPassed(block))) {
        yield* this.store
        const prepared = yield* IndexStore.prepare(this.index, header, transactions, block.viewer)
        return yield* this.#write([{ prepared, isFinal: one.isFinal }])
      }
      this.#waiting.push(one)
      this.#transactions += transactions.length
      if (this.#waiting.length === blocksAtOnce || this.#transactions >= transactionsAtOnce) yield* this.store
    })
  }

  /** Stores the blocks that wait. */
  get store(): Effect.Effect<void, E | StoreFailure> {
    return Effect.gen(this, function*() {
      const waiting = this.#waiting
      this.#waiting = []
      this.#transactions = 0
      if (waiting.length === 0) return
      const prepared = yield* IndexStore.prepareAll(this.index, waiting)
      yield* this.#write(Arr.zipWith(prepared, waiting, (prepared, { isFinal }) => ({ prepared, isFinal })))
    })
  }

  #write(blocks: ReadonlyArray<WrittenBlock>): Effect.Effect<void, StoreFailure> {
    return Effect.gen(this, function*() {
      const { depth, onBlock = () => Effect.void } = this.options
      const last = blocks.at(-1)
      const prune = depth === undefined || last === undefined || last.isFinal === true
        ? undefined
        : last.prepared.header.number - depth
      const records = yield* IndexStore.add(this.index, blocks, { prune })
      this.count += records.length
      for (const record of records) yield* onBlock(record)
    })
  }

  /**
   * Asks contracts some of what earlier blocks have left to ask, on the state of the newest block; returns whether there
   * was anything to ask.
   */
  settle({ header, viewer }: SourceBlock<E>): Effect.Effect<boolean, E | StoreFailure> {
    return Effect.gen(this, function*() {
      const newest = Option.getOrUndefined(yield* this.index.newest)
      if (newest?.hash !== header.hash) return false
      const answers = Option.getOrUndefined(yield* IndexStore.prepareAnswers(this.index, newest, viewer))
      if (answers !== undefined) yield* IndexStore.answer(this.index, answers)
      return answers !== undefined
    })
  }
}

/**
 * How an index follows a chain. Its scope says where it begins.
 *
 * @category models
 */
export interface Options {
  /**
   * How many blocks can be reverted. The rows for reverting older ones are removed, and a source that no longer has these
   * blocks fails as {@link SourceMismatch}. A whole number, 0 or more; anything else fails as `InvalidInput`. Default: all.
   */
  readonly depth?: number | undefined
  /**
   * Whether a source that has fewer blocks than the index, all of them the same, has reverted the others. Otherwise it
   * lags, and the index waits for it. Default: true.
   */
  readonly shrinks?: boolean | undefined
  /** Is run after each block that was added. */
  readonly onBlock?: ((block: BlockRecord) => Effect.Effect<void>) | undefined
}

const readDepth = Input.decode(
  "indexer.catchUp",
  Schema.Struct({ depth: Schema.optional(Input.wholeNumber("expected a whole number of blocks, 0 or more")) })
)

/** What a source has at the height of a block of the index. */
type Found = "the same" | "another" | "none"

/**
 * Reverts the blocks that the source no longer has, and returns how many they were. The newest block that both have is found by
 * halves: below it all are the same, above it none is.
 */
const revert = <E>(
  index: IndexStore.IndexStore,
  source: BlockSource<E>,
  head: { readonly number: number; readonly hash: Hex },
  { depth = head.number, shrinks = true }: Options
): Effect.Effect<number, E | SourceMismatch | StoreFailure> =>
  Effect.gen(function*() {
    const { firstBlock } = index.reader.scope
    let lowest = Math.max(firstBlock, head.number - depth)
    // An index of a part of the chain does not keep every block that can't be reverted.
    while (lowest < head.number && Option.isNone(yield* index.reader.block(lowest))) lowest++
    const look = (height: number): Effect.Effect<Found, E | StoreFailure> =>
      Effect.gen(function*() {
        const stored = Option.getOrUndefined(yield* index.reader.block(height))
        const hash = yield* source.headerHash(height)
        return hash === undefined ? "none" : hash === stored?.hash ? "the same" : "another"
      })
    let [same, above, found]: [number, number, Found] = [lowest, head.number, yield* look(head.number)]
    if (found === "the same") return 0
    yield* Effect.logInfo(
      `the source has ${
        found === "none" ? "no block" : "another block"
      } ${head.number}: looking for the newest one that it has, ` +
        `from block ${lowest} on`
    )
    const atLowest = yield* look(lowest)
    if (atLowest !== "the same") {
      return yield* new SourceMismatch({ height: lowest, problem: mismatch(atLowest, lowest, firstBlock, depth) })
    }
    while (above - same > 1) {
      const middle = Math.floor((same + above) / 2)
      const one = yield* look(middle)
      if (one === "the same") same = middle
      else [above, found] = [middle, one]
    }
    if (!shrinks && found === "none") return 0
    // Blocks are not given up for one answer: a copy of the node that is wrong may have given it.
    if ((yield* look(above)) === "the same") return 0
    yield* index.revert(same)
    return head.number - same
  })

const mismatch = (found: Found, lowest: number, firstBlock: number, depth: number): string => {
  if (found === "none") {
    return lowest > firstBlock
      ? `it is not there: the source stands more than ${depth} blocks below the index, which can revert no more than these`
      : `it is not there, and the index begins with it`
  }
  return lowest > firstBlock
    ? `it differs from the index, and only the newest ${depth} blocks can be reverted`
    : `it is not the ${firstBlock === 0 ? "genesis" : "first"} block of the index`
}

/**
 * Brings the index of a chain to the newest block of a source: reverts blocks whose hash the source no longer has, and adds
 * new ones. Call it whenever there may be more. After a failure, the next call goes on from the newest block that is stored;
 * a source that fails loses none of the blocks before.
 *
 * **Details**
 *
 * While a source has only the state of later blocks, and from there on up to 16 blocks below the head, many blocks are stored together:
 * the index follows the logs, and notes everything that the blocks touched. Then contracts are asked about that, each holder, owner and
 * supply once, whatever the number of blocks that changed it. An index that is less far behind adds block by block, and is right at each.
 * After a call without a failure, contracts have been asked about everything, see `isSettled` of `IndexReader`.
 *
 * @category operations
 */
export const catchUp = <E>(
  index: IndexStore.IndexStore,
  source: BlockSource<E>,
  options: Options = {}
): Effect.Effect<Progress, E | InvalidInput | SourceMismatch | StoreFailure> =>
  Effect.gen(function*() {
    yield* readDepth({ depth: options.depth })
    const intake = new Intake<E>(index, options)
    let reverted = 0
    // The block that was asked for again, since its parent was another one.
    let again: number | undefined
    let isCompared = false
    const read = Effect.gen(function*() {
      let head: Pick<BlockHeader, "hash" | "number"> | undefined = yield* intake.newest
      for (;;) {
        const height = head === undefined ? index.reader.scope.firstBlock : head.number + 1
        const block = yield* source.block(height)
        if (block !== undefined && (head === undefined || block.header.parentHash === head.hash)) {
          yield* intake.add(block)
          head = block.header
          // Blocks that were read just now are those of the source.
          isCompared = true
          if (!(yield* intake.isPassed(block))) yield* intake.settle(block)
          continue
        }
        yield* intake.store
        if (block === undefined) {
          const count = isCompared || head === undefined ? 0 : yield* intake.revert(source, head)
          isCompared = true
          reverted += count
          if (count === 0 && (yield* isSettledAt(index, source, intake))) return
        } else if (head !== undefined) {
          const count = yield* intake.revert(source, head)
          if (count === 0 && again === height) {
            return yield* new SourceMismatch({ height, problem: "its parent is not the block before it" })
          }
          again = height
          reverted += count
        }
        head = yield* intake.newest
      }
    })
    yield* Effect.tapErrorCause(read, () => intake.store)
    return { reverted, indexed: intake.count }
  })

/** Asks what is left to ask, and returns whether that was all, or can't be asked now. */
const isSettledAt = <E>(
  { newest: head, reader }: IndexStore.IndexStore,
  source: BlockSource<E>,
  intake: Intake<E>
): Effect.Effect<boolean, E | StoreFailure> =>
  Effect.gen(function*() {
    const newest = Option.getOrUndefined(yield* head)
    if (newest === undefined || (yield* reader.isSettled)) return true
    const block = yield* source.block(newest.number)
    return block === undefined || (yield* intake.isPassed(block)) || !(yield* intake.settle(block))
  })
