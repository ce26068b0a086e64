/**
 * Writes to the index of a chain.
 */
import type { BlockHeader, ExecutedTransaction } from "@effect-klaytn/transaction/ExecutedTransaction"
import type * as Effect from "effect/Effect"
import type { BlockRecord } from "./BlockRecord.js"
import type { StoreFailure } from "./IndexError.js"
import type { IndexedBlock, TokenChanges } from "./internal/IndexedBlock.js"
import type { Viewer } from "./Viewer.js"

/**
 * A block with the answers of its contracts at its end: everything that its `ChangeSet` is made of.
 *
 * @category models
 */
export interface PreparedBlock extends IndexedBlock {}

/**
 * The part of a prepared block that tokens and their owners depend on: everything that `ownershipOf` of `ChangeSet` needs.
 *
 * @category models
 */
export interface PreparedTokens extends TokenChanges {}

/**
 * A block to be written.
 *
 * @category models
 */
export interface WrittenBlock {
  readonly prepared: PreparedBlock
  /** It can never be reverted, so nothing is stored for that. Default: false. */
  readonly isFinal?: boolean | undefined
}

/**
 * The answers of contracts about earlier blocks: everything that `answer` of `IndexStore` needs.
 *
 * @category models
 */
export interface PreparedAnswers extends IndexedBlock {}

/**
 * Writes the index of one chain synchronously, one block after the other.
 *
 * **Details**
 *
 * `prepare` reads and asks contracts, and can take long. The others change rows synchronously and throw if the database
 * fails, so that the caller can call them inside a transaction that stores more than the index. Whoever stores the index
 * alone uses `IndexStore`, which any database has.
 *
 * @category services
 */
export interface IndexWriter {
  /** See `prepare` of `IndexStore`. */
  readonly prepare: <E>(
    header: BlockHeader,
    transactions: ReadonlyArray<ExecutedTransaction>,
    viewer: Viewer<E>
  ) => Effect.Effect<PreparedBlock, E | StoreFailure>
  /** Adds a block above the newest one. Call it inside a transaction of the database. */
  readonly write: (block: PreparedBlock) => BlockRecord
  /** Adds blocks above the newest one, in less time than one by one. Call it inside a transaction of the database. */
  readonly writeAll: (blocks: ReadonlyArray<WrittenBlock>) => ReadonlyArray<BlockRecord>
  /** Removes every block above a height. Call it inside a transaction of the database. */
  readonly revert: (height: number) => void
}
