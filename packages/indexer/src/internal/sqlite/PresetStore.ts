import { integer } from "@effect-klaytn/store/Column"
import type { Driver } from "@effect-klaytn/store/Driver"
import { expression, select } from "@effect-klaytn/store/Query"
import { presets } from "../../IndexTables.js"
import type { PresetRecord } from "../../TransferRecord.js"

const inserted = { id: expression("last_insert_rowid()", integer) }

/** Reads and writes the presets of one chain. They are not part of the chain: a revert does not change them. */
export class PresetStore {
  readonly #insert
  readonly #inserted
  readonly #all
  readonly #find
  readonly #remove

  constructor(driver: Driver, c: number) {
    const table = presets.of(c)
    this.#insert = table.insert(driver)
    this.#inserted = select(driver, inserted, "")
    this.#all = select(driver, presets.as("p"), `FROM presets_${c} p ORDER BY p.id`)
    this.#find = table.find(driver)
    this.#remove = table.remove(driver)
  }

  add(preset: Omit<PresetRecord, "id">): PresetRecord {
    this.#insert(preset)
    return { id: this.#inserted.first()?.id ?? 0, ...preset }
  }

  list(): ReadonlyArray<PresetRecord> {
    return this.#all.all()
  }

  get(id: number): PresetRecord | undefined {
    const found = this.#find({ id })
    return found && { id, ...found }
  }

  /** True when there was such a preset. */
  remove(id: number): boolean {
    const isThere = this.get(id) !== undefined
    this.#remove({ id })
    return isThere
  }
}
