import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { LogFilter } from "../rpc/logs.js"
import { randomId } from "../rpc/randomId.js"

/** What a filter has to report: blocks, transactions or logs. */
export type Watched =
  | { readonly kind: "blocks" }
  | { readonly kind: "transactions"; told: number }
  | { readonly kind: "logs"; readonly filter: LogFilter }

/** A filter that its client polls. */
export interface Filter {
  readonly watched: Watched
  /** The first block that it has not reported. */
  next: number
  /** How often the chain had been set back then. */
  setBacks: number
}

/** How many filters a chain may have at one time, and after how many milliseconds without a poll one is forgotten. */
export const filterLimits = { filters: 1_000, idle: 300_000 }

/** The filters of a chain's clients. */
export class Filters {
  readonly #filters = new Map<string, { readonly filter: Filter; usedAt: number }>()

  /** Adds a filter, and gives its identifier; undefined if there are too many. */
  add(filter: Filter, now: number): Hex | undefined {
    for (const [id, { usedAt }] of this.#filters) if (now - usedAt > filterLimits.idle) this.#filters.delete(id)
    if (this.#filters.size >= filterLimits.filters) return undefined
    const id = randomId()
    this.#filters.set(id, { filter, usedAt: now })
    return id
  }

  /** Finds a filter that was used lately. */
  get(id: string, now: number): Filter | undefined {
    const found = this.#filters.get(id)
    if (found === undefined || now - found.usedAt > filterLimits.idle) {
      this.#filters.delete(id)
      return undefined
    }
    found.usedAt = now
    return found.filter
  }

  remove(id: string): boolean {
    return this.#filters.delete(id)
  }
}
