import type { Hex } from "@effect-klaytn/transaction/Hex"
import { blob, blobOrNull, hex, integer, optional, text } from "./Cell.js"
import type { Driver, Statement } from "./Driver.js"
import type { DescribedContract, DraftTransfer, TokenAnswers } from "./ExecutedBlock.js"
import * as rows from "./ledgerRows.js"
import { LedgerTable, type Place, type Slot } from "./LedgerTable.js"
import type { ChainId } from "./Schema.js"
import { tally } from "./tally.js"

const nobody: Hex = "0x0000000000000000000000000000000000000000"

/** Stands for all tokens of a contract, where the token of a place would be. */
const whole = "*"

const quantity = (value: bigint): string => `0x${value.toString(16)}`

/**
 * Keeps who owns what in step with one chain: with the transfers that its logs tell of, and then with what the contracts
 * say themselves. Sums and counts are kept with each change, never made up when somebody asks.
 */
export class OwnershipIndex {
  readonly #driver: Driver
  readonly #c: ChainId
  readonly #holdings: LedgerTable<rows.Holding>
  readonly #ownings: LedgerTable<rows.Owning>
  readonly #tokens: LedgerTable<rows.Token>
  readonly #contracts: LedgerTable<rows.Contract>
  /** Supplies that contracts gave in this block, by contract and token. */
  readonly #supplies = new Map<string, bigint>()
  /** URIs that contracts gave in this block, by contract and token. */
  readonly #uris = new Map<string, string>()
  readonly #holders: Statement
  readonly #tokensOf: Statement
  readonly #writeUndo: Statement
  readonly #readUndo: Statement
  readonly #dropUndo: Statement

