import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { DraftTransfer } from "../chain/ExecutedBlock.js"
import { amount, amountBlob, blob, blobOrNull, hex, integer, optional, text } from "./Cell.js"
import type { Driver, Statement } from "./Driver.js"
import type { ChainId } from "./Schema.js"

const nobody: Hex = "0x0000000000000000000000000000000000000000"

interface Holding {
  readonly balance: bigint
  readonly updated: number
}

interface Token {
  readonly owner: Hex | undefined
  readonly previousOwner: Hex | undefined
  readonly supply: bigint
  /** What the contract gave as the token's URI; empty when it gave none. */
  readonly uri: string
  readonly created: number
  readonly updated: number
}

/** A row as it was before the block and as it is now. */
interface Slot<A> {
  readonly contract: Hex
  readonly owner: Hex | undefined
  readonly token: string
  readonly before: A | undefined
  now: A | undefined
}

const quantity = (value: bigint): string => `0x${value.toString(16)}`

/**
 * Keeps who owns what in step with the transfers of one chain. Rows touched by a block are read once, changed in memory
 * and written at its end, each with what it was before, so that a block can be taken back.
 */
export class TokenLedger {
  readonly #holdings = new Map<string, Slot<Holding>>()
  readonly #tokens = new Map<string, Slot<Token>>()
  readonly #kinds = new Map<Hex, string | undefined>()
  readonly #readKind: Statement
  readonly #readHolding: Statement
  readonly #writeHolding: Statement
  readonly #dropHolding: Statement
  readonly #readToken: Statement
  readonly #writeToken: Statement
  readonly #dropToken: Statement
  readonly #writeUndo: Statement
  readonly #readUndo: Statement
  readonly #dropUndo: Statement

