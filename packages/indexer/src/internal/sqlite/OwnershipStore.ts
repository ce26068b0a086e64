import { type Hex, zeroAddress } from "@effect-klaytn/transaction/Hex"
import { blob, quantity } from "../../Column.js"
import type { Driver } from "../../Driver.js"
import { contracts, holdings, ownershipUndo, ownings, questions, tokens } from "../../IndexTables.js"
import type { OwnershipKeys, OwnershipRows, OwnershipWrites, RowChange } from "../../Ownership.js"
import { select } from "../../Query.js"
import type { Fields, Row } from "../../Table.js"
import { allTokens, noOwner } from "../IndexedBlock.js"
import { idBy } from "../Slots.js"

/** Before the token of a question. */
const ofQuestion = "?"

/** In place of a token's ID: the undo rows of this block and of all before it are removed. */
const pruned = "-"

/** The part of a table that is used here. */
interface KeyedTable<Key, A> {
  readonly fields: Fields
  readonly options: { readonly primaryKey?: ReadonlyArray<keyof Key & string> }
  readonly find: (driver: Driver) => (key: Key) => A | undefined
  readonly put: (driver: Driver) => (row: Key & A) => void
  readonly remove: (driver: Driver) => (key: Key) => void
}

/** Stores the previous value of a row. */
type Undo<Key> = (key: Key, previous: string | undefined) => void

/** The row of a table, among the undo rows. */
type UndoKey = Omit<Row<typeof ownershipUndo.fields>, "block" | "previous">

/** A row that was read or changed. */
interface Held<Key, A> {
  readonly key: Key
  readonly now: A | undefined
  readonly isStored: boolean
}

/**
 * Rows by their keys, and the changes of them. While blocks are written together, rows are read once, and changes that are
 * never undone are stored once.
 */
class Rows<Key extends object, A extends object> {
  readonly #idOf
  readonly #find
  readonly #put
  readonly #remove
  readonly #held = new Map<string, Held<Key, A>>()

  constructor(driver: Driver, private readonly table: KeyedTable<Key, A>) {
    this.#idOf = idBy(table.options.primaryKey ?? [])
    this.#find = table.find(driver)
    this.#put = table.put(driver)
    this.#remove = table.remove(driver)
  }

  /** Reads rows, each once. */
  reading(): { readonly found: ReadonlyMap<string, A>; readonly read: (key: Key) => A | undefined } {
    const found = new Map<string, A>()
    const read = (key: Key): A | undefined => {
      const id = this.#idOf(key)
      let held = this.#held.get(id)
      if (held === undefined) {
        held = { key, now: this.#find(key), isStored: true }
        this.#held.set(id, held)
      }
      if (held.now !== undefined) found.set(id, held.now)
      return held.now
    }
    return { found, read }
  }

  /** Writes the changed rows, and calls `undo` before each with its previous value as text. */
  write(changes: ReadonlyArray<RowChange<Key, A>>, undo: Undo<Key> | undefined): void {
    for (const { before, key, now } of changes) {
      this.#held.set(this.#idOf(key), { key, now, isStored: undo !== undefined })
      if (undo === undefined) continue
      undo(key, before && JSON.stringify(before, writeBigints))
      this.#store(key, now)
    }
  }

  /** Stores what is not stored yet. */
  flush(): void {
    for (const { isStored, key, now } of this.#held.values()) if (!isStored) this.#store(key, now)
    this.forget()
  }

  /** Forgets what was read or changed. */
  forget(): void {
    this.#held.clear()
  }

  /** Restores a row to its previous value. */
  restore(key: Key, previous: string | undefined): void {
    this.#store(key, previous === undefined ? undefined : this.#parse(previous))
  }

  #store(key: Key, now: A | undefined): void {
    if (now === undefined) this.#remove(key)
    else this.#put({ ...key, ...now })
  }

  /** Columns that were added after the text was written get their default. */
  #parse(text: string): A {
    const stored: Readonly<Record<string, unknown>> = JSON.parse(text)
    const key: ReadonlyArray<string> = this.table.options.primaryKey ?? []
    const fields = Object.entries(this.table.fields).filter(([name]) => !key.includes(name))
    const row = fields.map(([name, { decode, fallback, fromJson = decode }]) => {
      const value = stored[name] ?? null
      return [name, value === null && fallback !== undefined ? fallback.value : fromJson(value, name)]
    })
    // All fields but those of the key, each decoded by its column.
    return Object.fromEntries(row)
  }
}

const writeBigints = (_: string, value: unknown): unknown => typeof value === "bigint" ? quantity(value) : value

/** The tables of tokens and their owners on one chain. */
export class OwnershipStore {
  readonly #holdings
  readonly #ownings
  readonly #tokens
  readonly #contracts
  readonly #questions
  readonly #all
  readonly #insertUndo
  readonly #deleteUndo
  /** The last block that was written as final. */
  #final: number | undefined

  constructor(private readonly driver: Driver, private readonly c: number) {
    this.#holdings = new Rows(driver, holdings.of(c))
    this.#ownings = new Rows(driver, ownings.of(c))
    this.#tokens = new Rows(driver, tokens.of(c))
    this.#contracts = new Rows(driver, contracts.of(c))
    this.#questions = new Rows(driver, questions.of(c))
    this.#all = [this.#holdings, this.#ownings, this.#tokens, this.#contracts, this.#questions]
    this.#insertUndo = ownershipUndo.of(c).insert(driver)
    this.#deleteUndo = driver.prepare(`DELETE FROM ownership_undo_${c} WHERE block <= ?1`)
  }

