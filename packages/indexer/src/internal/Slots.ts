import type { RowChange } from "../Ownership.js"

/** A row without its key, as it was before the block and as it is now. */
export interface Slot<Key, A> extends RowChange<Key, A> {
  now: A | undefined
  /** The last transfer of the block that concerns it. */
  named: number | undefined
}

/** The text that identifies a row by the parts of its key. */
export const idBy = <Key extends object>(names: ReadonlyArray<keyof Key & string>) => (key: Key): string => {
  let id = ""
  for (const name of names) id += key[name]
  return id
}

/** The rows of a table that a block touches, each as it was before the block and as it is now. */
export class Slots<Key extends object, A extends object> {
  readonly #slots = new Map<string, Slot<Key, A>>()
  readonly #idOf

  constructor(key: ReadonlyArray<keyof Key & string>, private readonly rows: ReadonlyMap<string, A>) {
    this.#idOf = idBy(key)
  }

  slot(key: Key): Slot<Key, A> {
    const id = this.#idOf(key)
    const known = this.#slots.get(id)
    if (known !== undefined) return known
    const before = this.rows.get(id)
    const slot: Slot<Key, A> = { key, before, now: before, named: undefined }
    this.#slots.set(id, slot)
    return slot
  }

  /** All rows that were touched. */
  all(): Iterable<Slot<Key, A>> {
    return this.#slots.values()
  }

  /** The rows that changed. */
  changes(): ReadonlyArray<RowChange<Key, A>> {
    return [...this.#slots.values()].filter(({ before, now }) => now !== before)
  }
}
