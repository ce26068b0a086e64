/**
 * The database of an index, behind one interface: what `CatchUp`, a gateway and the handlers work with.
 *
 * **Details**
 *
 * A block becomes data before it becomes rows. {@link prepare} finds what a block means, `read` gives the rows that it may
 * change, `ChangeSet.make` makes the changes of them, and `apply` stores these: all or nothing. `SqliteIndex` and
 * `PostgresIndex` are two databases; whatever is not in this interface is the same for both.
 */
import type { Row } from "@effect-klaytn/store/Table"
import type { BlockHeader, ExecutedTransaction } from "@effect-klaytn/transaction/ExecutedTransaction"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type { LazyArg } from "effect/Function"
import type * as Option from "effect/Option"
import type { BlockRecord } from "./BlockRecord.js"
import * as ChangeSet from "./ChangeSet.js"
import { catchThrown, type StoreFailure } from "./IndexError.js"
import type { IndexReader } from "./IndexReader.js"
import type { questions } from "./IndexTables.js"
import type { PreparedAnswers, PreparedBlock, WrittenBlock } from "./IndexWriter.js"
import { keysOf } from "./internal/OwnershipKeys.js"
import { prepareStretch } from "./internal/tokens/stretch.js"
import * as tokenIndex from "./internal/tokens/tokenIndex.js"
import type { OwnershipKeys, OwnershipRows } from "./Ownership.js"
import type { FactKeys, TokenFacts } from "./TokenFacts.js"
import type { ContractLabel, ContractRecord } from "./TokenRecord.js"
import type { PresetRecord } from "./TransferRecord.js"
import type { Viewer } from "./Viewer.js"

/**
 * The index of one chain in a database. One process at a time may change it; any number may read.
 *
 * @category services
 */
export interface IndexStore {
  readonly reader: IndexReader
  /** The newest block; none if there is no block yet. */
  readonly newest: Effect.Effect<Option.Option<BlockRecord>, StoreFailure>
  readonly facts: (keys: LazyArg<FactKeys>) => Effect.Effect<TokenFacts, StoreFailure>
  /** Some of what contracts have still to be asked, by contract. */
  readonly questions: (limit: number) => Effect.Effect<ReadonlyArray<Row<typeof questions.fields>>, StoreFailure>
  /** The rows that blocks may change, see `OwnershipKeys`. */
  readonly read: (keys: OwnershipKeys) => Effect.Effect<OwnershipRows, StoreFailure>
  /** Stores changes: all of them, or none if it fails. */
  readonly apply: (changes: ChangeSet.ChangeSet) => Effect.Effect<void, StoreFailure>
  /** Removes every block above a height. */
  readonly revert: (height: number) => Effect.Effect<void, StoreFailure>
  /** Labels a token contract at a Unix second; none if the address is not one. A revert does not change labels. */
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

/**
 * Finds the transfers of a block in its logs, and asks its token contracts at the block's end. Where the viewer has the
 * state of a later block only, contracts are asked what they are, and the rest is left for {@link prepareAnswers}.
 *
 * @category operations
 */
export const prepare = <E>(
  { facts, reader: { scope } }: Pick<IndexStore, "facts"> & { readonly reader: Pick<IndexReader, "scope"> },
  header: BlockHeader,
  transactions: ReadonlyArray<ExecutedTransaction>,
  viewer: Viewer<E>
): Effect.Effect<PreparedBlock, E | StoreFailure> =>
  tokenIndex.prepareBlock(facts, scope, header, transactions, viewer).pipe(catchThrown("index"))

/**
 * A block of a stretch: many in a row that are prepared and stored together.
 *
 * @category models
 */
export interface StretchBlock<E> {
  readonly header: BlockHeader
  readonly transactions: ReadonlyArray<ExecutedTransaction>
  /** A state on which its new contracts are asked what they are. */
  readonly viewer: Viewer<E>
}

/**
 * The same as {@link prepare} for blocks in a row: contracts are asked what they are, those of all blocks together, and the rest is
 * left for {@link prepareAnswers}.
 *
 * @category operations
 */
export const prepareAll = <E>(
  { facts, reader: { scope } }: Pick<IndexStore, "facts"> & { readonly reader: Pick<IndexReader, "scope"> },
  blocks: ReadonlyArray<StretchBlock<E>>
): Effect.Effect<ReadonlyArray<PreparedBlock>, E | StoreFailure> =>
  Effect.suspend(() =>
    prepareStretch(
      facts,
      scope,
      blocks.map(({ header, transactions, viewer }) => ({
        block: tokenIndex.keptBlock(scope, header, transactions),
        viewer
      }))
    )
  ).pipe(catchThrown("index"))

/** How many questions are answered in one transaction. */
const questionsAtOnce = 2000

/**
 * Asks contracts, at the end of the newest block, some of what the blocks before it have left to ask; none if nothing is
 * left.
 *
 * @category operations
 */
export const prepareAnswers = <E>(
  { facts, questions }: Pick<IndexStore, "facts" | "questions">,
  newest: BlockHeader,
  viewer: Viewer<E>
): Effect.Effect<Option.Option<PreparedAnswers>, E | StoreFailure> =>
  Effect.flatMap(
    questions(questionsAtOnce),
    (open): Effect.Effect<Option.Option<PreparedAnswers>, E | StoreFailure> =>
      open.length === 0
        ? Effect.succeedNone
        : Effect.asSome(tokenIndex.prepareAnswers(facts, newest, open, viewer))
  ).pipe(catchThrown("index"))

/**
 * Adds blocks above the newest one, and returns their records.
 *
 * @category operations
 */
export const add = (
  store: IndexStore,
  blocks: ReadonlyArray<WrittenBlock>,
  options?: ChangeSet.Options
): Effect.Effect<ReadonlyArray<BlockRecord>, StoreFailure> =>
  Effect.gen(function*() {
    const rows = yield* store.read(ChangeSet.keysOfAll(blocks.map(({ prepared }) => prepared)))
    const changes = ChangeSet.make(blocks, rows, options)
    yield* store.apply(changes)
    return changes.blocks
  })

/**
 * Adds answers of contracts to the newest block.
 *
 * @category operations
 */
export const answer = (store: IndexStore, answers: PreparedAnswers): Effect.Effect<void, StoreFailure> =>
  Effect.flatMap(store.read(keysOf(answers)), (rows) => store.apply(ChangeSet.ofAnswers(answers, rows)))