  /** The rows of these keys, and those that go with them. */
  rows(keys: OwnershipKeys): OwnershipRows {
    const contracts = this.#contracts.reading()
    const tokens = this.#tokens.reading()
    const holdings = this.#holdings.reading()
    const ownings = this.#ownings.reading()
    const questions = this.#questions.reading()
    const replaced: { tokens: Array<TokenKey>; holdings: Array<HoldingKey> } = { tokens: [], holdings: [] }
    for (const key of keys.contracts) contracts.read(key)
    for (const key of keys.questions) questions.read(key)
    for (const { address, kind } of keys.described) {
      const known = contracts.read({ address })
      if (known === undefined || known.kind === kind) continue
      this.#flush()
      replaced.holdings.push(...holdingsOf(this.driver, this.c).all(blob(address)))
      const { contract, token } = tokenColumns
      const tokensOf = `FROM tokens_${this.c} k WHERE k.contract = ?1`
      replaced.tokens.push(...select(this.driver, { contract, token }, tokensOf).all(blob(address)))
    }
    const readHolding = (key: HoldingKey): void => {
      holdings.read(key)
      ownings.read(key)
    }
    for (const { contract, token } of [...keys.tokens, ...replaced.tokens]) {
      const owner = tokens.read({ contract, token })?.owner
      if (owner !== undefined) readHolding({ contract, owner, token })
    }
    for (const key of [...keys.holdings, ...replaced.holdings]) readHolding(key)
    return {
      contracts: contracts.found,
      tokens: tokens.found,
      holdings: holdings.found,
      ownings: ownings.found,
      questions: questions.found,
      replaced
    }
  }

  /** Writes a block's changes inside {@link together}, and unless it is final what is needed to undo them. */
  write(block: number, changes: OwnershipWrites, isFinal: boolean): void {
    const undoing = <Key>(rowOf: (key: Key) => UndoKey): Undo<Key> | undefined =>
      isFinal ? undefined : (key, previous) => this.#insertUndo({ block, ...rowOf(key), previous })
    this.#holdings.write(changes.holdings, undoing((key) => key))
    this.#ownings.write(changes.ownings, undoing((key) => ({ ...key, token: allTokens })))
    this.#tokens.write(changes.tokens, undoing((key) => ({ ...key, owner: undefined })))
    this.#contracts.write(
      changes.contracts,
      undoing(({ address }) => ({ contract: address, owner: undefined, token: allTokens }))
    )
    this.#questions.write(changes.questions, undoing((key) => ({ ...key, token: ofQuestion + key.token })))
    if (isFinal) this.#final = block
  }

  /** Runs synchronous writes of blocks, which read each row once and store it once if they are final. */
  together<A>(write: () => A): A {
    try {
      const result = write()
      this.#flush()
      if (this.#final !== undefined) this.prune(this.#final)
      return result
    } finally {
      for (const rows of this.#all) rows.forget()
      this.#final = undefined
    }
  }

  #flush(): void {
    for (const rows of this.#all) rows.flush()
  }

  /** Restores every row to its state at the end of a block. */
  revert(block: number): void {
    const withSums = new Set<string>()
    const withoutSums = new Set<Hex>()
    const undo = select(
      this.driver,
      ownershipUndo.as("u"),
      `FROM ownership_undo_${this.c} u WHERE u.block > ?1 ORDER BY u.rowid DESC`
    )
    for (const { block: changed, contract, owner, previous, token } of undo.all(block)) {
      if (token === pruned) throw new Error(`block ${changed} and those before it can't be reverted any more`)
      if (token.startsWith(ofQuestion)) {
        this.#questions.restore({ contract, owner: owner ?? noOwner, token: token.slice(ofQuestion.length) }, previous)
        continue
      }
      if (token === allTokens) withSums.add(`${contract}${changed}`)
      else if (owner !== undefined && !withSums.has(`${contract}${changed}`)) withoutSums.add(contract)
      if (token === allTokens && owner === undefined) this.#contracts.restore({ address: contract }, previous)
      else if (owner === undefined) this.#tokens.restore({ contract, token }, previous)
      else if (token === allTokens) this.#ownings.restore({ contract, owner }, previous)
      else this.#holdings.restore({ contract, owner, token }, previous)
    }
    // Blocks from before version 4 recorded no sums.
    for (const contract of withoutSums) recount(this.driver, this.c, contract)
    this.driver.prepare(`DELETE FROM ownership_undo_${this.c} WHERE block > ?1`).run(block)
  }

  /** Removes the undo rows of the blocks up to a height, and notes that, so that no later revert goes below it. */
  prune(block: number): void {
    if (block < 0) return
    this.#deleteUndo.run(block)
    this.#insertUndo({ block, contract: zeroAddress, owner: undefined, token: pruned, previous: undefined })
  }
}

type TokenKey = OwnershipKeys["tokens"][number]

type HoldingKey = OwnershipKeys["holdings"][number]

const tokenColumns = tokens.as("k")

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
