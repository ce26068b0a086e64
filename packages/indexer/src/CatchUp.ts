/**
 * Follows a chain that is executed elsewhere.
 */
import * as ExecutedTransaction from "@effect-klaytn/transaction/ExecutedTransaction"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { hashTransaction } from "@effect-klaytn/transaction/TransactionView"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { BlockRecord } from "./BlockRecord.js"
import type { BlockSource, SourceBlock } from "./BlockSource.js"
import { attempt, type StoreFailure } from "./IndexError.js"
import type { SqliteIndex } from "./SqliteIndex.js"

/**
 * A source whose blocks don't fit together or don't fit the index. Nothing of the block was stored.
 *
 * @category errors
 */
export class SourceMismatch extends Data.TaggedError("SourceMismatch")<{
  readonly height: number
  readonly problem: string
}> {
  override get message(): string {
    return `block ${this.height} of the source: ${this.problem}`
  }
}

/**
 * The changes of a chain since the last look: blocks that were reverted, and blocks that were added.
 *
 * @category models
 */
export interface Progress {
  readonly reverted: number
  readonly indexed: number
}

const noBytes = new Uint8Array(0)

const readTransactions = <E>(
  { header, transactions }: SourceBlock<E>
): Effect.Effect<ReadonlyArray<ExecutedTransaction.ExecutedTransaction>, SourceMismatch> =>
  Effect.gen(function*() {
    const executed: Array<ExecutedTransaction.ExecutedTransaction> = []
    for (const [index, mined] of transactions.entries()) {
      const place = { block: header, index, gasBefore: executed.at(-1)?.cumulativeGasUsed ?? 0n }
      if ("facts" in mined) {
        executed.push(ExecutedTransaction.fromFacts(mined.facts, noBytes, mined.receipt, place))
        continue
      }
      const decoded = Transaction.decode(mined.raw, { unprotected: true })
      const hashed = decoded.ok ? hashTransaction(decoded.value, mined.from) : decoded
      if (!hashed.ok) {
        const problem = `transaction ${index} can't be read: ${hashed.error.message}`
        return yield* new SourceMismatch({ height: header.number, problem })
      }
      executed.push(ExecutedTransaction.make(hashed.value, mined.receipt, place))
    }
    return executed
  })

/** Adds a block of the source. */
const add = <E>(
  { atomically, writer }: SqliteIndex,
  block: SourceBlock<E>,
  depth: number | undefined
): Effect.Effect<BlockRecord, E | SourceMismatch | StoreFailure> =>
  Effect.gen(function*() {
    const transactions = yield* readTransactions(block)
    const header = { ...block.header, transactionCount: transactions.length }
    const prepared = yield* writer.prepare(header, transactions, block.viewer)
    return yield* attempt("index", () =>
      atomically(() => {
        const record = writer.write(prepared)
        if (depth !== undefined) writer.prune(record.number - depth)
        return record
      }))
  })

/**
 * Where an index begins and how much it keeps.
 *
 * @category models
 */
export interface Options {
  /** The first block of an index that is empty. Default: 0. */
  readonly from?: number | undefined
  /**
   * How many blocks can be reverted. What reverting older ones needs is removed, and a source that no longer has them
   * fails as {@link SourceMismatch}. Default: all.
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

/** Reverts the blocks that the source no longer has, and returns how many they were. */
const revert = <E>(
  index: SqliteIndex,
  source: BlockSource<E>,
  head: { readonly number: number; readonly hash: Hex },
  { depth = head.number, shrinks = true }: Options
): Effect.Effect<number, E | SourceMismatch | StoreFailure> =>
  Effect.gen(function*() {
    const lowest = Math.max(0, head.number - depth)
    let hasOther = shrinks
    for (let height = head.number; height >= lowest; height--) {
      const stored = Option.getOrUndefined(yield* index.reader.block(height))
      if (stored === undefined) break
      const hash = yield* source.headerHash(height)
      if (stored.hash !== hash) {
        hasOther ||= hash !== undefined
        continue
      }
      if (height === head.number || !hasOther) return 0
      yield* attempt("revert", () => index.atomically(() => index.writer.revert(height)))
      return head.number - height
    }
    return yield* new SourceMismatch({
      height: lowest,
      problem: lowest === 0
        ? "it is not the genesis block of the index"
        : `it differs from the index, and only the newest ${depth} blocks can be reverted`
    })
  })

/**
 * Brings the index of a chain to the newest block of a source: reverts blocks whose hash the source no longer has, and adds
 * new ones. Call it whenever there may be more. After a failure, everything up to the block before is stored, and the next
 * call goes on from there.
 *
 * @category operations
 */
export const catchUp = <E>(
  index: SqliteIndex,
  source: BlockSource<E>,
  options: Options = {}
): Effect.Effect<Progress, E | SourceMismatch | StoreFailure> =>
  Effect.gen(function*() {
    const { depth, from = 0, onBlock = () => Effect.void } = options
    const newest = attempt("head", () => index.rows.latestBlock())
    const before = yield* newest
    let reverted = before === undefined ? 0 : yield* revert(index, source, before, options)
    let indexed = 0
    for (;;) {
      const head = yield* newest
      const height = head === undefined ? from : head.number + 1
      const block = yield* source.block(height)
      if (block === undefined) return { reverted, indexed }
      if (head === undefined || block.header.parentHash === head.hash) {
        yield* onBlock(yield* add(index, block, depth))
        indexed++
        continue
      }
      const count = yield* revert(index, source, head, options)
      if (count === 0) return yield* new SourceMismatch({ height, problem: "its parent is not the block before it" })
      reverted += count
    }
  })
