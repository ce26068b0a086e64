import type { PresetRecord } from "../../PresetRecord.js"
import { integer, text } from "./Cell.js"
import type { Driver, Row, Statement } from "./Driver.js"
import type { ChainId } from "./Schema.js"

/** Reads and writes the presets of one chain. Presets are no part of the chain: a revert leaves them alone. */
export class PresetStore {
  readonly #insert: Statement
  readonly #all: Statement
  readonly #one: Statement
  readonly #drop: Statement

  constructor(driver: Driver, c: ChainId) {
    this.#insert = driver.prepare(
      `INSERT INTO presets_${c} (name, accounts, contracts) VALUES (?1, ?2, ?3) RETURNING id`
    )
    this.#all = driver.prepare(`SELECT id, name, accounts, contracts FROM presets_${c} ORDER BY id`)
    this.#one = driver.prepare(`SELECT id, name, accounts, contracts FROM presets_${c} WHERE id = ?1`)
    this.#drop = driver.prepare(`DELETE FROM presets_${c} WHERE id = ?1 RETURNING id`)
  }

  add(preset: Omit<PresetRecord, "id">): PresetRecord {
    const row = this.#insert.all(preset.name, JSON.stringify(preset.accounts), JSON.stringify(preset.contracts))[0]
    return { id: row === undefined ? 0 : integer(row, 0), ...preset }
  }

  list(): ReadonlyArray<PresetRecord> {
    return this.#all.all().map(readPreset)
  }

  get(id: number): PresetRecord | undefined {
    const row = this.#one.all(id)[0]
    return row && readPreset(row)
  }

  /** True when there was such a preset. */
  remove(id: number): boolean {
    return this.#drop.all(id).length > 0
  }
}

const readPreset = (row: Row): PresetRecord => ({
  id: integer(row, 0),
  name: text(row, 1),
  accounts: JSON.parse(text(row, 2)),
  contracts: JSON.parse(text(row, 3))
})
