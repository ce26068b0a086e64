import { type Hex, zeroAddress } from "@effect-klaytn/transaction/Hex"
import type { DescribedContract, DraftTransfer, TokenAnswers } from "../IndexedBlock.js"
import { blob, quantity } from "./Column.js"
import type { Driver } from "./Driver.js"
import { select } from "./Query.js"
import { contracts, holdings, ownershipUndo, ownings, tokens } from "./Schema.js"
import { type Slot, StagedRows } from "./StagedRows.js"
import type { Row, Table } from "./Table.js"

type SlotOf<T> = T extends Table<infer F, infer K> ? Slot<Row<F, K>, Row<F, Exclude<keyof F, K>>> : never
type HoldingSlot = SlotOf<typeof holdings>
type TokenSlot = SlotOf<typeof tokens>
type ContractSlot = SlotOf<typeof contracts>

/** In place of a token's ID: all tokens of the contract. */
const whole = "*"

/**
 * Tracks who owns which tokens on one chain: first by the transfers in its logs, then by what the contracts themselves
 * answer. Sums and counts are updated with every change, never computed for a query.
 */
export class OwnershipIndex {
  readonly #driver: Driver
  readonly #c: number
  readonly #holdings
  readonly #ownings
  readonly #tokens
  readonly #contracts
  /** Supplies that contracts reported in this block, by contract and token. */
  readonly #supplies = new Map<string, bigint>()
  /** URIs that contracts reported in this block, by contract and token. */
  readonly #uris = new Map<string, string>()
  readonly #insertUndo

  constructor(driver: Driver, c: number) {
    this.#driver = driver
    this.#c = c
    this.#holdings = new StagedRows(driver, holdings.of(c))
    this.#ownings = new StagedRows(driver, ownings.of(c))
    this.#tokens = new StagedRows(driver, tokens.of(c))
    this.#contracts = new StagedRows(driver, contracts.of(c))
    this.#insertUndo = ownershipUndo.of(c).insert(driver)
  }

