/**
 * Which transactions of an account the sends of one client were told of. A send without a nonce is known again by its
 * content only: what an equal one was told of is not its own.
 */
import type { Address } from "@effect-klaytn/core/Address"

/** One send, by its identity. */
export type Owner = object

export interface Claims {
  /** Takes a nonce for a send; false if it is another's. */
  readonly claim: (address: Address, nonce: number, owner: Owner) => boolean
  /** Whether a nonce is another send's. */
  readonly isOfAnother: (address: Address, nonce: number, owner: Owner) => boolean
  /** The highest nonce that any send was told of. */
  readonly highest: (address: Address) => number
}

/** More are not kept for an account; the oldest are forgotten first. */
const most = 1000

export const make = (): Claims => {
  const accounts = new Map<Address, Map<number, Owner>>()
  const isOfAnother: Claims["isOfAnother"] = (address, nonce, owner) => {
    const known = accounts.get(address)?.get(nonce)
    return known !== undefined && known !== owner
  }
  return {
    isOfAnother,
    claim: (address, nonce, owner) => {
      if (isOfAnother(address, nonce, owner)) return false
      const owners = accounts.get(address) ?? new Map<number, Owner>()
      accounts.set(address, owners.set(nonce, owner))
      const [oldest = nonce] = owners.keys()
      if (owners.size > most) owners.delete(oldest)
      return true
    },
    highest: (address) => Math.max(-1, ...accounts.get(address)?.keys() ?? [])
  }
}
