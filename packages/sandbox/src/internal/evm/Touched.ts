import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { AccessList } from "../../Call.js"

/** Addresses and slots in the order in which they were named. It only grows. */
export class Touched {
  readonly #slots = new Map<Hex, Set<Hex>>()
  #size = 0

  /** Starts with a list. Addresses that are excluded are in it for their slots only. */
  constructor(readonly excluded: ReadonlySet<Hex>, list: AccessList) {
    for (const { address, storageKeys } of list) {
      this.address(address)
      for (const slot of storageKeys) this.slot(address, slot)
    }
  }

  /** How many addresses and slots there are. */
  get size(): number {
    return this.#size
  }

  address(address: Hex): void {
    if (!this.excluded.has(address)) this.#slotsOf(address)
  }

  slot(address: Hex, slot: Hex): void {
    const slots = this.#slotsOf(address)
    if (slots.has(slot)) return
    slots.add(slot)
    this.#size++
  }

  list(): AccessList {
    return Array.from(this.#slots, ([address, slots]) => ({ address, storageKeys: [...slots] }))
  }

  #slotsOf(address: Hex): Set<Hex> {
    const known = this.#slots.get(address)
    if (known !== undefined) return known
    const slots = new Set<Hex>()
    this.#slots.set(address, slots)
    this.#size++
    return slots
  }
}
