import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { AccountFields, StateManagerInterface } from "@ethereumjs/common"
import { Account, type Address, equalsBytes, KECCAK256_NULL } from "@ethereumjs/util"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { type AccountRecord, emptyAccount, failKey, hasCode, legacyKey, sameAccount } from "../AccountRecord.js"
import type { StateChange, StateEntry } from "../ChainStorage.js"

const nothing = new Uint8Array(0)

/** Edits, and the code that they refer to. */
export interface StateEdits {
  readonly entries: ReadonlyArray<StateEntry>
  readonly codes: ReadonlyArray<Uint8Array>
}

const withoutLeadingZeros = (bytes: Uint8Array): Uint8Array => {
  let start = 0
  while (start < bytes.length && bytes[start] === 0) start++
  return start === 0 ? bytes : bytes.slice(start)
}

/**
 * The world state of one chain, in memory, as the EVM's state manager.
 *
 * The cost of checkpoint, commit and revert depends on the changes since the checkpoint, not on the size of the state:
 * every write leaves the previous value in one undo journal. Klaytn account keys are part of the account record, so
 * reverting a transaction also reverts its key update. Beside the journal, the value that everything a block touches had
 * before the block is kept, for the store (what to write and how to undo it) and to discard a block that can't be stored.
 *
 * There is no trie: the state root is always zero, and the EVM never asks for it.
 */
export class JournalState implements StateManagerInterface {
  readonly #accounts = new Map<string, AccountRecord>()
  readonly #storage = new Map<string, Map<string, Uint8Array>>()
  readonly #codes = new Map<string, Uint8Array>()
  readonly #freshCodes = new Map<string, Uint8Array>()
  readonly #journal: Array<StateEntry> = []
  readonly #marks: Array<number> = []
  readonly #before = new Map<string, StateEntry>()
  readonly #original = new Map<string, Uint8Array>()
  /** The entries that were edited since the newest block, with their values before. */
  readonly #edited = new Map<string, StateEntry>()
  readonly #editedCodes = new Map<string, Uint8Array>()

  readonly originalStorageCache = {
    get: async (address: Address, key: Uint8Array): Promise<Uint8Array> => {
      const owner = address.toString()
      const slot = bytesToHex(key)
      return this.#original.get(owner + slot) ?? this.slot(owner, slot) ?? nothing
    },
    clear: (): void => this.#original.clear()
  }

  // --- for the chain ---

  /** The account, or undefined if the address is unused. */
  account(address: string): AccountRecord | undefined {
    return this.#accounts.get(address)
  }

  /** The account, or the empty one. */
  accountOrEmpty(address: string): AccountRecord {
    return this.#accounts.get(address) ?? emptyAccount
  }

