/**
 * Blocks as data: every row that they add, replace or remove, and what reverts them. Pure, so that any database can store
 * the rows, in whatever way is fastest there.
 */
import { keyOf } from "./BlockKey.js"
import type { BlockRecord } from "./BlockRecord.js"
import type { logs, ownershipUndo, transactions, transfers } from "./IndexTables.js"
import type { PreparedAnswers, PreparedBlock, WrittenBlock } from "./IndexWriter.js"
import type { IndexedTransaction } from "./internal/IndexedBlock.js"
import { OwnershipOverlay } from "./internal/OwnershipOverlay.js"
import { fromTransfer } from "./internal/transferRow.js"
import { undoOf } from "./internal/undo.js"
import { keysOf, type OwnershipKeys, type OwnershipRows, type OwnershipWrites, writesOf } from "./Ownership.js"
import type { NewRow } from "./Table.js"

/**
 * The rows of some blocks.
 *
 * @category models
 */
export interface BlockRows {
  readonly blocks: ReadonlyArray<BlockRecord>
  readonly transactions: ReadonlyArray<NewRow<typeof transactions.fields>>
  readonly transfers: ReadonlyArray<NewRow<typeof transfers.fields>>
  readonly logs: ReadonlyArray<NewRow<typeof logs.fields>>
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
 * The keys of the rows that any of some blocks may change.
 *
 * @category keys
 */
export const keysOfAll = (blocks: ReadonlyArray<PreparedBlock>): OwnershipKeys => {
  const [first, ...more] = blocks.map(keysOf)
  if (first !== undefined && more.length === 0) return first
  const all = first === undefined ? [] : [first, ...more]
  const distinct = <K extends object>(keys: ReadonlyArray<K>, idOf: (key: K) => string): ReadonlyArray<K> => [
    ...new Map(keys.map((key) => [idOf(key), key])).values()
  ]
  return {
    contracts: distinct(all.flatMap(({ contracts }) => contracts), ({ address }) => address),
    tokens: distinct(all.flatMap(({ tokens }) => tokens), ({ contract, token }) => contract + token),
    holdings: distinct(
      all.flatMap(({ holdings }) => holdings),
      ({ contract, owner, token }) => contract + owner + token
    ),
    questions: distinct(
      all.flatMap(({ questions }) => questions),
      ({ contract, owner, token }) => contract + owner + token
    ),
    described: all.flatMap(({ described }) => described)
  }
}

/** Lists that rows are added to. */
interface Lists {
  readonly transactions: Array<NewRow<typeof transactions.fields>>
  readonly transfers: Array<NewRow<typeof transfers.fields>>
  readonly logs: Array<NewRow<typeof logs.fields>>
}

/** Adds the rows of a transaction. */
const addTransaction = (
  { blockNumber, logs, logsBefore, transfers, transfersBefore, ...transaction }: IndexedTransaction,
  into: Lists
): void => {
  const { hash, senderTxHash, transactionIndex } = transaction
  const tx = keyOf(blockNumber, transactionIndex)
  into.transactions.push({
    ...transaction,
    id: tx,
    senderTxHash: senderTxHash === hash ? undefined : senderTxHash,
    firstLog: keyOf(blockNumber, logsBefore),
    logCount: logs.length,
    firstTransfer: keyOf(blockNumber, transfersBefore),
    transferCount: transfers.length
  })
  for (const [index, transfer] of transfers.entries()) {
    into.transfers.push(fromTransfer(keyOf(blockNumber, transfersBefore + index), tx, transfer))
  }
  for (const [index, { address, data, topics: [topic0, topic1, topic2, topic3] }] of logs.entries()) {
    into.logs.push({ id: keyOf(blockNumber, logsBefore + index), tx, address, topic0, topic1, topic2, topic3, data })
  }
}

/**
 * The record of a block.
 *
 * @category conversions
 */
export const recordOf = ({ header, transactions }: Pick<PreparedBlock, "header" | "transactions">): BlockRecord => {
  const { baseFeePerGas, gasLimit, miner, mixHash } = header
  const transferCount = transactions.reduce((count, { transfers }) => count + transfers.length, 0)
  return { ...header, baseFeePerGas, gasLimit, miner, mixHash, transferCount }
}

/**
 * The rows of blocks, transactions, transfers and logs.
 *
 * @category conversions
 */
export const rowsOf = (
  prepared: ReadonlyArray<Pick<PreparedBlock, "header" | "transactions">>
): BlockRows => {
  const rows: Lists = { transactions: [], transfers: [], logs: [] }
  for (const { transactions } of prepared) for (const one of transactions) addTransaction(one, rows)
  return { blocks: prepared.map(recordOf), ...rows }
}

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

/**
 * The part of {@link make} that is about tokens and their owners.
 *
 * @category constructors
 */
export const ownershipOf = (
  blocks: ReadonlyArray<WrittenBlock>,
  rows: OwnershipRows,
  prune?: number
): Pick<ChangeSet, "ownership" | "undo" | "pruned"> => {
  const undo: Array<NewRow<typeof ownershipUndo.fields>> = []
  const add = ({ isFinal = false, prepared: { header } }: WrittenBlock, writes: OwnershipWrites): void => {
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
