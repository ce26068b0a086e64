import type { Hex } from "@effect-klaytn/transaction/Hex"
import { type AccountRecord, decodeAccount, encodeAccount } from "../state/AccountRecord.js"
import type { JournalState, StateChange } from "../state/JournalState.js"
import { bytes, optional, toHex } from "./Cell.js"
import type { Driver, Row, Statement } from "./Driver.js"
import type { ChainId } from "./Schema.js"

const keyOf = (address: string, slot: string): Uint8Array => Buffer.from(address.slice(2) + slot, "hex")

const encode = (value: AccountRecord | Uint8Array): Uint8Array =>
  value instanceof Uint8Array ? value : encodeAccount(value)

const optionalBytes = optional(bytes)

/** Reads and writes the world state of one chain: the newest value of everything, and what each block found before it. */
export class StateStore {
  readonly #all: Statement
  readonly #codes: Statement
  readonly #write: Statement
  readonly #drop: Statement
  readonly #writeHistory: Statement
  readonly #readHistory: Statement
  readonly #changedSince: Statement
  readonly #dropHistory: Statement
  readonly #writeCode: Statement

  constructor(driver: Driver, c: ChainId) {
    this.#all = driver.prepare(`SELECT key, value FROM state_${c}`)
    this.#codes = driver.prepare("SELECT hash, code FROM codes")
    this.#write = driver.prepare(`INSERT OR REPLACE INTO state_${c} (key, value) VALUES (?1, ?2)`)
    this.#drop = driver.prepare(`DELETE FROM state_${c} WHERE key = ?1`)
    this.#writeHistory = driver.prepare(`INSERT INTO state_history_${c} (key, block, previous) VALUES (?1, ?2, ?3)`)
    this.#readHistory = driver.prepare(
      `SELECT previous FROM state_history_${c} WHERE key = ?1 AND block > ?2 ORDER BY block LIMIT 1`
    )
    this.#changedSince = driver.prepare(
      `SELECT key, min(block), previous FROM state_history_${c} WHERE block > ?1 GROUP BY key`
    )
    this.#dropHistory = driver.prepare(`DELETE FROM state_history_${c} WHERE block > ?1`)
    this.#writeCode = driver.prepare("INSERT OR IGNORE INTO codes (hash, code) VALUES (?1, ?2)")
  }

  /** Fills a state with everything stored. */
  load(state: JournalState): void {
    for (const row of this.#codes.all()) state.restoreCode(toHex(bytes(row, 0)).slice(2), bytes(row, 1))
    for (const row of this.#all.all()) {
      const { address, slot, value } = entryOf(row, bytes(row, 1))
      state.restore(address, slot, value)
    }
  }

  /** Stores what a block changed. */
  write(block: number, changes: ReadonlyArray<StateChange>, codes: ReadonlyMap<string, Uint8Array>): void {
    for (const [hash, code] of codes) this.#writeCode.run(Buffer.from(hash, "hex"), code)
    for (const { address, after, before, slot } of changes) {
      const key = keyOf(address, slot)
      this.#writeHistory.run(key, block, before === undefined ? null : encode(before))
      if (after === undefined) this.#drop.run(key)
      else this.#write.run(key, encode(after))
    }
  }

  /** Everything that changed after a block, with its value at the end of that block. */
  changedSince(block: number): ReadonlyArray<StateEntry> {
    return this.#changedSince.all(block).map((row) => entryOf(row, optionalBytes(row, 2)))
  }

  /** Takes the stored state back to the end of a block; the result does the same to the state in memory. */
  revert(block: number): (state: JournalState) => void {
    const entries = this.changedSince(block)
    for (const { address, slot, value } of entries) {
      if (value === undefined) this.#drop.run(keyOf(address, slot))
      else this.#write.run(keyOf(address, slot), encode(value))
    }
    this.#dropHistory.run(block)
    return (state) => {
      for (const { address, slot, value } of entries) state.restore(address, slot, value)
    }
  }

  /**
   * The thing at the end of a block, if a later block changed it; nothing when none did, so that the newest value holds.
   */
  before(block: number, address: Hex, slot = ""): StateEntry | undefined {
    const row = this.#readHistory.all(keyOf(address, slot), block)[0]
    return row && { address, slot, value: valueOf(slot, optionalBytes(row, 0)) }
  }
}

/** One thing of the state with its value. */
export interface StateEntry {
  readonly address: string
  readonly slot: string
  readonly value: AccountRecord | Uint8Array | undefined
}

const valueOf = (slot: string, value: Uint8Array | undefined): AccountRecord | Uint8Array | undefined =>
  value === undefined || slot !== "" ? value : decodeAccount(value)

const entryOf = (row: Row, value: Uint8Array | undefined): StateEntry => {
  const key = toHex(bytes(row, 0))
  const slot = key.slice(42)
  return { address: key.slice(0, 42), slot, value: valueOf(slot, value) }
}
