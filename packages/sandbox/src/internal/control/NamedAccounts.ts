import type { DevAccount } from "@effect-klaytn/local-chain/DevAccount"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import { NotFound } from "../../ControlError.js"

/** The named accounts of a sandbox. */
export class NamedAccounts {
  readonly #byName = new Map<string, DevAccount>()
  readonly #byAddress = new Map<string, DevAccount>()

  constructor(readonly derive: (name: string) => DevAccount) {}

  add(name: string): DevAccount {
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    const account = this.derive(name)
    this.#byName.set(name, account)
    this.#byAddress.set(account.address, account)
    return account
  }

  list(): ReadonlyArray<readonly [name: string, account: DevAccount]> {
    return [...this.#byName]
  }

  /** The address that a name or an address stands for. */
  address(ref: string): Effect.Effect<Hex, NotFound> {
    return ref.startsWith("0x")
      ? Effect.succeed<Hex>(`0x${ref.slice(2).toLowerCase()}`)
      : Effect.map(this.signer(ref), ({ address }) => address)
  }

  /** The account of a name or an address, with its key. */
  signer(ref: string): Effect.Effect<DevAccount, NotFound> {
    const isAddress = ref.startsWith("0x")
    const account = isAddress ? this.#byAddress.get(ref.toLowerCase()) : this.#byName.get(ref)
    if (account !== undefined) return Effect.succeed(account)
    const names = [...this.#byName.keys()].join(", ")
    return new NotFound({
      message: isAddress
        ? `the sandbox does not hold the key of ${ref}; those it holds: ${names}`
        : `no account is named ${JSON.stringify(ref)}; create it first, or take one of: ${names}`
    })
  }
}