  constructor(driver: Driver, c: ChainId) {
    this.#readKind = driver.prepare(`SELECT kind FROM contracts_${c} WHERE address = ?1`)
    this.#readHolding = driver.prepare(
      `SELECT balance, updated FROM holdings_${c} WHERE contract = ?1 AND owner = ?2 AND token = ?3`
    )
    this.#writeHolding = driver.prepare(
      `INSERT OR REPLACE INTO holdings_${c} (contract, owner, token, balance, updated) VALUES (?1, ?2, ?3, ?4, ?5)`
    )
    this.#dropHolding = driver.prepare(`DELETE FROM holdings_${c} WHERE contract = ?1 AND owner = ?2 AND token = ?3`)
    this.#readToken = driver.prepare(
      `SELECT owner, previous_owner, supply, created, updated, uri FROM tokens_${c} WHERE contract = ?1 AND token = ?2`
    )
    this.#writeToken = driver.prepare(
      `INSERT OR REPLACE INTO tokens_${c} (contract, token, owner, previous_owner, supply, created, updated, uri)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`
    )
    this.#dropToken = driver.prepare(`DELETE FROM tokens_${c} WHERE contract = ?1 AND token = ?2`)
    this.#writeUndo = driver.prepare(
      `INSERT INTO ledger_undo_${c} (block, contract, owner, token, previous) VALUES (?1, ?2, ?3, ?4, ?5)`
    )
    this.#readUndo = driver.prepare(
      `SELECT contract, owner, token, previous FROM ledger_undo_${c} WHERE block > ?1 ORDER BY rowid DESC`
    )
    this.#dropUndo = driver.prepare(`DELETE FROM ledger_undo_${c} WHERE block > ?1`)
  }

  /** Takes a transfer into account. One of another kind than its contract's changes nobody's tokens. */
  apply(id: number, transfer: DraftTransfer): void {
    if (transfer.kind === "coin" || this.#kind(transfer.contract) !== transfer.kind) return
    if (transfer.kind === "ft") this.#move(id, transfer.contract, transfer.from, transfer.to, "", transfer.value)
    else if (transfer.kind === "nft") this.#applyNft(id, transfer)
    else this.#applyMt(id, transfer)
  }

  /** Takes the URI into account that a contract gives for a token at the end of the block. */
  describe(contract: Hex, tokenId: bigint, uri: string): void {
    const slot = this.#token(contract, quantity(tokenId))
    if (slot.now !== undefined) slot.now = { ...slot.now, uri }
  }

  /** Whoever the log says it came from: a token has one owner, the last one that it went to. */
  #applyNft(id: number, { contract, from, to, tokenId }: DraftTransfer & { readonly kind: "nft" }): void {
    const token = quantity(tokenId)
    const slot = this.#token(contract, token)
    if (slot.now?.owner !== undefined) this.#holding(contract, slot.now.owner, token).now = undefined
    if (to === nobody) {
      slot.now = undefined
      return
    }
    this.#holding(contract, to, token).now = { balance: 1n, updated: id }
    slot.now = {
      owner: to,
      previousOwner: from,
      supply: 1n,
      uri: slot.now?.uri ?? "",
      created: slot.now?.created ?? id,
      updated: id
    }
  }

  #applyMt(id: number, { contract, from, ids, to, values }: DraftTransfer & { readonly kind: "mt" }): void {
    for (const [index, tokenId] of ids.entries()) {
      const token = quantity(tokenId)
      const value = values[index] ?? 0n
      this.#move(id, contract, from, to, token, value)
      const slot = this.#token(contract, token)
      const minted = (from === nobody ? value : 0n) - (to === nobody ? value : 0n)
      const supply = possible((slot.now?.supply ?? 0n) + minted)
      const isNothing = supply === 0n && value === 0n && from !== nobody && slot.now === undefined
      slot.now = isNothing || (to === nobody && supply === 0n) ? undefined : {
        owner: undefined,
        previousOwner: undefined,
        supply,
        uri: slot.now?.uri ?? "",
        created: slot.now?.created ?? id,
        updated: id
      }
    }
  }

  /** Writes what the block changed, with what it takes to undo it. */
  flush(block: number): void {
    for (const slot of this.#holdings.values()) {
      this.#writeUndo.run(block, blob(slot.contract), blobOrNull(slot.owner), slot.token, json(slot.before))
      this.#putHolding(slot.contract, slot.owner ?? nobody, slot.token, slot.now)
    }
    for (const slot of this.#tokens.values()) {
      this.#writeUndo.run(block, blob(slot.contract), null, slot.token, json(slot.before))
      this.#putToken(slot.contract, slot.token, slot.now)
    }
    this.clear()
  }

  /** Forgets the block in hand. */
  clear(): void {
    this.#holdings.clear()
    this.#tokens.clear()
    this.#kinds.clear()
  }

  /** Puts every row back to what it was at the end of a block. */
  revert(block: number): void {
    for (const row of this.#readUndo.all(block)) {
      const contract = hex(row, 0)
      const owner = optional(hex)(row, 1)
      const token = text(row, 2)
      const previous = optional(text)(row, 3)
      if (owner === undefined) this.#putToken(contract, token, previous === undefined ? undefined : tokenOf(previous))
      else this.#putHolding(contract, owner, token, previous === undefined ? undefined : holdingOf(previous))
    }
    this.#dropUndo.run(block)
  }

  #move(id: number, contract: Hex, from: Hex, to: Hex, token: string, value: bigint): void {
    if (from !== nobody) this.#add(id, contract, from, token, -value)
    if (to !== nobody) this.#add(id, contract, to, token, value)
  }

  #add(id: number, contract: Hex, owner: Hex, token: string, value: bigint): void {
    const slot = this.#holding(contract, owner, token)
    const balance = possible((slot.now?.balance ?? 0n) + value)
    slot.now = balance === 0n ? undefined : { balance, updated: id }
  }

  #kind(contract: Hex): string | undefined {
    if (this.#kinds.has(contract)) return this.#kinds.get(contract)
    const row = this.#readKind.all(blob(contract))[0]
    const kind = row && text(row, 0)
    this.#kinds.set(contract, kind)
    return kind
  }

  #holding(contract: Hex, owner: Hex, token: string): Slot<Holding> {
    const key = `${contract}${owner}${token}`
    const known = this.#holdings.get(key)
    if (known !== undefined) return known
    const row = this.#readHolding.all(blob(contract), blob(owner), token)[0]
    const before = row && { balance: amount(row, 0), updated: integer(row, 1) }
    const slot = { contract, owner, token, before, now: before }
    this.#holdings.set(key, slot)
    return slot
  }

  #token(contract: Hex, token: string): Slot<Token> {
    const key = `${contract}${token}`
    const known = this.#tokens.get(key)
    if (known !== undefined) return known
    const row = this.#readToken.all(blob(contract), token)[0]
    const before = row && {
      owner: optional(hex)(row, 0),
      previousOwner: optional(hex)(row, 1),
      supply: amount(row, 2),
      created: integer(row, 3),
      updated: integer(row, 4),
      uri: text(row, 5)
    }
    const slot = { contract, owner: undefined, token, before, now: before }
    this.#tokens.set(key, slot)
    return slot
  }

  #putHolding(contract: Hex, owner: Hex, token: string, holding: Holding | undefined): void {
    if (holding === undefined) this.#dropHolding.run(blob(contract), blob(owner), token)
    else this.#writeHolding.run(blob(contract), blob(owner), token, amountBlob(holding.balance), holding.updated)
  }

  #putToken(contract: Hex, id: string, token: Token | undefined): void {
    if (token === undefined) this.#dropToken.run(blob(contract), id)
    else {
      this.#writeToken.run(
        blob(contract),
        id,
        blobOrNull(token.owner),
        blobOrNull(token.previousOwner),
        amountBlob(token.supply),
        token.created,
        token.updated,
        token.uri
      )
    }
  }
}

const most = 2n ** 256n - 1n

/** A contract may log what it never had: numbers stop at what a number of a contract can be. */
const possible = (value: bigint): bigint => value < 0n ? 0n : value > most ? most : value

const json = (value: Holding | Token | undefined): string | null =>
  value === undefined
    ? null
    : JSON.stringify(value, (_, field: unknown) => typeof field === "bigint" ? quantity(field) : field)

const holdingOf = (stored: string): Holding => {
  const { balance, updated }: { readonly balance: string; readonly updated: number } = JSON.parse(stored)
  return { balance: BigInt(balance), updated }
}

type Stored = Omit<Token, "supply" | "uri"> & { readonly supply: string; readonly uri?: string }

const tokenOf = (stored: string): Token => {
  const { supply, uri = "", ...rest }: Stored = JSON.parse(stored)
  return { ...rest, uri, supply: BigInt(supply) }
}