  /** Adds a contract or updates its description. A contract whose kind changes loses its tokens and holdings. */
  introduce(block: number, { address, ...described }: DescribedContract): void {
    const slot = this.#contract(address)
    slot.now = { block, supply: 0n, holders: 0, ...slot.now, ...described }
    if (slot.before === undefined || slot.before.kind === described.kind) return
    for (const { owner, token } of holdingsOf(this.#driver, this.#c).all(blob(address))) {
      this.#holding(address, owner, token).now = undefined
    }
    const { token } = tokens.as("k")
    const held = select(this.#driver, { token }, `FROM tokens_${this.#c} k WHERE k.contract = ?1`)
    for (const { token } of held.all(blob(address))) this.#token(address, token).now = undefined
  }

  /** Applies a transfer. One of another kind than its contract's is ignored. */
  apply(id: number, transfer: DraftTransfer): void {
    if (transfer.kind === "coin" || this.#contract(transfer.contract).now?.kind !== transfer.kind) return
    if (transfer.kind === "ft") this.#move(id, transfer.contract, transfer.from, transfer.to, "", transfer.value)
    else if (transfer.kind === "nft") this.#applyNft(id, transfer)
    else this.#applyMt(id, transfer)
  }

  /**
   * Corrects the index to what the contracts answer at the end of the block, whatever their logs said. A change without
   * a log is attributed to the first transfer of the transaction that made it, `idOf`.
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
      const previous = slot.before?.owner ?? slot.now?.previousOwner ?? zeroAddress
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

  /** Sets the URI that a contract reports for a token at the end of the block. */
  describe(contract: Hex, tokenId: bigint, uri: string): void {
    const slot = this.#token(contract, quantity(tokenId))
    if (slot.now === undefined) this.#uris.set(contract + slot.key.token, uri)
    else if (slot.now.uri !== uri) slot.now = { ...slot.now, uri }
  }

  /** Writes the block's changes, and what is needed to undo them. */
  flush(block: number): void {
    this.#sum()
    const undo = { block, owner: undefined, token: whole }
    this.#holdings.flush((key, previous) => this.#insertUndo({ ...undo, ...key, previous }))
    this.#ownings.flush((key, previous) => this.#insertUndo({ ...undo, ...key, previous }))
    this.#tokens.flush((key, previous) => this.#insertUndo({ ...undo, ...key, previous }))
    this.#contracts.flush(({ address }, previous) => this.#insertUndo({ ...undo, contract: address, previous }))
    this.clear()
  }

  /** Discards the changes that are not written. */
  clear(): void {
    for (const table of [this.#holdings, this.#ownings, this.#tokens, this.#contracts]) table.clear()
    this.#supplies.clear()
    this.#uris.clear()
  }

  /** Restores every row to its state at the end of a block. */
  revert(block: number): void {
    const withSums = new Set<string>()
    const withoutSums = new Set<Hex>()
    const undo = select(
      this.#driver,
      ownershipUndo.as("u"),
      `FROM ownership_undo_${this.#c} u WHERE u.block > ?1 ORDER BY u.rowid DESC`
    )
    for (const { block: changed, contract, owner, previous, token } of undo.all(block)) {
      if (token === whole) withSums.add(`${contract}${changed}`)
      else if (!withSums.has(`${contract}${changed}`)) withoutSums.add(contract)
      if (token === whole && owner === undefined) this.#contracts.restore({ address: contract }, previous)
      else if (owner === undefined) this.#tokens.restore({ contract, token }, previous)
      else if (token === whole) this.#ownings.restore({ contract, owner }, previous)
      else this.#holdings.restore({ contract, owner, token }, previous)
    }
    // Blocks from before version 4 recorded no sums.
    for (const contract of withoutSums) recount(this.#driver, this.#c, contract)
    this.#driver.prepare(`DELETE FROM ownership_undo_${this.#c} WHERE block > ?1`).run(block)
  }

  /** The sender in the log may be wrong: a token's only owner is the last receiver. */
  #applyNft(id: number, { contract, from, to, tokenId }: DraftTransfer & { readonly kind: "nft" }): void {
    this.#give(id, this.#token(contract, quantity(tokenId)), from, to === zeroAddress ? undefined : to)
  }

  #give(id: number, slot: TokenSlot, previousOwner: Hex, owner: Hex | undefined): void {
    const { before, key, now } = slot
    const { created = id, uri = "" } = now ?? before ?? {}
    slot.named = id
    if (now?.owner !== undefined) this.#hold(id, this.#holding(key.contract, now.owner, key.token), 0n)
    if (owner !== undefined) this.#hold(id, this.#holding(key.contract, owner, key.token), 1n)
    slot.now = owner === undefined ? undefined : { owner, previousOwner, supply: 1n, uri, created, updated: id }
  }

  #applyMt(id: number, { contract, from, ids, to, values }: DraftTransfer & { readonly kind: "mt" }): void {
    for (const [index, tokenId] of ids.entries()) {
      const token = quantity(tokenId)
      const value = values[index] ?? 0n
      this.#move(id, contract, from, to, token, value)
      const slot = this.#token(contract, token)
      slot.named = id
      const minted = (from === zeroAddress ? value : 0n) - (to === zeroAddress ? value : 0n)
      const supply = clamp((slot.now?.supply ?? 0n) + minted)
      const isNothing = supply === 0n && value === 0n && from !== zeroAddress && slot.now === undefined
      const { created = id, uri = "" } = slot.now ?? {}
      slot.now = isNothing || (to === zeroAddress && supply === 0n)
        ? undefined
        : { owner: undefined, previousOwner: undefined, supply, uri, created, updated: id }
    }
  }

  #move(id: number, contract: Hex, from: Hex, to: Hex, token: string, value: bigint): void {
    for (const [owner, change] of [[from, -value], [to, value]] as const) {
      if (owner === zeroAddress) continue
      const slot = this.#holding(contract, owner, token)
      this.#hold(id, slot, clamp((slot.now?.balance ?? 0n) + change))
    }
  }

  #hold(id: number, slot: HoldingSlot, balance: bigint): void {
    slot.named = id
    slot.now = balance === 0n ? undefined : { balance, updated: id }
  }

  /** Updates sums and counts by the changes of single holdings. */
  #sum(): void {
    const ofToken = new Map<string, bigint>()
    const ofContract = new Map<Hex, { balance: bigint; holders: number }>()
    for (const { before, key, named = 0, now } of this.#holdings.slots()) {
      if (now === before) continue
      const { contract, owner, token } = key
      this.#contract(contract)
      const balance = (now?.balance ?? 0n) - (before?.balance ?? 0n)
      const owning = this.#ownings.slot({ contract, owner })
      const had = owning.now ?? { balance: 0n, tokens: 0, updated: 0 }
      const tokens = had.tokens + (now === undefined ? 0 : 1) - (before === undefined ? 0 : 1)
      const sums = ofContract.get(contract) ?? { balance: 0n, holders: 0 }
      sums.balance += balance
      sums.holders += (tokens === 0 ? 0 : 1) - (had.tokens === 0 ? 0 : 1)
      owning.now = tokens === 0 ? undefined : {
        balance: had.balance + balance,
        tokens,
        updated: Math.max(had.updated, named)
      }
      ofContract.set(contract, sums)
      ofToken.set(contract + token, (ofToken.get(contract + token) ?? 0n) + balance)
    }
    for (const slot of this.#contracts.slots()) {
      if (slot.now === undefined) continue
      const { key: { address }, now: { holders } } = slot
      const sums = ofContract.get(address)
      const supply = this.#supplies.get(address + whole) ?? slot.now.supply + (sums?.balance ?? 0n)
      // Written with every change of a holding, even if unchanged: it shows that this block's sums can be undone.
      if (sums !== undefined || supply !== slot.now.supply) {
        slot.now = { ...slot.now, supply, holders: holders + (sums?.holders ?? 0) }
      }
    }
    for (const slot of this.#tokens.slots()) {
      const { contract, token } = slot.key
      if (this.#contract(contract).now?.kind === "mt") this.#setSupply(slot, ofToken.get(contract + token) ?? 0n)
    }
  }

  /** Sets the supply of a multi token: what the contract reports, or else the sum of its holdings. */
  #setSupply(slot: TokenSlot, change: bigint): void {
    const { before, key, named, now } = slot
    const id = key.contract + key.token
    const supply = this.#supplies.get(id) ?? (before?.supply ?? 0n) + change
    if (now?.supply === supply || named === undefined || (now === undefined && supply === 0n)) return
    const { created = named, uri = this.#uris.get(id) ?? "" } = now ?? before ?? {}
    slot.now = { owner: undefined, previousOwner: undefined, supply, uri, created, updated: named }
  }

  #contract(address: Hex): ContractSlot {
    return this.#contracts.slot({ address })
  }