  /** The balances of all accounts together. */
  coin(): bigint {
    let sum = 0n
    for (const { balance } of this.#accounts.values()) sum += balance
    return sum
  }

  /** Replaces fields of an account. */
  update(address: string, fields: Partial<AccountRecord>): void {
    this.#put(address, "", { ...this.accountOrEmpty(address), ...fields })
  }

  /** An account becomes a contract, which keeps that also if it gets no code. */
  makeContract(address: string): void {
    this.update(address, { key: failKey, isContractWithoutCode: true })
  }

  /** An account, or the value of a slot. */
  value(address: string, slot: string): StateEntry["value"] {
    return slot === "" ? this.#accounts.get(address) : this.slot(address, slot)
  }

  /** The present values of some entries. */
  present(entries: Iterable<StateEntry>): ReadonlyArray<StateEntry> {
    return Array.from(entries, ({ address, slot }) => ({ address, slot, value: this.value(address, slot) }))
  }

  /** Sets an entry as a part of the current block. */
  put({ address, slot, value }: StateEntry): void {
    this.#put(address, slot, value)
  }

  /** Value of a storage slot without leading zeros, or undefined if it is zero. */
  slot(address: string, slot: string): Uint8Array | undefined {
    return this.#storage.get(address)?.get(slot)
  }

  /** Sets a slot as a part of the current block, without counting as a write of the running message. */
  store(address: string, slot: string, value: Uint8Array): void {
    const trimmed = withoutLeadingZeros(value)
    this.#put(address, slot, trimmed.length === 0 ? undefined : trimmed)
  }

  /** Contract and slot of every write to storage since the message began, reverted ones included. */
  written(): ReadonlyArray<readonly [contract: Hex, slot: string]> {
    return Array.from(this.#original.keys(), (key) => [`0x${key.slice(2, 42)}`, key.slice(42)])
  }

  /** The code with this hash. */
  code(codeHash: Uint8Array): Uint8Array {
    return this.#codes.get(bytesToHex(codeHash)) ?? nothing
  }

  /** Adds code that an account of the current block refers to, and gives its hash. */
  addCode(code: Uint8Array): Uint8Array {
    return this.#keepCode(code, this.#freshCodes)
  }

  // --- blocks ---

  /** The changes of the current block so far, without entries that have their previous value again. */
  changes(): Array<StateChange> {
    const changes: Array<StateChange> = []
    // Edits came before the block: the value before an edit is the value at the end of the newest block.
    for (const { address, slot, value: before } of new Map([...this.#before, ...this.#edited]).values()) {
      const after = this.value(address, slot)
      if (!same(before, after)) changes.push({ address, slot, before, after })
    }
    return changes
  }

  /** Code that is new in the current block, by its hash, hex without 0x. */
  freshCodes(): ReadonlyMap<string, Uint8Array> {
    return new Map([...this.#editedCodes, ...this.#freshCodes])
  }

  /** Keeps the changes of the current block, once it is stored with the edits before it. */
  seal(): void {
    this.#before.clear()
    this.#freshCodes.clear()
    this.#edited.clear()
    this.#editedCodes.clear()
  }

  /** Reverts every change of the current block. */
  discard(): void {
    for (const entry of this.#before.values()) this.restore(entry)
    for (const hash of this.#freshCodes.keys()) this.#codes.delete(hash)
    this.#journal.length = 0
    this.#marks.length = 0
    this.#original.clear()
    this.#before.clear()
    this.#freshCodes.clear()
  }

  // --- edits, between blocks ---

  /** Sets a value that no transaction sets. It outlasts a discarded block, and is one of the next block's changes. */
  edit(entry: StateEntry): void {
    const { address, slot } = entry
    const id = address + slot
    if (!this.#edited.has(id)) this.#edited.set(id, { address, slot, value: this.value(address, slot) })
    this.restore(entry)
  }

  /** Adds code that an edited account refers to, and gives its hash. */
  editCode(code: Uint8Array): Uint8Array {
    return this.#keepCode(code, this.#editedCodes)
  }

  /** Everything that was edited since the newest block, as it is now. */
  edits(): StateEdits {
    return { entries: this.present(this.#edited.values()), codes: [...this.#editedCodes.values()] }
  }

  /** The same as it was at the end of the newest block. */
  beforeEdits(): ReadonlyArray<StateEntry> {
    return [...this.#edited.values()]
  }

  /** A value at the end of the newest block. */
  valueBeforeEdits(address: string, slot: string): StateEntry["value"] {
    const edited = this.#edited.get(address + slot)
    return edited === undefined ? this.value(address, slot) : edited.value
  }

  /** Undoes all edits since the newest block. */
  dropEdits(): void {
    for (const entry of this.#edited.values()) this.restore(entry)
    for (const hash of this.#editedCodes.keys()) this.#codes.delete(hash)
    this.#edited.clear()
    this.#editedCodes.clear()
  }

  /** Sets a value outside of the journal: for loading the stored state and for going back to an earlier block. */
  restore({ address, slot, value }: StateEntry): void {
    if (value === undefined || value instanceof Uint8Array) {
      if (slot === "") this.#accounts.delete(address)
      else this.#setSlot(address, slot, value)
    } else this.#accounts.set(address, value)
  }

  /** Adds stored code. */
  restoreCode(hash: string, code: Uint8Array): void {
    this.#codes.set(hash, code)
  }

  // --- StateManagerInterface ---

  async getAccount(address: Address): Promise<Account | undefined> {
    const account = this.#accounts.get(address.toString())
    return account && new Account(account.nonce, account.balance, undefined, account.codeHash)
  }

  async putAccount(address: Address, account?: Account): Promise<void> {
    const owner = address.toString()
    if (account === undefined) return this.#remove(owner)
    const { balance, codeHash, nonce } = account
    const { isContractWithoutCode, key = legacyKey } = this.#accounts.get(owner) ?? {}
    this.#put(owner, "", {
      nonce,
      balance,
      codeHash,
      key,
      ...(isContractWithoutCode === true && { isContractWithoutCode })
    })
  }

  async deleteAccount(address: Address): Promise<void> {
    this.#remove(address.toString())
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const owner = address.toString()
    const { balance, codeHash, nonce } = { ...this.accountOrEmpty(owner), ...fields }
    this.update(owner, { balance, codeHash, nonce })
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    const codeHash = code.length === 0 ? KECCAK256_NULL : this.addCode(code)
    this.update(address.toString(), code.length === 0 ? { codeHash } : { codeHash, key: failKey })
  }

  async getCode(address: Address): Promise<Uint8Array> {
    const account = this.#accounts.get(address.toString())
    return account === undefined || !hasCode(account) ? nothing : this.code(account.codeHash)
  }

  async getCodeSize(address: Address): Promise<number> {
    return (await this.getCode(address)).length
  }

  async getStorage(address: Address, key: Uint8Array): Promise<Uint8Array> {
    return this.slot(address.toString(), bytesToHex(key)) ?? nothing
  }

  async putStorage(address: Address, key: Uint8Array, value: Uint8Array): Promise<void> {
    const owner = address.toString()
    const slot = bytesToHex(key)
    if (!this.#original.has(owner + slot)) this.#original.set(owner + slot, this.slot(owner, slot) ?? nothing)
    this.store(owner, slot, value)
  }

  async clearStorage(address: Address): Promise<void> {
    this.#clearStorage(address.toString())
  }

  async checkpoint(): Promise<void> {
    this.#marks.push(this.#journal.length)
  }

  async commit(): Promise<void> {
    this.#marks.pop()
    if (this.#marks.length === 0) this.#journal.length = 0
  }

  async revert(): Promise<void> {
    const mark = this.#marks.pop() ?? 0
    for (let i = this.#journal.length - 1; i >= mark; i--) {
      const entry = this.#journal[i]
      if (entry !== undefined) this.restore(entry)
    }
    this.#journal.length = mark
  }

  /** Number of open checkpoints. */
  get depth(): number {
    return this.#marks.length
  }

  /** Reverts every checkpoint beyond a depth, which an execution that broke off has left open. */
  async unwind(depth: number): Promise<void> {
    while (this.#marks.length > depth) await this.revert()
  }

  async getStateRoot(): Promise<Uint8Array> {
    return new Uint8Array(32)
  }

  async setStateRoot(): Promise<void> {}

  async hasStateRoot(): Promise<boolean> {
    return false
  }

  clearCaches(): void {
    this.#original.clear()
  }

  shallowCopy(): StateManagerInterface {
    throw new Error("the state of a chain can't be copied")
  }

  // --- writing ---

  /** Keeps code, as new if it is, and gives its hash. */
  #keepCode(code: Uint8Array, fresh: Map<string, Uint8Array>): Uint8Array {
    const codeHash = keccak_256(code)
    const hash = bytesToHex(codeHash)
    if (!this.#codes.has(hash)) {
      this.#codes.set(hash, code)
      fresh.set(hash, code)
    }
    return codeHash
  }

  #put(address: string, slot: string, value: StateEntry["value"]): void {
    const entry = { address, slot, value: this.value(address, slot) }
    if (this.#marks.length > 0) this.#journal.push(entry)
    const id = address + slot
    if (!this.#before.has(id)) this.#before.set(id, entry)
    this.restore({ address, slot, value })
  }

  /** The slots of an account that are not zero. */
  slotsOf(address: string): Iterable<string> {
    return this.#storage.get(address)?.keys() ?? []
  }

  #remove(address: string): void {
    this.#clearStorage(address)
    if (this.#accounts.has(address)) this.#put(address, "", undefined)
  }

  #clearStorage(address: string): void {
    for (const slot of [...(this.#storage.get(address)?.keys() ?? [])]) this.#put(address, slot, undefined)
  }

  #setSlot(address: string, slot: string, value: Uint8Array | undefined): void {
    const slots = this.#storage.get(address)
    if (value === undefined) {
      slots?.delete(slot)
      if (slots?.size === 0) this.#storage.delete(address)
    } else if (slots === undefined) this.#storage.set(address, new Map([[slot, value]]))
    else slots.set(slot, value)
  }
}

const same = (a: StateEntry["value"], b: StateEntry["value"]): boolean => {
  if (a === undefined || b === undefined) return a === b
  if (a instanceof Uint8Array) return b instanceof Uint8Array && equalsBytes(a, b)
  return !(b instanceof Uint8Array) && sameAccount(a, b)
}
