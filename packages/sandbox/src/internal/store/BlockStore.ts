import type { Driver } from "./Driver.js"
import type { ExecutedBlock, ExecutedTransaction } from "./ExecutedBlock.js"
import type { OwnershipIndex } from "./OwnershipIndex.js"
import { blocks, type ChainId, keyOf, logs, transactions, transfers } from "./Schema.js"
import type { StateStore } from "./StateStore.js"
import { fromTransfer } from "./TransferStore.js"

/** Writes and reverts blocks of one chain, each in one database transaction. */
export class BlockStore {
  readonly #driver: Driver
  readonly #c: ChainId
  readonly #state: StateStore
  readonly #ownership: OwnershipIndex
  readonly #insertBlock
  readonly #insertTransaction
  readonly #insertLog
  readonly #insertTransfer

  constructor(driver: Driver, c: ChainId, state: StateStore, ownership: OwnershipIndex) {
    this.#driver = driver
    this.#c = c
    this.#state = state
    this.#ownership = ownership
    this.#insertBlock = blocks.of(c).insert(driver)
    this.#insertTransaction = transactions.of(c).insert(driver)
    this.#insertLog = logs.of(c).insert(driver)
    this.#insertTransfer = transfers.of(c).insert(driver)
  }

  /** Stores the whole block, or fails and stores nothing. */
  write({ answers, block, changes, codes, contracts, transactions, uris }: ExecutedBlock): void {
    this.#atomically(() => {
      this.#insertBlock(block)
      for (const contract of contracts) this.#ownership.introduce(block.number, contract)
      const firstTransfers: Array<number> = []
      let [logCount, transferCount] = [0, 0]
      for (const transaction of transactions) {
        firstTransfers.push(keyOf(block.number, transferCount))
        this.#write(transaction, logCount, transferCount)
        logCount += transaction.logs.length
        transferCount += transaction.transfers.length
      }
      this.#ownership.settle(answers, (transaction) => firstTransfers[transaction] ?? keyOf(block.number, 0))
      for (const { contract, tokenId, uri } of uris) this.#ownership.describe(contract, tokenId, uri)
      this.#ownership.flush(block.number)
      this.#state.write(block.number, changes, codes)
    })
  }

  /** Removes every block above a height; the result reverts the state in memory to that height. */
  revert(height: number): ReturnType<StateStore["revert"]> {
    return this.#atomically(() => {
      const first = keyOf(height + 1, 0)
      for (const table of ["transfers", "logs", "transactions"]) {
        this.#driver.prepare(`DELETE FROM ${table}_${this.#c} WHERE id >= ?1`).run(first)
      }
      this.#ownership.revert(height)
      this.#driver.prepare(`DELETE FROM contracts_${this.#c} WHERE block > ?1`).run(height)
      const restore = this.#state.revert(height)
      this.#driver.prepare(`DELETE FROM blocks_${this.#c} WHERE number > ?1`).run(height)
      return restore
    })
  }

  #atomically<A>(write: () => A): A {
    this.#driver.exec("BEGIN IMMEDIATE")
    try {
      const result = write()
      this.#driver.exec("COMMIT")
      return result
    } catch (cause) {
      this.#ownership.clear()
      // The database may already have rolled back on its own; the original cause is what matters.
      try {
        this.#driver.exec("ROLLBACK")
      } catch { /* No transaction is open any more. */ }
      throw cause
    }
  }

  /** Writes a transaction, given how many logs and transfers its block has before it. */
  #write(transaction: ExecutedTransaction, logsBefore: number, transfersBefore: number): void {
    const { blockNumber, hash, logs, senderTxHash, transactionIndex, transfers } = transaction
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
      this.#ownership.apply(id, transfer)
    }
    for (const [index, { address, data, topics: [topic0, topic1, topic2, topic3] }] of logs.entries()) {
      this.#insertLog({ id: keyOf(blockNumber, logsBefore + index), tx, address, topic0, topic1, topic2, topic3, data })
    }
  }
}
