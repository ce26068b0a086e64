/**
 * Blocks as data: every row that they add, replace or remove, and what reverts them. Pure, so that any database can store
 * the rows, in whatever way is fastest there.
 */
import type { NewRow } from "@effect-klaytn/store/Table"
import { keyOf } from "./BlockKey.js"
import type { BlockRecord } from "./BlockRecord.js"
import type { logs, ownershipUndo, transactions, transfers } from "./IndexTables.js"
import type { PreparedAnswers, PreparedBlock, PreparedTokens, WrittenBlock } from "./IndexWriter.js"
import type { IndexedTransaction } from "./internal/IndexedBlock.js"
import { writesOf } from "./internal/OwnershipFold.js"
import { keysOf } from "./internal/OwnershipKeys.js"
import { OwnershipOverlay } from "./internal/OwnershipOverlay.js"
import { fromTransfer } from "./internal/transferRow.js"
import { undoOf } from "./internal/undo.js"
import type { OwnershipKeys, OwnershipRows, OwnershipWrites } from "./Ownership.js"

/** The part of a block that its own rows are made of. */
type BlockOfRows = Pick<PreparedBlock, "header" | "transactions">

/**
 * The rows of some blocks.
 *
 * @category models
 */
export interface BlockRows {
  readonly blocks: ReadonlyArray<BlockRecord>
  readonly transactions: Iterable<NewRow<typeof transactions.fields>>
  readonly transfers: Iterable<NewRow<typeof transfers.fields>>
  readonly logs: Iterable<NewRow<typeof logs.fields>>
}

/**
 * The changes of some blocks to an index.
 *
 * @category models
 */
export interface ChangeSet extends BlockRows {
  /** The rows of tokens and their owners: each as it is stored, and as it is after all of the blocks. */
  readonly ownership: OwnershipWrites
  /** What reverts the blocks, in the order in which it was made. */
  readonly undo: ReadonlyArray<NewRow<typeof ownershipUndo.fields>>
  /** Blocks up to this one can't be reverted any more, and what would revert them is removed. Undefined: nothing is. */
  readonly pruned: number | undefined
}

/**
 * How the changes are made.
 *
 * @category models
 */
export interface Options {
  /** Blocks up to this one can't be reverted any more. Default: those that are final. */
  readonly prune?: number | undefined
}

/**
 * The keys of the rows that any of some blocks may change; a key may be in it several times.
 *
 * @category keys
 */
export const keysOfAll = (blocks: ReadonlyArray<PreparedTokens>): OwnershipKeys => {
  const [first, ...more] = blocks.map(keysOf)
  if (first !== undefined && more.length === 0) return first
  const all = first === undefined ? [] : [first, ...more]
  return {
    contracts: all.flatMap(({ contracts }) => contracts),
    tokens: all.flatMap(({ tokens }) => tokens),
    holdings: all.flatMap(({ holdings }) => holdings),
    questions: all.flatMap(({ questions }) => questions),
    described: all.flatMap(({ described }) => described)
  }
}

type TransactionRow = NewRow<typeof transactions.fields>
type TransferRow = NewRow<typeof transfers.fields>
type LogRow = NewRow<typeof logs.fields>

/** Rows that are made when they are iterated over, each time anew: all of many blocks at once would fill the memory. */
class Lazy<A> implements Iterable<A> {
  constructor(
    private readonly blocks: ReadonlyArray<BlockOfRows>,
    private readonly rowsOf: (transaction: IndexedTransaction) => ReadonlyArray<A>
  ) {}

  *[Symbol.iterator](): Iterator<A> {
    for (const { transactions } of this.blocks) {
      for (const one of transactions) {
        // Not by `yield*`, which takes twice as long.
        for (const row of this.rowsOf(one)) yield row
      }
    }
  }
}

const transactionRows = (transaction: IndexedTransaction): ReadonlyArray<TransactionRow> => {
  const { blockNumber, hash, logs, logsBefore, senderTxHash, transactionIndex, transfers, transfersBefore } =
    transaction
  return [{
    ...transaction,
    id: keyOf(blockNumber, transactionIndex),
    senderTxHash: senderTxHash === hash ? undefined : senderTxHash,
    firstLog: keyOf(blockNumber, logsBefore),
    logCount: logs.length,
    firstTransfer: keyOf(blockNumber, transfersBefore),
    transferCount: transfers.length
  }]
}

