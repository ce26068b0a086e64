/**
 * Writes to the index of a chain.
 */
import type { BlockHeader, ExecutedTransaction } from "@effect-klaytn/transaction/ExecutedTransaction"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { BlockRecord } from "./BlockRecord.js"
import type { StoreFailure } from "./IndexError.js"
import type { IndexedBlock } from "./internal/IndexedBlock.js"
import type { ContractLabel, ContractRecord } from "./TokenRecord.js"
import type { PresetRecord } from "./TransferRecord.js"
import type { Viewer } from "./Viewer.js"

/**
 * A block with the answers of its contracts at its end: everything that {@link IndexWriter.write} needs.
 *
 * @category models
 */
export interface PreparedBlock extends IndexedBlock {}

/**
 * A block of {@link IndexWriter.writeAll}.
 *
 * @category models
 */
export interface WrittenBlock {
  readonly prepared: PreparedBlock
  /** It can never be reverted, so nothing is stored for that. Default: false. */
  readonly isFinal?: boolean | undefined
}

/**
 * The answers of contracts about earlier blocks: everything that {@link IndexWriter.answer} needs.
 *
 * @category models
 */
export interface PreparedAnswers extends IndexedBlock {}

/**
 * Writes the index of one chain, one block after the other.
 *
 * **Details**
 *
 * `prepare` reads and asks contracts, and can take long. `write` and `revert` change rows synchronously and throw if the
 * database fails, so that the caller can call them inside a transaction that stores more than the index. Labels and presets
 * belong to the service and not to the chain: a revert does not change them.
 *
 * @category services
 */
export interface IndexWriter {
  /**
   * Finds the transfers of a block in its logs, and asks its token contracts at the block's end. Where the viewer has the
   * state of a later block only, contracts are asked what they are, and the rest is left for `prepareAnswers`.
   */
  readonly prepare: <E>(
    header: BlockHeader,
    transactions: ReadonlyArray<ExecutedTransaction>,
    viewer: Viewer<E>
  ) => Effect.Effect<PreparedBlock, E | StoreFailure>
  /** Adds a block above the newest one. Call it inside a transaction of the database. */
  readonly write: (block: PreparedBlock) => BlockRecord
  /** Adds blocks above the newest one, in less time than one by one. Call it inside a transaction of the database. */
  readonly writeAll: (blocks: ReadonlyArray<WrittenBlock>) => ReadonlyArray<BlockRecord>
  /**
   * Asks contracts, at the end of the newest block, some of what the blocks before it have left to ask; none if nothing is
   * left.
   */
  readonly prepareAnswers: <E>(
    newest: BlockHeader,
    viewer: Viewer<E>
  ) => Effect.Effect<Option.Option<PreparedAnswers>, E | StoreFailure>
  /** Adds answers to the newest block. Call it inside a transaction of the database. */
  readonly answer: (answers: PreparedAnswers) => void
  /** Removes every block above a height. Call it inside a transaction of the database. */
  readonly revert: (height: number) => void
  /**
   * Removes what reverting the blocks up to a height would need: they can't be reverted any more. Call it inside a
   * transaction of the database.
   */
  readonly prune: (height: number) => void
  /** Labels a token contract at a Unix second; none if the address is not one. */
  readonly setLabel: (
    contract: Hex,
    status: ContractLabel["status"],
    now: number
  ) => Effect.Effect<Option.Option<ContractRecord>, StoreFailure>
  /** Removes the label of a token contract; answers like `setLabel`. */
  readonly removeLabel: (contract: Hex, now: number) => Effect.Effect<Option.Option<ContractRecord>, StoreFailure>
  readonly addPreset: (preset: Omit<PresetRecord, "id">) => Effect.Effect<PresetRecord, StoreFailure>
  /** Returns true if the preset existed. */
  readonly removePreset: (id: number) => Effect.Effect<boolean, StoreFailure>
}
