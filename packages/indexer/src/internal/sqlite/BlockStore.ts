import { keyOf, slotsPerBlock } from "../../BlockKey.js"
import type { BlockRecord } from "../../BlockRecord.js"
import type { Driver } from "../../Driver.js"
import type { ScopeFilter } from "../../IndexScope.js"
import { blocks, logs, transactions, transfers } from "../../IndexTables.js"
import { keysOf, writesOf } from "../../Ownership.js"
import type { IndexedBlock, IndexedTransaction } from "../IndexedBlock.js"
import type { OwnershipStore } from "./OwnershipStore.js"
import { fromTransfer } from "./TransferStore.js"

/** Writes and reverts blocks of one chain. */
export class BlockStore {
  readonly #insertBlock
  readonly #insertTransaction
  readonly #insertLog
  readonly #insertTransfer
  readonly #deleteEmpty
  /** The last block up to which blocks without kept transactions were removed by this process. */
  #emptied: number

  constructor(
    private readonly driver: Driver,
    private readonly c: number,
    private readonly scope: ScopeFilter,
    private readonly ownership: OwnershipStore
  ) {
    this.#emptied = scope.firstBlock
    this.#deleteEmpty = driver.prepare(
      `DELETE FROM blocks_${c} WHERE number > ?1 AND number <= ?2 AND NOT EXISTS (
         SELECT 1 FROM transactions_${c} x
         WHERE x.id >= number * ${slotsPerBlock} AND x.id < (number + 1) * ${slotsPerBlock})`
    )
    this.#insertBlock = blocks.of(c).insert(driver)
    this.#insertTransaction = transactions.of(c).insert(driver)
    this.#insertLog = logs.of(c).insert(driver)
    this.#insertTransfer = transfers.of(c).insert(driver)
  }

  /** Runs writes of blocks and answers, inside the caller's transaction. */
  together<A>(write: () => A): A {
    return this.ownership.together(write)
  }

  /** Adds the rows of a block, inside {@link together}. One that is final can't be reverted. */
  write(prepared: IndexedBlock, isFinal = false): BlockRecord {
    const { header, transactions } = prepared
    const { baseFeePerGas, gasLimit, miner, mixHash } = header
    const transferCount = transactions.reduce((count, { transfers }) => count + transfers.length, 0)
    const block: BlockRecord = { ...header, baseFeePerGas, gasLimit, miner, mixHash, transferCount }
    this.#insertBlock(block)
    for (const transaction of transactions) this.#write(transaction)
    this.#writeOwnership(prepared, isFinal)
    if (isFinal) this.#removeEmpty(header.number - 1)
    return block
  }

  /** Adds what contracts answered about earlier blocks to the newest one, inside {@link together}. */
  answer(prepared: IndexedBlock): void {
    this.#writeOwnership(prepared, false)
  }

  #writeOwnership(prepared: IndexedBlock, isFinal: boolean): void {
    const writes = writesOf(prepared, this.ownership.rows(keysOf(prepared)))
    this.ownership.write(prepared.header.number, writes, isFinal)
  }

  /** Removes every block above a height, inside the caller's transaction. */
  revert(height: number): void {
    const first = keyOf(height + 1, 0)
    for (const table of ["transfers", "logs", "transactions"]) {
      this.driver.prepare(`DELETE FROM ${table}_${this.c} WHERE id >= ?1`).run(first)
    }
    this.ownership.revert(height)
    this.driver.prepare(`DELETE FROM contracts_${this.c} WHERE block > ?1`).run(height)
    this.driver.prepare(`DELETE FROM blocks_${this.c} WHERE number > ?1`).run(height)
  }

  /** Forgets how to revert the blocks up to a height, inside the caller's transaction. */
  prune(height: number): void {
    this.ownership.prune(height)
    this.#removeEmpty(height)
  }

  /**
   * Removes blocks that can't be reverted any more and have no transaction, if the scope leaves out most of the chain: the
   * rows of all blocks would be most of the file. The first block stays, because its time is where the index begins.
   */
  #removeEmpty(height: number): void {
    if (this.scope.accounts === undefined || height <= this.#emptied) return
    this.#deleteEmpty.run(this.#emptied, height)
    this.#emptied = height
  }

  #write(transaction: IndexedTransaction): void {
    const { blockNumber, hash, logs, logsBefore, senderTxHash, transactionIndex, transfers, transfersBefore } =
      transaction
    const tx = keyOf(blockNumber, transactionIndex)
    this.#insertTransaction({
      ...transaction,
      id: tx,
      senderTxHash: senderTxHash === hash ? undefined : senderTxHash,
      firstLog: keyOf(blockNumber, logsBefore),
      logCount: logs.length,
      firstTransfer: keyOf(blockNumber, transfersBefore),
      transferCount: transfers.length
    })
    for (const [index, transfer] of transfers.entries()) {
      const id = keyOf(blockNumber, transfersBefore + index)
      this.#insertTransfer({ id, tx, ...fromTransfer(transfer) })
    }
    for (const [index, { address, data, topics: [topic0, topic1, topic2, topic3] }] of logs.entries()) {
      this.#insertLog({ id: keyOf(blockNumber, logsBefore + index), tx, address, topic0, topic1, topic2, topic3, data })
    }
  }
}
