import type { Hex } from "@effect-klaytn/transaction/Hex"
import { blob, blobOrNull } from "./Cell.js"
import type { Driver, Row, SqlValue, Statement } from "./Driver.js"

/** Where a row stands. */
export interface Place {
  readonly contract: Hex
  readonly owner: Hex | undefined
  readonly token: string
}

/** A row as it was before the block and as it is now. */
export interface Slot<A> extends Place {
  readonly before: A | undefined
  now: A | undefined
  /** The last transfer of the block that named it. */
  named: number | undefined
}

/** How rows are kept. */
export interface TableShape<A> {
  readonly table: string
  /** The columns of its key, in their order. */
  readonly key: ReadonlyArray<"address" | "contract" | "owner" | "token">
  readonly columns: ReadonlyArray<string>
  readonly read: (row: Row) => A
  readonly write: (value: A) => ReadonlyArray<SqlValue>
}

/**
 * Rows of one table that a block touches: each is read once, changed in memory, and written at the block's end, with what
 * it was before, so that the block can be taken back.
 */
export class LedgerTable<A> {
  readonly #slots = new Map<string, Slot<A>>()
  readonly #shape: TableShape<A>
  readonly #read: Statement
  readonly #write: Statement
  readonly #drop: Statement

  constructor(driver: Driver, shape: TableShape<A>) {
    this.#shape = shape
    const { columns, key, table } = shape
    const where = key.map((column, index) => `${column} = ?${index + 1}`).join(" AND ")
    const all = [...key, ...columns]
    this.#read = driver.prepare(`SELECT ${columns.join(", ")} FROM ${table} WHERE ${where}`)
    this.#drop = driver.prepare(`DELETE FROM ${table} WHERE ${where}`)
    this.#write = driver.prepare(
      `INSERT INTO ${table} (${all.join(", ")}) VALUES (${all.map((_, index) => `?${index + 1}`).join(", ")})
       ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(", ")}`
    )
  }

  slot(place: Place): Slot<A> {
    const id = `${place.contract}${place.owner ?? ""}${place.token}`
    const known = this.#slots.get(id)
    if (known !== undefined) return known
    const row = this.#read.all(...this.#key(place))[0]
    const before = row && this.#shape.read(row)
    const slot = { ...place, before, now: before, named: undefined }
    this.#slots.set(id, slot)
    return slot
  }

  /** All that the block has asked for. */
  slots(): Iterable<Slot<A>> {
    return this.#slots.values()
  }

  /** Writes what changed; each change is told before. */
  flush(changed: (slot: Slot<A>) => void): void {
    for (const slot of this.#slots.values()) {
      if (slot.now === slot.before) continue
      changed(slot)
      this.put(slot, slot.now)
    }
  }

  put(place: Place, value: A | undefined): void {
    if (value === undefined) this.#drop.run(...this.#key(place))
    else this.#write.run(...this.#key(place), ...this.#shape.write(value))
  }

  clear(): void {
    this.#slots.clear()
  }

  #key(place: Place): ReadonlyArray<SqlValue> {
    return this.#shape.key.map((column) =>
      column === "token" ? place.token : column === "owner" ? blobOrNull(place.owner) : blob(place.contract)
    )
  }
}
