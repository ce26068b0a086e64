import { type Hex, quantity, zeroAddress } from "@effect-klaytn/transaction/Hex"
import { keyOf } from "../BlockKey.js"
import type { PreparedTokens } from "../IndexWriter.js"
import type { OwnershipRows, OwnershipWrites } from "../Ownership.js"
import {
  allTokens,
  type DescribedContract,
  type DraftTransfer,
  movesTokens,
  type Question,
  type TokenAnswers
} from "./IndexedBlock.js"
import { type Slot, Slots } from "./Slots.js"

type SlotOf<C> = C extends ReadonlyArray<{ readonly key: infer K; readonly now: infer A }>
  ? Slot<K, Exclude<A, undefined>>
  : never
type HoldingSlot = SlotOf<OwnershipWrites["holdings"]>
type TokenSlot = SlotOf<OwnershipWrites["tokens"]>
type ContractSlot = SlotOf<OwnershipWrites["contracts"]>

/**
 * The changes of one block to the owners of tokens: first by the transfers in its logs, then by the answers of the
 * contracts. Sums and counts are updated with every change, never computed for a query.
 */
export class OwnershipFold {
  readonly #holdings
  readonly #ownings
  readonly #tokens
  readonly #contracts
  readonly #questions
  readonly #replaced
  /** Supplies that contracts reported in this block, by contract and token. */
  readonly #supplies = new Map<string, bigint>()
  /** URIs that contracts reported in this block, by contract and token. */
  readonly #uris = new Map<string, string>()

  constructor({ contracts, holdings, ownings, questions, replaced, tokens }: OwnershipRows) {
    this.#holdings = new Slots(["contract", "owner", "token"], holdings)
    this.#ownings = new Slots(["contract", "owner"], ownings)
    this.#tokens = new Slots(["contract", "token"], tokens)
    this.#contracts = new Slots(["address"], contracts)
    this.#questions = new Slots(["contract", "owner", "token"], questions)
    this.#replaced = replaced
  }

