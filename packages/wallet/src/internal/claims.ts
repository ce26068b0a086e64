/**
 * Tracks which transactions of an account the sends of one client were told of. A send without a nonce can only be
 * recognised by its content, so a transaction that an identical send was told of is not its own.
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { FoundTransaction } from "../FoundTransaction.js"
import { compare, type Subject } from "./subject.js"

/** One send, by its identity. */
export interface Owner {
  readonly subject: Subject
  /** The nonce that it is bound to; `undefined` if the service chose it. */
  readonly nonce: number | undefined
}

export interface Claims {
  /** Claims a nonce for a send; false if it belongs to another. Sends that give the same nonce count as one send. */
  readonly claim: (address: Address, nonce: number, owner: Owner) => boolean
  /** Whether a nonce belongs to another send. */
  readonly isOfAnother: (address: Address, nonce: number, owner: Owner) => boolean
  /** Records that a send with a given nonce is in progress or has an unknown outcome. */
  readonly name: (address: Address, nonce: number, owner: Owner) => void
  /** Removes the record: the outcome of the send is known. */
  readonly forget: (address: Address, nonce: number, owner: Owner) => void
  /** Whether a transaction more likely belongs to another send, which gave its nonce and has the same content. */
  readonly isNamedByAnother: (found: FoundTransaction, owner: Owner) => boolean
  /** The highest nonce that any send was told of. */
  readonly highest: (address: Address) => number
}

/** The most entries kept for an account; the oldest are dropped first. */
const most = 1000

export const make = (): Claims => {
  const accounts = new Map<Address, Map<number, Owner>>()
  const named = new Map<Address, Map<number, Set<Owner>>>()
  const isOfAnother: Claims["isOfAnother"] = (address, nonce, owner) => {
    const known = accounts.get(address)?.get(nonce)
    return known !== undefined && known !== owner && (known.nonce === undefined || known.nonce !== owner.nonce)
  }
  return {
    isOfAnother,
    name: (address, nonce, owner) => {
      const nonces = named.get(address) ?? new Map<number, Set<Owner>>()
      named.set(address, nonces.set(nonce, (nonces.get(nonce) ?? new Set()).add(owner)))
      const [oldest = nonce] = nonces.keys()
      if (nonces.size > most) nonces.delete(oldest)
    },
    forget: (address, nonce, owner) => {
      const owners = named.get(address)?.get(nonce)
      owners?.delete(owner)
      if (owners?.size === 0) named.get(address)?.delete(nonce)
    },
    isNamedByAnother: (found, owner) =>
      [...named.get(found.from)?.get(found.nonce) ?? []].some((one) =>
        one !== owner && compare(one.subject, found) === "same"
      ),
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
