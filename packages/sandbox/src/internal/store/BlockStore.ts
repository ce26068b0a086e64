import type { BlockRecord } from "../../BlockRecord.js"
import { amountBlob, blob, blobOrNull } from "./Cell.js"
import type { Driver, Statement } from "./Driver.js"
import type { DraftTransfer, ExecutedBlock, ExecutedTransaction } from "./ExecutedBlock.js"
import type { OwnershipIndex } from "./OwnershipIndex.js"
import { type ChainId, keyOf, transferClass } from "./Schema.js"
import type { StateStore } from "./StateStore.js"
import { writeBatch } from "./TransferStore.js"

/** Writes blocks of one chain, and takes them back. Everything of a block is one database transaction. */
export class BlockStore {
  readonly #driver: Driver
  readonly #c: ChainId
  readonly #state: StateStore
  readonly #ledger: OwnershipIndex
  readonly #block: Statement
  readonly #transaction: Statement
  readonly #log: Statement
  readonly #transfer: Statement

  constructor(driver: Driver, c: ChainId, state: StateStore, ledger: OwnershipIndex) {
    this.#driver = driver
    this.#c = c
    this.#state = state
    this.#ledger = ledger
    this.#block = driver.prepare(`INSERT INTO blocks_${c} VALUES (${places(12)})`)
    this.#transaction = driver.prepare(`INSERT INTO transactions_${c} VALUES (${places(23)})`)
    this.#log = driver.prepare(`INSERT INTO logs_${c} VALUES (${places(8)})`)
    this.#transfer = driver.prepare(`INSERT INTO transfers_${c} VALUES (${places(9)})`)
  }

  /** Stores a block whole, or fails and stores nothing. */
  write(executed: ExecutedBlock): void {
    this.#atomically(() => {
      const { block } = executed
      this.#writeBlock(block)
      for (const contract of executed.contracts) this.#ledger.introduce(block.number, contract)
      let logs = 0
      let transfers = 0
      const firstTransfers: Array<number> = []
      for (const transaction of executed.transactions) {
        const tx = keyOf(block.number, transaction.transactionIndex)
        firstTransfers.push(keyOf(block.number, transfers))
        this.#writeTransaction(transaction, keyOf(block.number, logs), keyOf(block.number, transfers))
        for (const draft of transaction.transfers) {
          const transfer = keyOf(block.number, transfers++)
          this.#writeTransfer(transfer, tx, draft)
          this.#ledger.apply(transfer, draft)
        }
        for (const { address, data, topics: [topic0, topic1, topic2, topic3] } of transaction.logs) {
          this.#log.run(
            keyOf(block.number, logs++),
            tx,
            blob(address),
            blobOrNull(topic0),
            blobOrNull(topic1),
            blobOrNull(topic2),
            blobOrNull(topic3),
            data
          )
        }
      }
      this.#ledger.settle(executed.answers, (transaction) => firstTransfers[transaction] ?? keyOf(block.number, 0))
      for (const { contract, tokenId, uri } of executed.uris) this.#ledger.describe(contract, tokenId, uri)
      this.#ledger.flush(block.number)
      this.#state.write(block.number, executed.changes, executed.codes)
    })
  }

  /** Takes back every block above a height; the result puts the state in memory to that height. */
  revert(height: number): ReturnType<StateStore["revert"]> {
    return this.#atomically(() => {
      const first = keyOf(height + 1, 0)
      for (const table of ["transfers", "logs", "transactions"]) {
        this.#driver.prepare(`DELETE FROM ${table}_${this.#c} WHERE id >= ?1`).run(first)
      }
      this.#ledger.revert(height)
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
      this.#ledger.clear()
      // The database may have rolled back on its own; what matters is the cause.
      try {
        this.#driver.exec("ROLLBACK")
      } catch { /* nothing was open any more */ }
      throw cause
    }
  }

  #writeBlock(block: BlockRecord): void {
    this.#block.run(
      block.number,
      blob(block.hash),
      blob(block.parentHash),
      block.timestamp,
      Number(block.gasUsed),
      blob(block.logsBloom),
      blob(block.stateRoot),
      blob(block.transactionsRoot),
      blob(block.receiptsRoot),
      block.size,
      block.transactionCount,
      block.transferCount
    )
  }

  #writeTransaction(transaction: ExecutedTransaction, firstLog: number, firstTransfer: number): void {
    this.#transaction.run(
      keyOf(transaction.blockNumber, transaction.transactionIndex),
      blob(transaction.hash),
      transaction.senderTxHash === transaction.hash ? null : blob(transaction.senderTxHash),
      transaction.typeInt,
      blob(transaction.from),
      blobOrNull(transaction.to),
      amountBlob(transaction.value),
      Number(transaction.nonce),
      Number(transaction.gas),
      amountBlob(transaction.gasPrice),
      Number(transaction.gasUsed),
      Number(transaction.cumulativeGasUsed),
      amountBlob(transaction.fee),
      blobOrNull(transaction.feePayer),
      transaction.feeRatio ?? null,
      transaction.status,
      transaction.txError ?? null,
      blobOrNull(transaction.contractAddress),
      transaction.raw,
      firstLog,
      transaction.logs.length,
      firstTransfer,
      transaction.transfers.length
    )
  }

  #writeTransfer(id: number, tx: number, transfer: DraftTransfer): void {
    const token = transfer.kind === "coin" ? undefined : transfer.contract
    this.#transfer.run(
      id,
      tx,
      transfer.kind === "coin" && transfer.value === 0n ? transferClass.zeroCoin : transferClass[transfer.kind],
      blob(transfer.from),
      blob(transfer.to),
      blobOrNull(token),
      transfer.kind === "mt" ? blob(transfer.operator) : null,
      amountBlob(transfer.kind === "nft" ? transfer.tokenId : transfer.kind === "mt" ? 0n : transfer.value),
      transfer.kind === "mt" ? writeBatch(transfer.ids, transfer.values) : null
    )
  }
}

const places = (count: number): string => Array.from({ length: count }, (_, index) => `?${index + 1}`).join(", ")