  /** Adds a contract or updates its description. A contract whose kind changes loses its tokens and holdings. */
  introduce(block: number, { address, ...described }: DescribedContract): void {
    const slot = this.#contract(address)
    slot.now = { block, supply: 0n, holders: 0, ...slot.now, ...described }
    if (slot.before === undefined || slot.before.kind === described.kind) return
    for (const key of this.#replaced.holdings) if (key.contract === address) this.#holdings.slot(key).now = undefined
    for (const key of this.#replaced.tokens) if (key.contract === address) this.#tokens.slot(key).now = undefined
  }

  /** Applies a transfer. One of another kind than its contract's is ignored. */
  apply(id: number, transfer: DraftTransfer): void {
    if (transfer.kind === "coin" || this.#contract(transfer.contract).now?.kind !== transfer.kind) return
    if (transfer.kind === "ft") this.#move(id, transfer.contract, transfer.from, transfer.to, "", transfer.value)
    else if (transfer.kind === "nft") this.#applyNft(id, transfer)
    else this.#applyMt(id, transfer)
  }

  /** Corrects the index to the answers of the contracts at the end of the block, which count more than their logs. */
  settle({ balances, owners, supplies, tokenSupplies }: TokenAnswers): void {
    for (const { balance, contract, owner, tokenId, transfer } of balances) {
      const slot = this.#holding(contract, owner, tokenId === undefined ? "" : quantity(tokenId))
      if (slot.named === undefined && balance === (slot.now?.balance ?? 0n)) continue
      slot.named ??= latest(transfer, slot.now)
      slot.now = balance === 0n ? undefined : { balance, updated: slot.named }
      if (tokenId !== undefined) this.#token(contract, quantity(tokenId)).named ??= slot.named
    }
    for (const { contract, owner, tokenId, transfer } of owners) {
      const slot = this.#token(contract, quantity(tokenId))
      if (slot.now?.owner === owner) continue
      const id = slot.named ?? latest(transfer, slot.now)
      const previous = slot.before?.owner ?? slot.now?.previousOwner ?? zeroAddress
      this.#give(id, slot, previous, owner)
    }
    for (const { contract, supply } of supplies) {
      this.#supplies.set(`${contract}${allTokens}`, supply)
      this.#contract(contract)
    }
    for (const { contract, supply, tokenId, transfer } of tokenSupplies) {
      this.#supplies.set(`${contract}${quantity(tokenId)}`, supply)
      const slot = this.#token(contract, quantity(tokenId))
      slot.named ??= latest(transfer, slot.now)
    }
  }

  /** Sets the URI that a contract reports for a token at the end of the block. */
  describe(contract: Hex, tokenId: bigint, uri: string): void {
    const slot = this.#token(contract, quantity(tokenId))
    if (slot.now === undefined) this.#uris.set(contract + slot.key.token, uri)
    else if (slot.now.uri !== uri) slot.now = { ...slot.now, uri }
  }

  /** Adds what a contract has still to be asked. */
  ask({ contract, hasNewUri, owner, token, transfer }: Question): void {
    const slot = this.#questions.slot({ contract, owner, token })
    if (slot.now === undefined || (hasNewUri && !slot.now.hasNewUri)) {
      slot.now = { transfer, ...slot.now, hasNewUri }
    }
  }

  /** Removes what was asked. */
  remove({ contract, owner, token }: Pick<Question, "contract" | "owner" | "token">): void {
    this.#questions.slot({ contract, owner, token }).now = undefined
  }

  /** The rows that changed, with the sums over them. */
  changes(): OwnershipWrites {
    this.#sum()
    return {
      contracts: this.#contracts.changes(),
      tokens: this.#tokens.changes(),
      holdings: this.#holdings.changes(),
      ownings: this.#ownings.changes(),
      questions: this.#questions.changes()
    }
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
    for (const { before, key, named = 0, now } of this.#holdings.all()) {
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
        balance: clamp(had.balance + balance),
        tokens,
        updated: Math.max(had.updated, named)
      }
      ofContract.set(contract, sums)
      ofToken.set(contract + token, (ofToken.get(contract + token) ?? 0n) + balance)
    }
    for (const slot of this.#contracts.all()) {
      if (slot.now === undefined) continue
      const { key: { address }, now: { holders } } = slot
      const sums = ofContract.get(address)
      const supply = this.#supplies.get(address + allTokens) ??
        clamp(slot.now.supply + (sums?.balance ?? 0n))
      // Written with every change of a holding, even if unchanged: it shows that this block's sums can be undone.
      if (sums !== undefined || supply !== slot.now.supply) {
        slot.now = { ...slot.now, supply, holders: holders + (sums?.holders ?? 0) }
      }
    }
    for (const slot of this.#tokens.all()) {
      const { contract, token } = slot.key
      if (this.#contract(contract).now?.kind === "mt") this.#setSupply(slot, ofToken.get(contract + token) ?? 0n)
    }
  }

  /** Sets the supply of a multi token: what the contract reports, or else the sum of its holdings. */
  #setSupply(slot: TokenSlot, change: bigint): void {
    const { before, key, named, now } = slot
    const id = key.contract + key.token
    const supply = this.#supplies.get(id) ?? clamp((before?.supply ?? 0n) + change)
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

/** The later one of a transfer and the last that changed a row. */
const latest = (transfer: number, now: { readonly updated: number } | undefined): number =>
  Math.max(transfer, now?.updated ?? 0)

const maxPossible = 2n ** 256n - 1n

/** Logs may claim impossible amounts: keeps a number within what a contract can hold. */
export const clamp = (value: bigint): bigint => value < 0n ? 0n : value > maxPossible ? maxPossible : value

/** The changes that a block makes to these rows. The rows are not changed. */
export const writesOf = (block: PreparedTokens, rows: OwnershipRows): OwnershipWrites => {
  const fold = new OwnershipFold(rows)
  const { number } = block.header
  for (const contract of block.contracts) fold.introduce(number, contract)
  for (const { transfers, transfersBefore } of block.transactions) {
    for (const [index, transfer] of transfers.entries()) {
      if (movesTokens(block, transfer)) fold.apply(keyOf(number, transfersBefore + index), transfer)
    }
  }
  fold.settle(block.answers)
  for (const { contract, tokenId, uri } of block.uris) fold.describe(contract, tokenId, uri)
  for (const question of block.questions) fold.ask(question)
  for (const question of block.asked) fold.remove(question)
  return fold.changes()
}
