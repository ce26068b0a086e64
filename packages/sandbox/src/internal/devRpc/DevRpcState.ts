import type { DevAccount } from "@effect-klaytn/local-chain/DevAccount"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import { createHash, randomBytes } from "node:crypto"
import { Filters } from "./Filters.js"

interface Imported {
  readonly account: DevAccount
  readonly digest: string
}

const digestOf = (passphrase: string): string => createHash("sha256").update(passphrase).digest("hex")

/** What the interface holds for one chain, beside the chain itself. It ends with the process. */
export class DevRpcState {
  readonly instanceId: Hex = fromBytes(randomBytes(32))
  /** The filters of each namespace, with one for both of the chain: a node finds one in its own alone. */
  readonly filters = { eth: new Filters(), klay: new Filters() } as const
  readonly #impersonated = new Set<Hex>()
  readonly #imported = new Map<Hex, Imported>()
  /** When an account is locked, in milliseconds. An account that is not here is never locked. */
  readonly #lockedFrom = new Map<Hex, number>()
  /** The addresses whose sends are being filled in, each with its lock and the number of sends that hold it or wait. */
  readonly #filling = new Map<Hex, { readonly lock: Effect.Semaphore; sends: number }>()
  /** Whether every address may be sent from. */
  impersonatesAll = false

  /** `accounts` lists the development accounts, whose keys the sandbox holds. They have no passphrase. */
  constructor(readonly accounts: () => ReadonlyArray<DevAccount>) {}

  /** The development accounts, and those whose keys a caller has imported. */
  allAccounts(): ReadonlyArray<DevAccount> {
    return [...this.accounts(), ...Array.from(this.#imported.values(), ({ account }) => account)]
  }

  #holds(address: Hex): boolean {
    return this.allAccounts().some((account) => account.address === address)
  }

  /** Adds an account, which is locked: at most {@link mostImported} are kept. */
  import(account: DevAccount, passphrase: string): "added" | "known" | "full" {
    if (this.#holds(account.address)) return "known"
    if (this.#imported.size >= mostImported) return "full"
    this.#imported.set(account.address, { account, digest: digestOf(passphrase) })
    this.#lockedFrom.set(account.address, 0)
    return "added"
  }

  /** Whether a passphrase is that of an account. */
  opens(address: Hex, passphrase: string): boolean {
    const imported = this.#imported.get(address)
    return imported === undefined || imported.digest === digestOf(passphrase)
  }

  isLocked(address: Hex, now: number): boolean {
    return now >= (this.#lockedFrom.get(address) ?? Infinity)
  }

  /** Unlocks an account until a time; false if its key is not held. */
  unlock(address: Hex, until: number): boolean {
    if (!this.#holds(address)) return false
    this.#lockedFrom.set(address, until)
    return true
  }

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

  /** Runs sends of an address one after the other, in the order they came. */
  inTurn<A, E>(address: Hex, send: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const turn = this.#filling.get(address) ?? { lock: Effect.unsafeMakeSemaphore(1), sends: 0 }
      this.#filling.set(address, turn)
      turn.sends++
      return Effect.ensuring(
        turn.lock.withPermits(1)(send),
        Effect.sync(() => {
          if (--turn.sends === 0) this.#filling.delete(address)
        })
      )
    })
  }

  /** Whether an address may be sent from without its key. */
  isImpersonated(address: Hex): boolean {
    return this.impersonatesAll || this.#impersonated.has(address)
  }
}

/** Bounds of the memory that callers can use. */
export const mostImpersonated = 100_000
export const mostImported = 1_000
