import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { ContractLabel } from "../../TokenRecord.js"
import { blob } from "./Cell.js"
import type { Driver, Statement } from "./Driver.js"
import type { ChainId } from "./Schema.js"

/** Writes the labels of one chain that differ from the usual one. They are no part of the chain: a revert leaves them. */
export class LabelStore {
  readonly #write: Statement

  constructor(driver: Driver, c: ChainId) {
    this.#write = driver.prepare(
      `INSERT OR REPLACE INTO labels_${c} (address, status, created, updated, deleted) VALUES (?1, ?2, ?3, ?4, ?5)`
    )
  }

  put(address: Hex, { createdAt, deletedAt, status, updatedAt }: ContractLabel): void {
    this.#write.run(blob(address), status, createdAt, updatedAt, deletedAt ?? null)
  }
}
