import { type AccountRecord, decodeAccount, encodeAccount } from "@effect-klaytn/local-chain/AccountRecord"
import type { StateChange, StateEntry } from "@effect-klaytn/local-chain/ChainStorage"
import type { Driver } from "@effect-klaytn/store/Driver"
import { expression, select } from "@effect-klaytn/store/Query"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { codes, state, stateHistory } from "./Schema.js"

const keyOf = (address: string, slot: string): Uint8Array => Buffer.from(address.slice(2) + slot, "hex")

const encode = (value: AccountRecord | Uint8Array): Uint8Array =>
  value instanceof Uint8Array ? value : encodeAccount(value)

/** Reads and writes the world state of one chain: the newest values, and the values that each block replaced. */
export class StateStore {
  readonly #driver: Driver
  readonly #c: number
  readonly #insertCode
  readonly #put
  readonly #remove
  readonly #insertHistory

  constructor(driver: Driver, c: number) {
    this.#driver = driver
    this.#c = c
    this.#insertCode = codes.put(driver)
    this.#put = state.of(c).put(driver)
    this.#remove = state.of(c).remove(driver)
    this.#insertHistory = stateHistory.of(c).insert(driver)
  }

  /** All code, by its hash without 0x. */
  codes(): ReadonlyArray<readonly [hash: string, code: Uint8Array]> {
    const rows = select(this.#driver, codes.as("c"), "FROM codes c").all()
    return rows.map(({ code, hash }) => [fromBytes(hash).slice(2), code])
  }

  /** The newest value of everything. */
  entries(): ReadonlyArray<StateEntry> {
    return select(this.#driver, state.as("s"), `FROM state_${this.#c} s`).all().map(toEntry)
  }

  /** Stores what a block changed. */
  write(block: number, changes: ReadonlyArray<StateChange>, codes: ReadonlyMap<string, Uint8Array>): void {
    for (const [hash, code] of codes) this.#insertCode({ hash: Buffer.from(hash, "hex"), code })
    for (const { address, after, before, slot } of changes) {
      const key = keyOf(address, slot)
      this.#insertHistory({ key, block, previous: before && encode(before) })
      this.#set(key, after)
    }
  }

  /** Everything that changed after a block, with the value at the end of that block. */
  changedSince(block: number): ReadonlyArray<StateEntry> {
    const { key, previous } = stateHistory.as("h")
    return select(
      this.#driver,
      // In a query with `min`, the other cells come from the row with the minimum.
      { key, first: expression("min(h.block)", stateHistory.fields.block), value: previous },
      `FROM state_history_${this.#c} h WHERE h.block > ?1 GROUP BY h.key`
    ).all(block).map(toEntry)
  }

  /** Reverts the stored state to the end of a block; returns what `changedSince` returned before. */
  revert(block: number): ReadonlyArray<StateEntry> {
    const entries = this.changedSince(block)
    for (const { address, slot, value } of entries) this.#set(keyOf(address, slot), value)
    this.#driver.prepare(`DELETE FROM state_history_${this.#c} WHERE block > ?1`).run(block)
    return entries
  }

  /** An entry at the end of a block; undefined if no later block changed it, so that its newest value holds. */
  before(block: number, address: Hex, slot = ""): StateEntry | undefined {
    const { key, previous } = stateHistory.as("h")
    const row = select(
      this.#driver,
      { key, value: previous },
      `FROM state_history_${this.#c} h WHERE h.key = ?1 AND h.block > ?2 ORDER BY h.block LIMIT 1`
    ).first(keyOf(address, slot), block)
    return row && toEntry(row)
  }

  #set(key: Uint8Array, value: AccountRecord | Uint8Array | undefined): void {
    if (value === undefined) this.#remove({ key })
    else this.#put({ key, value: encode(value) })
  }
}

const toEntry = ({ key, value }: { readonly key: Uint8Array; readonly value: Uint8Array | undefined }): StateEntry => {
  const digits = fromBytes(key)
  const slot = digits.slice(42)
  return {
    address: digits.slice(0, 42),
    slot,
    value: value === undefined || slot !== "" ? value : decodeAccount(value)
  }
}
