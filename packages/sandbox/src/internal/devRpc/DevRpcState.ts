import type { Hex } from "@effect-klaytn/transaction/Hex"
import { randomBytes } from "node:crypto"
import type { DevAccount } from "../../DevAccount.js"
import { Filters } from "./Filters.js"

/** What the interface holds for one chain, beside the chain itself. It ends with the process. */
export class DevRpcState {
  readonly instanceId: Hex = `0x${randomBytes(32).toString("hex")}`
  readonly filters = new Filters()
  readonly #impersonated = new Set<Hex>()
  /** Whether every address may be sent from. */
  impersonatesAll = false

  /** `accounts` lists the development accounts, whose keys the sandbox holds. */
  constructor(readonly accounts: () => ReadonlyArray<DevAccount>) {}

  /** The development account of an address. */
  account(address: Hex): DevAccount | undefined {
    return this.accounts().find((account) => account.address === address)
  }

  /** Whether there was room for the address: at most {@link mostImpersonated} are kept. */
  impersonate(address: Hex): boolean {
    if (this.#impersonated.size >= mostImpersonated && !this.#impersonated.has(address)) return false
    this.#impersonated.add(address)
    return true
  }

  stopImpersonating(address: Hex): void {
    this.#impersonated.delete(address)
  }

  /** Whether an address may be sent from without its key. */
  isImpersonated(address: Hex): boolean {
    return this.impersonatesAll || this.#impersonated.has(address)
  }
}

/** A bound of the memory that callers can use. */
export const mostImpersonated = 100_000
