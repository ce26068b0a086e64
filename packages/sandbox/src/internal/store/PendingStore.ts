import type { Hex } from "@effect-klaytn/transaction/Hex"
import { blob, hex, integer, optional, text } from "./Cell.js"
import type { Driver, Row, Statement } from "./Driver.js"
import type { ChainId } from "./Schema.js"
import type { Pending, PendingPayer, Stretch } from "./WalletRecord.js"
import { readKeys } from "./WalletStore.js"

const columns = "id, transaction_id, account, raw, payer, threshold, keys, status, hash AS sent_hash, created, updated"

const payerOf = (stored: string): PendingPayer =>
  stored === "sender" || stored === "global" ? stored : `0x${stored.slice(2)}`

const readPending = (row: Row): Pending => ({
  id: integer(row, 0),
  transactionId: hex(row, 1),
  account: hex(row, 2),
  raw: hex(row, 3),
  payer: payerOf(text(row, 4)),
  multiSig: { threshold: integer(row, 5), keys: readKeys(text(row, 6)) },
  status: integer(row, 7),
  hash: optional(hex)(row, 8),
  createdAt: integer(row, 9),
  updatedAt: integer(row, 10)
})

/** Reads and writes the multisig transactions of one chain's wallet, those that wait and those that were sent. */
export class PendingStore {
  readonly #insert: Statement
  readonly #one: Statement
  readonly #list: Statement
  readonly #update: Statement

  constructor(driver: Driver, c: ChainId) {
    this.#insert = driver.prepare(
      `INSERT INTO wallet_pending_${c} (transaction_id, account, raw, payer, threshold, keys, status, created, updated)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)`
    )
    this.#one = driver.prepare(`SELECT ${columns} FROM wallet_pending_${c} WHERE transaction_id = ?1`)
    this.#list = driver.prepare(
      `SELECT ${columns} FROM wallet_pending_${c}
        WHERE id < ?1 AND created >= ?2 AND created <= ?3 AND status = ?4 ORDER BY id DESC`
    )
    this.#update = driver.prepare(
      `UPDATE wallet_pending_${c} SET raw = ?2, status = ?3, hash = ?4, updated = ?5 WHERE id = ?1`
    )
  }

  add(pending: Omit<Pending, "id" | "hash" | "createdAt" | "updatedAt">, now: number): void {
    const { account, multiSig, payer, raw, status, transactionId } = pending
    this.#insert.run(
      blob(transactionId),
      blob(account),
      blob(raw),
      payer,
      multiSig.threshold,
      JSON.stringify(multiSig.keys),
      status,
      now
    )
  }

  get(transactionId: Hex): Pending | undefined {
    const row = this.#one.all(blob(transactionId))[0]
    return row && readPending(row)
  }

  /** Those of a status that somebody is concerned with, newest first. */
  list(status: number, isMine: (pending: Pending) => boolean, stretch: Stretch): ReadonlyArray<Pending> {
    return this.#list.all(
      stretch.before ?? Number.MAX_SAFE_INTEGER,
      stretch.from ?? 0,
      stretch.to ?? Number.MAX_SAFE_INTEGER,
      status
    ).map(readPending).filter(isMine).slice(0, stretch.limit)
  }

  /** Writes a pending transaction's new signatures and what became of it. */
  update(pending: Pending, change: Pick<Pending, "raw" | "status" | "hash">, now: number): void {
    this.#update.run(
      pending.id,
      blob(change.raw),
      change.status,
      change.hash === undefined ? null : blob(change.hash),
      now
    )
  }
}