  #holding(contract: Hex, owner: Hex, token: string): HoldingSlot {
    return this.#holdings.slot({ contract, owner, token })
  }

  #token(contract: Hex, token: string): TokenSlot {
    return this.#tokens.slot({ contract, token })
  }
}

const maxPossible = 2n ** 256n - 1n

/** Logs may claim amounts that zeroAddress had: keeps a number within what a contract can hold. */
const clamp = (value: bigint): bigint => value < 0n ? 0n : value > maxPossible ? maxPossible : value

/** All holdings of a contract. */
const holdingsOf = (driver: Driver, c: number) =>
  select(driver, holdings.as("h"), `FROM holdings_${c} h WHERE h.contract = ?1`)

/** Recomputes the sums and counts of a contract from its holdings. */
const recount = (driver: Driver, c: number, contract: Hex): void => {
  const owners = new Map<Hex, { balance: bigint; tokens: number; updated: number }>()
  for (const { balance, owner, updated } of holdingsOf(driver, c).all(blob(contract))) {
    const sums = owners.get(owner) ?? { balance: 0n, tokens: 0, updated: 0 }
    sums.balance += balance
    sums.tokens += 1
    sums.updated = Math.max(sums.updated, updated)
    owners.set(owner, sums)
  }
  driver.prepare(`DELETE FROM ownings_${c} WHERE contract = ?1`).run(blob(contract))
  const insert = ownings.of(c).insert(driver)
  let supply = 0n
  for (const [owner, sums] of owners) {
    insert({ contract, owner, ...sums })
    supply += sums.balance
  }
  contracts.of(c).update(driver, "supply", "holders")({ address: contract, supply, holders: owners.size })
}

/** The same for every contract of a chain. */
export const recountOwnings = (driver: Driver, c: number): void => {
  const { address } = contracts.as("c")
  for (const row of select(driver, { address }, `FROM contracts_${c} c`).all()) recount(driver, c, row.address)
}
