import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { AccessList } from "../Call.js"

/** Accessed addresses and slots, in order of their first access. */
export class Touched {
  readonly #slots = new Map<Hex, Set<Hex>>()

  /** Begins with a list. Excluded addresses are included only if they have slots. */
  constructor(readonly excluded: ReadonlySet<Hex>, list: AccessList) {
    for (const { address, storageKeys } of list) {
      this.address(address)
      for (const slot of storageKeys) this.slot(address, slot)
    }
  }

  /** Number of addresses and slots. */
  get size(): number {
    return [...this.#slots.values()].reduce((size, slots) => size + slots.size, this.#slots.size)
  }

  address(address: Hex): void {
    if (!this.excluded.has(address)) this.#slotsOf(address)
  }

  slot(address: Hex, slot: Hex): void {
    this.#slotsOf(address).add(slot)
  }

  list(): AccessList {
    return Array.from(this.#slots, ([address, slots]) => ({ address, storageKeys: [...slots] }))
  }

  #slotsOf(address: Hex): Set<Hex> {
    const known = this.#slots.get(address)
    if (known !== undefined) return known
    const slots = new Set<Hex>()
    this.#slots.set(address, slots)
    return slots
  }
}
