import type { Hex } from "@effect-klaytn/transaction/Hex"
import { blob, hex, integer } from "./Cell.js"
import type { Driver, Statement } from "./Driver.js"
import type { ChainId } from "./Schema.js"

/** Where a transaction stands in the ledger; later ones have higher numbers. */
export interface FeeEntry {
  readonly id: number
  readonly hash: Hex
}

/** A stretch of the ledger, newest first. */
export interface FeeQuery {
  readonly feePayer: Hex
  /** Only transactions of this sender. */
  readonly from?: Hex | undefined
  /** Only what stands before this entry. */
  readonly before?: number | undefined
  readonly limit: number
}

/** Reads which transactions of one chain a fee payer has paid for. What is taken back from the chain is gone here too. */
export class FeeLedger {
  readonly #list: Statement
  readonly #one: Statement

  constructor(driver: Driver, c: ChainId) {
    this.#list = driver.prepare(
      `SELECT id, hash FROM transactions_${c}
        WHERE fee_payer = ?1 AND id < ?2 AND (?3 IS NULL OR sender = ?3) ORDER BY id DESC LIMIT ?4`
    )
    this.#one = driver.prepare(`SELECT id, hash FROM transactions_${c} WHERE hash = ?1 AND fee_payer = ?2`)
  }

  list({ before, feePayer, from, limit }: FeeQuery): ReadonlyArray<FeeEntry> {
    return this.#list.all(
      blob(feePayer),
      before ?? Number.MAX_SAFE_INTEGER,
      from === undefined ? null : blob(from),
      limit
    ).map((row) => ({ id: integer(row, 0), hash: hex(row, 1) }))
  }

  /** The entry of a transaction; nothing when somebody else paid for it. */
  entry(hash: Hex, feePayer: Hex): FeeEntry | undefined {
    const row = this.#one.all(blob(hash), blob(feePayer))[0]
    return row && { id: integer(row, 0), hash: hex(row, 1) }
  }
}
