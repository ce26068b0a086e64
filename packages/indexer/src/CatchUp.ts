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

const readTransactions = <E>(
  { header, transactions }: SourceBlock<E>
): Effect.Effect<ReadonlyArray<ExecutedTransaction.ExecutedTransaction>, SourceMismatch> =>
  Effect.gen(function*() {
    const executed: Array<ExecutedTransaction.ExecutedTransaction> = []
    for (const [index, { from, raw, receipt }] of transactions.entries()) {
      const decoded = Transaction.decode(raw, { unprotected: true })
      const hashed = decoded.ok ? hashTransaction(decoded.value, from) : decoded
      if (!hashed.ok) {
        const problem = `transaction ${index} can't be read: ${hashed.error.message}`
        return yield* new SourceMismatch({ height: header.number, problem })
      }
      const gasBefore = executed.at(-1)?.cumulativeGasUsed ?? 0n
      executed.push(ExecutedTransaction.make(hashed.value, receipt, { block: header, index, gasBefore }))
    }
    return executed
  })

/** Adds a block of the source. */
const add = <E>(
  { atomically, writer }: SqliteIndex,
  block: SourceBlock<E>
): Effect.Effect<void, E | SourceMismatch | StoreFailure> =>
  Effect.gen(function*() {
    const transactions = yield* readTransactions(block)
    const header = { ...block.header, transactionCount: transactions.length }
    const prepared = yield* writer.prepare(header, transactions, block.viewer)
    yield* attempt("index", () => atomically(() => writer.write(prepared)))
  })

/** Reverts the blocks that the source no longer has, and returns how many they were. */
const revert = <E>(
  index: SqliteIndex,
  source: BlockSource<E>,
  head: { readonly number: number; readonly hash: Hex }
): Effect.Effect<number, E | SourceMismatch | StoreFailure> =>
  Effect.gen(function*() {
    for (let height = head.number; height >= 0; height--) {
      const stored = Option.getOrUndefined(yield* index.reader.block(height))
      if (stored === undefined || stored.hash !== (yield* source.headerHash(height))) continue
      if (height < head.number) yield* attempt("revert", () => index.atomically(() => index.writer.revert(height)))
      return head.number - height
    }
    return yield* new SourceMismatch({ height: 0, problem: "it is not the genesis block of the index" })
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
  source: BlockSource<E>
): Effect.Effect<Progress, E | SourceMismatch | StoreFailure> =>
  Effect.gen(function*() {
    const newest = attempt("head", () => index.rows.latestBlock())
    const before = yield* newest
    let reverted = before === undefined ? 0 : yield* revert(index, source, before)
    let indexed = 0
    for (;;) {
      const head = yield* newest
      const height = head === undefined ? 0 : head.number + 1
      const block = yield* source.block(height)
      if (block === undefined) return { reverted, indexed }
      if (head === undefined || block.header.parentHash === head.hash) {
        yield* add(index, block)
        indexed++
        continue
      }
      const count = yield* revert(index, source, head)
      if (count === 0) return yield* new SourceMismatch({ height, problem: "its parent is not the block before it" })
      reverted += count
    }
  })
