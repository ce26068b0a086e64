import type { Hex } from "@effect-klaytn/transaction/Hex"
import { randomBytes } from "node:crypto"
import type { DevAccount } from "../../DevAccount.js"
import { Filters } from "./Filters.js"

/** What the interface holds for one chain, beside the chain itself. It ends with the process. */
export class DevRpcState {
  readonly instanceId: Hex = `0x${randomBytes(32).toString("hex")}`
  readonly filters = new Filters()
  readonly #accounts: () => ReadonlyArray<DevAccount>
  readonly #impersonated = new Set<Hex>()
  /** Whether every address may be sent from. */
  impersonatesAll = false

  constructor(accounts: () => ReadonlyArray<DevAccount>) {
    this.#accounts = accounts
  }

  /** The development accounts, whose keys the sandbox holds. */
  get accounts(): ReadonlyArray<DevAccount> {
    return this.#accounts()
  }

  /** The development account of an address. */
  account(address: Hex): DevAccount | undefined {
    return this.accounts.find((account) => account.address === address)
  }

  impersonate(address: Hex): void {
    if (this.#impersonated.size < mostImpersonated) this.#impersonated.add(address)
  }

  stopImpersonating(address: Hex): void {
    this.#impersonated.delete(address)
  }

  /** Whether an address may be sent from without its key. */
  isImpersonated(address: Hex): boolean {
    return this.impersonatesAll || this.#impersonated.has(address)
  }
}

/** A bound in memory: nobody impersonates this many. */
const mostImpersonated = 100_000
