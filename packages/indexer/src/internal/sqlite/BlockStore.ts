import type { Driver } from "@effect-klaytn/store/Driver"
import { keyOf, slotsPerBlock } from "../../BlockKey.js"
import type { ChangeSet } from "../../ChangeSet.js"
import type { ScopeFilter } from "../../IndexScope.js"
import { blocks, logs, transactions, transfers } from "../../IndexTables.js"
import type { OwnershipStore } from "./OwnershipStore.js"

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

  /** Stores changes, inside the caller's transaction. */
  apply({ blocks, logs, ownership, pruned, transactions, transfers, undo }: ChangeSet): void {
    blocks.forEach(this.#insertBlock)
    for (const row of transactions) this.#insertTransaction(row)
    for (const row of transfers) this.#insertTransfer(row)
    for (const row of logs) this.#insertLog(row)
    this.ownership.write(ownership, undo)
    const newest = blocks.at(-1)?.number
    if (pruned === undefined || newest === undefined) return
    this.ownership.prune(pruned)
    // The newest of them stays: it is what the blocks above are reverted to, and compared by.
    this.#removeEmpty(Math.min(pruned, newest) - 1)
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

  /**
   * Removes blocks that can't be reverted any more and have no transaction, if the scope leaves out most of the chain: the
   * rows of all blocks would be most of the file. The first block stays, because its time is where the index begins.
   */
  #removeEmpty(height: number): void {
    if (this.scope.accounts === undefined || height <= this.#emptied) return
    this.#deleteEmpty.run(this.#emptied, height)
    this.#emptied = height
  }
}
