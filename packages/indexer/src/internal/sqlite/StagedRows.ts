import { quantity } from "./Column.js"
import type { Driver } from "./Driver.js"
import type { Fields } from "./Table.js"

/** A row without its key, as it was before the block and as it is now. */
export interface Slot<Key, A> {
  readonly key: Key
  readonly before: A | undefined
  now: A | undefined
  /** The last transfer of the block that concerns it. */
  named: number | undefined
}

/** The part of a table that is used here. */
interface KeyedTable<Key, A> {
  readonly fields: Fields
  readonly options: { readonly primaryKey?: ReadonlyArray<keyof Key & string> }
  readonly find: (driver: Driver) => (key: Key) => A | undefined
  readonly put: (driver: Driver) => (row: Key & A) => void
  readonly remove: (driver: Driver) => (key: Key) => void
}

/**
 * The rows of a table that a block touches. Each is read once, changed in memory and written at the end of the block;
 * what it was before is recorded, so that the block can be reverted.
 */
export class StagedRows<Key extends object, A extends object> {
  readonly #slots = new Map<string, Slot<Key, A>>()
  readonly #table: KeyedTable<Key, A>
  readonly #key: ReadonlyArray<keyof Key & string>
  readonly #find: (key: Key) => A | undefined
  readonly #put: (row: Key & A) => void
  readonly #remove: (key: Key) => void

  constructor(driver: Driver, table: KeyedTable<Key, A>) {
    this.#table = table
    this.#key = table.options.primaryKey ?? []
    this.#find = table.find(driver)
    this.#put = table.put(driver)
    this.#remove = table.remove(driver)
  }

  slot(key: Key): Slot<Key, A> {
    let id = ""
    for (const name of this.#key) id += key[name]
    const known = this.#slots.get(id)
    if (known !== undefined) return known
    const before = this.#find(key)
    const slot: Slot<Key, A> = { key, before, now: before, named: undefined }
    this.#slots.set(id, slot)
    return slot
  }

  /** All rows that the block has read. */
  slots(): Iterable<Slot<Key, A>> {
    return this.#slots.values()
  }

  /** Writes the changed rows, and calls `undo` before each with its previous value as text. */
  flush(undo: (key: Key, previous: string | undefined) => void): void {
    for (const { before, key, now } of this.#slots.values()) {
      if (now === before) continue
      undo(key, before && JSON.stringify(before, writeBigints))
      if (now === undefined) this.#remove(key)
      else this.#put({ ...key, ...now })
    }
  }

  /** Restores a row to its previous value. */
  restore(key: Key, previous: string | undefined): void {
    if (previous === undefined) this.#remove(key)
    else this.#put({ ...key, ...this.#parse(previous) })
  }

  clear(): void {
    this.#slots.clear()
  }

  /** Columns that were added after the text was written get their default. */
  #parse(text: string): A {
    const stored: Readonly<Record<string, unknown>> = JSON.parse(text)
    const fields = Object.entries(this.#table.fields).filter(([name]) => !this.#key.some((part) => part === name))
    const row = fields.map(([name, { decode, fallback, fromJson = decode }]) => {
      const value = stored[name] ?? null
      return [name, value === null && fallback !== undefined ? fallback.value : fromJson(value, name)]
    })
    // All fields but those of the key, each decoded by its column.
    return Object.fromEntries(row)
  }
}

const writeBigints = (_: string, value: unknown): unknown => typeof value === "bigint" ? quantity(value) : value