const transferRows = (
  { blockNumber, transactionIndex, transfers, transfersBefore }: IndexedTransaction
): ReadonlyArray<TransferRow> => {
  const tx = keyOf(blockNumber, transactionIndex)
  return transfers.map((transfer, index) => fromTransfer(keyOf(blockNumber, transfersBefore + index), tx, transfer))
}

const logRows = ({ blockNumber, logs, logsBefore, transactionIndex }: IndexedTransaction): ReadonlyArray<LogRow> => {
  const tx = keyOf(blockNumber, transactionIndex)
  return logs.map(({ address, data, topics: [topic0, topic1, topic2, topic3] }, index) => ({
    id: keyOf(blockNumber, logsBefore + index),
    tx,
    address,
    topic0,
    topic1,
    topic2,
    topic3,
    data
  }))
}

/**
 * The record of a block.
 *
 * @category conversions
 */
export const recordOf = ({ header, transactions }: BlockOfRows): BlockRecord => {
  const { baseFeePerGas, gasLimit, miner, mixHash } = header
  const transferCount = transactions.reduce((count, { transfers }) => count + transfers.length, 0)
  return { ...header, baseFeePerGas, gasLimit, miner, mixHash, transferCount }
}

/**
 * The rows of blocks, transactions, transfers and logs.
 *
 * @category conversions
 */
export const rowsOf = (blocks: ReadonlyArray<BlockOfRows>): BlockRows => ({
  blocks: blocks.map(recordOf),
  transactions: new Lazy(blocks, transactionRows),
  transfers: new Lazy(blocks, transferRows),
  logs: new Lazy(blocks, logRows)
})

const later = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined ? other : other === undefined ? one : Math.max(one, other)

/**
 * The changes that blocks make to an index, one block after the other. `rows` are those of {@link keysOfAll}; they are not
 * changed.
 *
 * @category constructors
 */
export const make = (
  blocks: ReadonlyArray<WrittenBlock>,
  rows: OwnershipRows,
  { prune }: Options = {}
): ChangeSet => ({ ...rowsOf(blocks.map(({ prepared }) => prepared)), ...ownershipOf(blocks, rows, prune) })

/** A block of which only tokens and their owners are written. */
type TokensOfBlock = Omit<WrittenBlock, "prepared"> & { readonly prepared: PreparedTokens }

/**
 * The part of {@link make} that is about tokens and their owners.
 *
 * @category constructors
 */
export const ownershipOf = (
  blocks: ReadonlyArray<TokensOfBlock>,
  rows: OwnershipRows,
  prune?: number
): Pick<ChangeSet, "ownership" | "undo" | "pruned"> => {
  const undo: Array<NewRow<typeof ownershipUndo.fields>> = []
  const add = ({ isFinal = false, prepared: { header } }: TokensOfBlock, writes: OwnershipWrites): void => {
    if (!isFinal) { for (const row of undoOf(header.number, writes)) undo.push(row) }
  }
  const final = blocks.findLast(({ isFinal }) => isFinal)?.prepared.header.number
  const pruned = later(final, prune)
  const [only, ...more] = blocks
  if (only !== undefined && more.length === 0) {
    const ownership = writesOf(only.prepared, rows)
    add(only, ownership)
    return { ownership, undo, pruned }
  }
  const overlay = new OwnershipOverlay(rows)
  for (const block of blocks) add(block, overlay.write(block.prepared))
  return { ownership: overlay.changes(), undo, pruned }
}

/**
 * The changes that answers of contracts make to the newest block.
 *
 * @category constructors
 */
export const ofAnswers = (answers: PreparedAnswers, rows: OwnershipRows): ChangeSet => {
  const ownership = writesOf(answers, rows)
  return {
    blocks: [],
    transactions: [],
    transfers: [],
    logs: [],
    ownership,
    undo: undoOf(answers.header.number, ownership),
    pruned: undefined
  }
}
