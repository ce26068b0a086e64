import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { AccountFields, StateManagerInterface } from "@ethereumjs/common"
import { Account, type Address, KECCAK256_NULL } from "@ethereumjs/util"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import {
  type AccountRecord,
  emptyAccount,
  failKey,
  hasCode,
  legacyKey,
  sameAccount,
  sameBytes
} from "./AccountRecord.js"

/** One thing of the state: an account (no slot) or a storage slot of it. */
export interface StateChange {
  /** Lower-case 0x address. */
  readonly address: string
  /** 64 lower-case hex digits without 0x, or empty for the account itself. */
  readonly slot: string
  readonly before: AccountRecord | Uint8Array | undefined
  readonly after: AccountRecord | Uint8Array | undefined
}

type Entry = readonly [address: string, slot: string, previous: AccountRecord | Uint8Array | undefined]

const nothing = new Uint8Array(0)

const withoutLeadingZeros = (bytes: Uint8Array): Uint8Array => {
  let start = 0
  while (start < bytes.length && bytes[start] === 0) start++
  return start === 0 ? bytes : bytes.slice(start)
}

/**
 * The world state of one chain, in memory, as the EVM's state manager.
 *
 * Checkpoint, commit and revert cost what changed since the checkpoint, never what exists: every write leaves the
 * previous value in one undo journal. Klaytn account keys live in the account record, so a reverted transaction takes
 * its key update back with it. Beside the journal, the first previous value of everything a block touches is kept, for
 * the store (what to write, what to be able to undo) and for dropping a block that could not be stored.
 *
 * There is no trie: the methods about state roots answer with zeros and are never called by the EVM.
 */
export class JournalState implements StateManagerInterface {
  readonly #accounts = new Map<string, AccountRecord>()
  readonly #storage = new Map<string, Map<string, Uint8Array>>()
  readonly #codes = new Map<string, Uint8Array>()
  readonly #freshCodes = new Map<string, Uint8Array>()
  readonly #journal: Array<Entry> = []
  readonly #marks: Array<number> = []
  readonly #before = new Map<string, Entry>()
  readonly #original = new Map<string, Uint8Array>()

  readonly originalStorageCache = {
    get: async (address: Address, key: Uint8Array): Promise<Uint8Array> => {
      const owner = address.toString()
      const slot = bytesToHex(key)
      return this.#original.get(owner + slot) ?? this.slot(owner, slot) ?? nothing
    },
    clear: (): void => this.#original.clear()
  }

  // --- what the chain reads and writes ---

  /** The account, or nothing when the address was never touched. */
  account(address: string): AccountRecord | undefined {
    return this.#accounts.get(address)
  }

  /** The account, or the empty one. */
  accountOrEmpty(address: string): AccountRecord {
    return this.#accounts.get(address) ?? emptyAccount
  }

  /** Replaces fields of an account. */
  update(address: string, fields: Partial<AccountRecord>): void {
    this.#put(address, "", { ...this.accountOrEmpty(address), ...fields })
  }

  /** Value of a storage slot without leading zeros, or nothing when it is zero. */
  slot(address: string, slot: string): Uint8Array | undefined {
    return this.#storage.get(address)?.get(slot)
  }

  /** Contract and slot of everything that was written to storage since the message began, also of what was taken back. */
  written(): ReadonlyArray<readonly [contract: Hex, slot: string]> {
    return Array.from(this.#original.keys(), (key) => [`0x${key.slice(2, 42)}`, key.slice(42)])
  }

  /** Code with this hash. */
  code(codeHash: Uint8Array): Uint8Array {
    return this.#codes.get(bytesToHex(codeHash)) ?? nothing
  }

  // --- blocks ---

  /** What the block being built changed so far, without things that came back to what they were. */
  changes(): Array<StateChange> {
    const changes: Array<StateChange> = []
    for (const [address, slot, before] of this.#before.values()) {
      const after = slot === "" ? this.#accounts.get(address) : this.slot(address, slot)
      if (!same(before, after)) changes.push({ address, slot, before, after })
    }
    return changes
  }

  /** Codes that are new since the last sealed block, by hex hash without 0x. */
  freshCodes(): ReadonlyMap<string, Uint8Array> {
    return this.#freshCodes
  }

  /** The block is stored: what it changed is the state now. */
  seal(): void {
    this.#before.clear()
    this.#freshCodes.clear()
  }

  /** The block is dropped: everything is as it was before it. */
  discard(): void {
    for (const [address, slot, previous] of this.#before.values()) this.restore(address, slot, previous)
    for (const hash of this.#freshCodes.keys()) this.#codes.delete(hash)
    this.#journal.length = 0
    this.#marks.length = 0
    this.#original.clear()
    this.seal()
  }

  /** Sets a value without a trace: for loading from the store and for going back to an earlier block. */
  restore(address: string, slot: string, value: AccountRecord | Uint8Array | undefined): void {
    if (value === undefined || value instanceof Uint8Array) {
      if (slot === "") this.#accounts.delete(address)
      else this.#setSlot(address, slot, value)
    } else this.#accounts.set(address, value)
  }

  /** Makes a code known without a trace. */
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
    const key = this.#accounts.get(owner)?.key ?? legacyKey
    this.#put(owner, "", { nonce: account.nonce, balance: account.balance, codeHash: account.codeHash, key })
  }

  async deleteAccount(address: Address): Promise<void> {
    this.#remove(address.toString())
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const { balance, codeHash, nonce } = fields
    this.update(address.toString(), {
      ...(nonce !== undefined && { nonce }),
      ...(balance !== undefined && { balance }),
      ...(codeHash !== undefined && { codeHash })
    })
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    const codeHash = code.length === 0 ? KECCAK256_NULL : keccak_256(code)
    const hash = bytesToHex(codeHash)
    if (code.length > 0 && !this.#codes.has(hash)) {
      this.#codes.set(hash, code)
      this.#freshCodes.set(hash, code)
    }
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
    const trimmed = withoutLeadingZeros(value)
    this.#put(owner, slot, trimmed.length === 0 ? undefined : trimmed)
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
      if (entry !== undefined) this.restore(...entry)
    }
    this.#journal.length = mark
  }

  /** How many checkpoints are open. */
  get depth(): number {
    return this.#marks.length
  }

  /** Takes back every checkpoint beyond a depth: what is left open when something broke off half way. */
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
    throw new Error("one chain has one state: it is never copied")
  }

  // --- the one way to write ---

  #put(address: string, slot: string, value: AccountRecord | Uint8Array | undefined): void {
    const entry: Entry = [address, slot, slot === "" ? this.#accounts.get(address) : this.slot(address, slot)]
    if (this.#marks.length > 0) this.#journal.push(entry)
    const id = address + slot
    if (!this.#before.has(id)) this.#before.set(id, entry)
    this.restore(address, slot, value)
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

const same = (a: AccountRecord | Uint8Array | undefined, b: AccountRecord | Uint8Array | undefined): boolean => {
  if (a === undefined || b === undefined) return a === b
  if (a instanceof Uint8Array) return b instanceof Uint8Array && sameBytes(a, b)
  return !(b instanceof Uint8Array) && sameAccount(a, b)
}
