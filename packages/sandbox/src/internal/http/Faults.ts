import { isNamedBy } from "@effect-klaytn/service/Route"
import type { ActiveFault, Fault } from "../../Fault.js"

/** The faults in force, oldest first. */
export class Faults {
  #active: ReadonlyArray<ActiveFault> = []
  #last = 0

  list(): ReadonlyArray<ActiveFault> {
    return this.#active
  }

  add(fault: Fault): ActiveFault {
    const active = { id: ++this.#last, ...fault, left: fault.times ?? 1 }
    this.#active = [...this.#active, active]
    return active
  }

  remove(id: number): boolean {
    const before = this.#active.length
    this.#active = this.#active.filter((fault) => fault.id !== id)
    return this.#active.length < before
  }

  clear(): void {
    this.#active = []
  }

  /** Takes the first fault that matches a request, and counts it as applied. */
  take(operations: ReadonlyArray<string>, chainId: number | undefined): ActiveFault | undefined {
    const fault = this.#active.find(({ chainId: wanted, operation }) =>
      (wanted === undefined || wanted === chainId) &&
      (operation === undefined || operations.some((name) => isNamedBy(operation, name)))
    )
    if (fault !== undefined) {
      this.#active = this.#active.flatMap((one) =>
        one !== fault ? [one] : one.left > 1 ? [{ ...one, left: one.left - 1 }] : []
      )
    }
    return fault
  }
}
