import type { WaitingTransaction } from "@effect-klaytn/local-chain/ChainStorage"
import type { Driver } from "@effect-klaytn/store/Driver"
import { select } from "@effect-klaytn/store/Query"
import { waiting } from "./Schema.js"

/** Keeps the waiting transactions of one chain between two processes. */
export class WaitingStore {
  readonly #driver: Driver
  readonly #c: number
  readonly #insert

  constructor(driver: Driver, c: number) {
    this.#driver = driver
    this.#c = c
    this.#insert = waiting.of(c).insert(driver)
  }

  /** Replaces all, in their order. */
  put(transactions: ReadonlyArray<WaitingTransaction>): void {
    this.#clear()
    for (const { from, ...rest } of transactions) this.#insert({ ...rest, sender: from })
  }

  /** Returns all, in their order, and removes them. */
  take(): ReadonlyArray<WaitingTransaction> {
    const rows = select(this.#driver, waiting.as("w"), `FROM waiting_${this.#c} w ORDER BY w.id`).all()
    this.#clear()
    return rows.map(({ isUnsigned, raw, sender }) => ({ raw, from: sender, isUnsigned }))
  }

  #clear(): void {
    this.#driver.prepare(`DELETE FROM waiting_${this.#c}`).run()
  }
}