  constructor(driver: Driver, c: ChainId) {
    this.#driver = driver
    this.#c = c
    this.#holdings = new LedgerTable(driver, rows.holdings(c))
    this.#ownings = new LedgerTable(driver, rows.ownings(c))
    this.#tokens = new LedgerTable(driver, rows.tokens(c))
    this.#contracts = new LedgerTable(driver, rows.contracts(c))
    this.#holders = driver.prepare(`SELECT owner, token FROM holdings_${c} WHERE contract = ?1`)
    this.#tokensOf = driver.prepare(`SELECT token FROM tokens_${c} WHERE contract = ?1`)
    this.#writeUndo = driver.prepare(
      `INSERT INTO ledger_undo_${c} (block, contract, owner, token, previous) VALUES (?1, ?2, ?3, ?4, ?5)`
    )
    this.#readUndo = driver.prepare(
      `SELECT contract, owner, token, previous, block FROM ledger_undo_${c} WHERE block > ?1 ORDER BY rowid DESC`
    )
    this.#dropUndo = driver.prepare(`DELETE FROM ledger_undo_${c} WHERE block > ?1`)
  }

  /** Takes a contract in, or how it describes itself now. Under another kind it starts anew. */
  introduce(block: number, { address, decimals, kind, name, standard, symbol }: DescribedContract): void {
    const slot = this.#contract(address)
    slot.now = { block, supply: 0n, holders: 0, ...slot.now, kind, standard, name, symbol, decimals }
    if (slot.before === undefined || slot.before.kind === kind) return
    for (const row of this.#holders.all(blob(address))) {
      this.#holdings.slot({ contract: address, owner: hex(row, 0), token: text(row, 1) }).now = undefined
    }
    for (const row of this.#tokensOf.all(blob(address))) this.#token(address, text(row, 0)).now = undefined
  }

  /** Takes a transfer into account. One of another kind than its contract's changes nobody's tokens. */
  apply(id: number, transfer: DraftTransfer): void {
    if (transfer.kind === "coin" || this.#contract(transfer.contract).now?.kind !== transfer.kind) return
    if (transfer.kind === "ft") this.#move(id, transfer.contract, transfer.from, transfer.to, "", transfer.value)
    else if (transfer.kind === "nft") this.#applyNft(id, transfer)
    else this.#applyMt(id, transfer)
  }

  /**
   * Takes what the contracts say at the end of the block for the truth, whatever their logs told. What no log told of is
   * put down to the first transfer of the transaction that changed it, `idOf`.
   */
  settle({ balances, owners, supplies, tokenSupplies }: TokenAnswers, idOf: (transaction: number) => number): void {
    for (const { balance, contract, owner, tokenId, transaction } of balances) {
      const slot = this.#holding(contract, owner, tokenId === undefined ? "" : quantity(tokenId))
      if (slot.named === undefined && balance === (slot.now?.balance ?? 0n)) continue
      slot.named ??= idOf(transaction)
      slot.now = balance === 0n ? undefined : { balance, updated: slot.named }
      if (tokenId !== undefined) this.#token(contract, quantity(tokenId)).named ??= slot.named
    }
    for (const { contract, owner, tokenId, transaction } of owners) {
      const slot = this.#token(contract, quantity(tokenId))
      if (slot.now?.owner === owner) continue
      const id = slot.named ?? idOf(transaction)
      const previous = slot.before?.owner ?? slot.now?.previousOwner ?? nobody
      this.#give(id, slot, previous, owner)
    }
    for (const { contract, supply } of supplies) {
      this.#supplies.set(`${contract}${whole}`, supply)
      this.#contract(contract)
    }
    for (const { contract, supply, tokenId, transaction } of tokenSupplies) {
      this.#supplies.set(`${contract}${quantity(tokenId)}`, supply)
      this.#token(contract, quantity(tokenId)).named ??= idOf(transaction)
    }
  }

  /** Takes the URI into account that a contract gives for a token at the end of the block. */
  describe(contract: Hex, tokenId: bigint, uri: string): void {
    const slot = this.#token(contract, quantity(tokenId))
    if (slot.now === undefined) this.#uris.set(slot.contract + slot.token, uri)
    else if (slot.now.uri !== uri) slot.now = { ...slot.now, uri }
  }

  /** Writes what the block changed, with what it takes to undo it. */
  flush(block: number): void {
    this.#sum()
    const undo = (slot: Slot<object>) =>
      this.#writeUndo.run(block, blob(slot.contract), blobOrNull(slot.owner), slot.token, rows.stored(slot.before))
    this.#holdings.flush(undo)
    this.#ownings.flush(undo)
    this.#tokens.flush(undo)
    this.#contracts.flush(undo)
    this.clear()
  }

  /** Forgets the block in hand. */
  clear(): void {
    for (const table of [this.#holdings, this.#ownings, this.#tokens, this.#contracts]) table.clear()
    this.#supplies.clear()
    this.#uris.clear()
  }

  /** Puts every row back to what it was at the end of a block. */
  revert(block: number): void {
    const untold = new Set<Hex>()
    const told = new Set<string>()
    for (const row of this.#readUndo.all(block)) {
      const place: Place = { contract: hex(row, 0), owner: optional(hex)(row, 1), token: text(row, 2) }
      const previous = optional(text)(row, 3)
      const at = `${place.contract}${integer(row, 4)}`
      if (place.token === whole) told.add(at)
      else if (!told.has(at)) untold.add(place.contract)
      if (place.token !== whole) {
        if (place.owner === undefined) this.#tokens.put(place, rows.restored(previous))
        else this.#holdings.put(place, rows.restored(previous))
      } else if (place.owner === undefined) this.#contracts.put(place, rows.restored(previous))
      else this.#ownings.put(place, rows.restored(previous))
    }
    // Blocks of earlier versions tell nothing of sums.
    for (const contract of untold) tally(this.#driver, this.#c, contract)
    this.#dropUndo.run(block)
  }

  /** Whoever the log says it came from: a token has one owner, the last one that it went to. */
  #applyNft(id: number, { contract, from, to, tokenId }: DraftTransfer & { readonly kind: "nft" }): void {
    this.#give(id, this.#token(contract, quantity(tokenId)), from, to === nobody ? undefined : to)
  }

  #give(id: number, slot: Slot<rows.Token>, previousOwner: Hex, owner: Hex | undefined): void {
    const { contract, now, token } = slot
    slot.named = id
    if (now?.owner !== undefined) this.#hold(id, this.#holding(contract, now.owner, token), 0n)
    if (owner !== undefined) this.#hold(id, this.#holding(contract, owner, token), 1n)
    slot.now = owner === undefined ? undefined : {
      owner,
      previousOwner,
      supply: 1n,
      uri: (now ?? slot.before)?.uri ?? "",
      created: (now ?? slot.before)?.created ?? id,
      updated: id
    }
  }

  #applyMt(id: number, { contract, from, ids, to, values }: DraftTransfer & { readonly kind: "mt" }): void {
    for (const [index, tokenId] of ids.entries()) {
      const token = quantity(tokenId)
      const value = values[index] ?? 0n
      this.#move(id, contract, from, to, token, value)
      const slot = this.#token(contract, token)
      slot.named = id
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

  #move(id: number, contract: Hex, from: Hex, to: Hex, token: string, value: bigint): void {
    for (const [owner, change] of [[from, -value], [to, value]] as const) {
      if (owner === nobody) continue
      const slot = this.#holding(contract, owner, token)
      this.#hold(id, slot, possible((slot.now?.balance ?? 0n) + change))
    }
  }

  #hold(id: number, slot: Slot<rows.Holding>, balance: bigint): void {
    slot.named = id
    slot.now = balance === 0n ? undefined : { balance, updated: id }
  }

  /** Carries what changed for single holders over to sums and counts. */
  #sum(): void {
    const ofToken = new Map<string, bigint>()
    const ofContract = new Map<Hex, { balance: bigint; holders: number }>()
    for (const { before, contract, named, now, owner, token } of this.#holdings.slots()) {
      if (now === before) continue
      this.#contract(contract)
      const balance = (now?.balance ?? 0n) - (before?.balance ?? 0n)
      const tokens = (now === undefined ? 0 : 1) - (before === undefined ? 0 : 1)
      const owning = this.#ownings.slot({ contract, owner, token: whole })
      const had = owning.now
      const count = (had?.tokens ?? 0) + tokens
      owning.now = count === 0 ? undefined : {
        balance: (had?.balance ?? 0n) + balance,
        tokens: count,
        updated: Math.max(had?.updated ?? 0, named ?? 0)
      }
      const sums = ofContract.get(contract) ?? { balance: 0n, holders: 0 }
      sums.balance += balance
      sums.holders += (owning.now === undefined ? 0 : 1) - (had === undefined ? 0 : 1)
      ofContract.set(contract, sums)
      ofToken.set(`${contract}${token}`, (ofToken.get(`${contract}${token}`) ?? 0n) + balance)
    }
    for (const slot of this.#contracts.slots()) {
      if (slot.now === undefined) continue
      const sums = ofContract.get(slot.contract)
      const supply = this.#supplies.get(`${slot.contract}${whole}`) ?? slot.now.supply + (sums?.balance ?? 0n)
      // Told anew with every change of a holding, as a mark that the sums of this block can be undone.
      if (sums !== undefined || supply !== slot.now.supply) {
        slot.now = { ...slot.now, supply, holders: slot.now.holders + (sums?.holders ?? 0) }
      }
    }
    for (const slot of this.#tokens.slots()) {
      if (this.#contract(slot.contract).now?.kind === "mt") {
        this.#supply(slot, ofToken.get(slot.contract + slot.token) ?? 0n)
      }
    }
  }

  /** What there is of a multi token: what the contract says, or else what its holders have together. */
  #supply(slot: Slot<rows.Token>, change: bigint): void {
    const supply = this.#supplies.get(slot.contract + slot.token) ?? (slot.before?.supply ?? 0n) + change
    if (slot.now?.supply === supply || slot.named === undefined) return
    const { created = slot.named, uri = this.#uris.get(slot.contract + slot.token) ?? "" } = slot.now ?? slot.before ??
      {}
    if (slot.now === undefined && supply === 0n) return
    slot.now = { owner: undefined, previousOwner: undefined, supply, uri, created, updated: slot.named }
  }

  #contract(contract: Hex): Slot<rows.Contract> {
    return this.#contracts.slot({ contract, owner: undefined, token: whole })
  }

  #holding(contract: Hex, owner: Hex, token: string): Slot<rows.Holding> {
    return this.#holdings.slot({ contract, owner, token })
  }

  #token(contract: Hex, token: string): Slot<rows.Token> {
    return this.#tokens.slot({ contract, owner: undefined, token })
  }
}

const most = 2n ** 256n - 1n

/** A contract may log what it never had: numbers stop at what a number of a contract can be. */
const possible = (value: bigint): bigint => value < 0n ? 0n : value > most ? most : value
