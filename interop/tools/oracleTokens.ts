/** Tokens and their owners, folded from the transfers of a chain. */
import { type Hex, zeroAddress } from "viem"
import type { Transfer } from "./oracle.js"
import type { Token } from "./traffic.js"

/** What an owner has of a token, and the transfer that changed it last. A fungible token has no ID. */
export interface Holding {
  readonly owner: Hex
  readonly id: bigint | undefined
  readonly balance: bigint
  readonly last: Transfer
}

/** A token with an ID, and the transfers that made it and changed it last. */
export interface Item {
  readonly id: bigint
  /** The only owner of a non-fungible token, and the one before. */
  readonly owner: Hex
  readonly previousOwner: Hex
  readonly first: Transfer
  readonly last: Transfer
}

const keyOf = (owner: Hex, id: bigint | undefined): string => `${owner} ${id ?? ""}`

/** The tokens of one contract after some transfers, oldest first. */
export class Book {
  readonly token: Token
  readonly holdings = new Map<string, Holding>()
  readonly items = new Map<bigint, Item>()
  /** Of every owner, the last transfer that changed what the owner has in a block. */
  readonly lasts = new Map<Hex, Transfer>()

  constructor(token: Token, transfers: ReadonlyArray<Transfer>) {
    this.token = token
    const own = transfers.filter(({ contract }) => contract === token.address)
    for (const block of new Set(own.map(({ transaction }) => transaction.block))) {
      const before = new Set(this.holdings.keys())
      const ofBlock = own.filter(({ transaction }) => transaction.block === block)
      for (const transfer of ofBlock) this.#apply(transfer)
      for (const transfer of ofBlock) this.#note(transfer, before)
    }
  }

  balance(owner: Hex, id: bigint | undefined): bigint {
    return this.holdings.get(keyOf(owner, id))?.balance ?? 0n
  }

  holdingsOf(owner: Hex): ReadonlyArray<Holding> {
    return [...this.holdings.values()].filter((holding) => holding.owner === owner)
  }

  /** The amount of a token, or of all tokens. */
  supply(id?: bigint): bigint {
    return [...this.holdings.values()]
      .filter((holding) => id === undefined || holding.id === id)
      .reduce((sum, { balance }) => sum + balance, 0n)
  }

  #apply(transfer: Transfer): void {
    const { from, ids, to, values } = transfer
    for (const [index, value] of values.entries()) {
      const id = ids[index]
      this.#add(from, id, -value, transfer)
      this.#add(to, id, value, transfer)
      if (id !== undefined) this.#move(id, value, transfer)
    }
  }

  #add(owner: Hex, id: bigint | undefined, change: bigint, last: Transfer): void {
    if (owner === zeroAddress) return
    const balance = this.balance(owner, id) + change
    const key = keyOf(owner, id)
    if (balance === 0n) this.holdings.delete(key)
    else this.holdings.set(key, { owner, id, balance, last })
  }

  /** A token begins when it is minted, even if nothing of it is, and ends when all of it is burned. */
  #move(id: bigint, value: bigint, last: Transfer): void {
    const known = this.items.get(id)
    const isBurned = last.to === zeroAddress && this.supply(id) === 0n
    if (isBurned) this.items.delete(id)
    else if (known !== undefined || last.from === zeroAddress || value > 0n) {
      this.items.set(id, { id, owner: last.to, previousOwner: last.from, first: known?.first ?? last, last })
    }
  }

  /** Notes a transfer of a block for the owners who had or have something of its tokens. */
  #note(transfer: Transfer, before: ReadonlySet<string>): void {
    const ids = transfer.ids.length === 0 ? [undefined] : transfer.ids
    for (const owner of [transfer.from, transfer.to]) {
      const isChanged = ids.some((id) => before.has(keyOf(owner, id)) || this.holdings.has(keyOf(owner, id)))
      if (owner !== zeroAddress && isChanged) this.lasts.set(owner, transfer)
    }
  }
}
