import type { Driver } from "@effect-klaytn/store/Driver"
import { select } from "@effect-klaytn/store/Query"
import type { Fields } from "@effect-klaytn/store/Table"
import { bytesOf, type Hex, zeroAddress } from "@effect-klaytn/transaction/Hex"
import type { ChangeSet } from "../../ChangeSet.js"
import { contracts, holdings, ownershipUndo, ownings, questions, tokens } from "../../IndexTables.js"
import type { OwnershipKeys, OwnershipRows, OwnershipWrites, RowChange } from "../../Ownership.js"
import { clamp } from "../OwnershipFold.js"
import { idBy } from "../Slots.js"
import { pruned, readPrevious, targetOf } from "../undo.js"

/** The part of a table that is used here. */
interface KeyedTable<Key, A> {
  readonly fields: Fields
  readonly options: { readonly primaryKey?: ReadonlyArray<keyof Key & string> }
  readonly find: (driver: Driver) => (key: Key) => A | undefined
  readonly put: (driver: Driver) => (row: Key & A) => void
  readonly remove: (driver: Driver) => (key: Key) => void
}

/** Rows by their keys, and the changes of them. */
class Rows<Key extends object, A extends object> {
  readonly #idOf
  readonly #find
  readonly #put
  readonly #remove

  constructor(driver: Driver, private readonly table: KeyedTable<Key, A>) {
    this.#idOf = idBy(table.options.primaryKey ?? [])
    this.#find = table.find(driver)
    this.#put = table.put(driver)
    this.#remove = table.remove(driver)
  }

  /** Reads rows, each once. */
  reading(): { readonly found: ReadonlyMap<string, A>; readonly read: (key: Key) => A | undefined } {
    const found = new Map<string, A>()
    const missing = new Set<string>()
    const read = (key: Key): A | undefined => {
      const id = this.#idOf(key)
      const known = found.get(id)
      if (known !== undefined || missing.has(id)) return known
      const row = this.#find(key)
      if (row === undefined) missing.add(id)
      else found.set(id, row)
      return row
    }
    return { found, read }
  }

  /** Writes the changed rows. */
  write(changes: ReadonlyArray<RowChange<Key, A>>): void {
    for (const { key, now } of changes) this.#store(key, now)
  }

  /** Restores a row to its previous value. */
  restore(key: Key, previous: string | undefined): void {
    this.#store(key, previous === undefined ? undefined : readPrevious<A>(this.table, previous))
  }

  #store(key: Key, now: A | undefined): void {
    if (now === undefined) this.#remove(key)
    else this.#put({ ...key, ...now })
  }
}

/** The tables of tokens and their owners on one chain. */
export class OwnershipStore {
  readonly #holdings
  readonly #ownings
  readonly #tokens
  readonly #contracts
  readonly #questions
  readonly #insertUndo
  readonly #deleteUndo

  constructor(private readonly driver: Driver, private readonly c: number) {
    this.#holdings = new Rows(driver, holdings.of(c))
    this.#ownings = new Rows(driver, ownings.of(c))
    this.#tokens = new Rows(driver, tokens.of(c))
    this.#contracts = new Rows(driver, contracts.of(c))
    this.#questions = new Rows(driver, questions.of(c))
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
      replaced.holdings.push(...holdingsOf(this.driver, this.c).all(bytesOf(address)))
      const { contract, token } = tokenColumns
      const tokensOf = `FROM tokens_${this.c} k WHERE k.contract = ?1`
      replaced.tokens.push(...select(this.driver, { contract, token }, tokensOf).all(bytesOf(address)))
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

  /** Writes changes, and what reverts them. */
  write(changes: OwnershipWrites, undo: ChangeSet["undo"]): void {
    this.#holdings.write(changes.holdings)
    this.#ownings.write(changes.ownings)
    this.#tokens.write(changes.tokens)
    this.#contracts.write(changes.contracts)
    this.#questions.write(changes.questions)
    undo.forEach(this.#insertUndo)
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
    for (const row of undo.all(block)) {
      const { block: changed, contract, previous } = row
      const target = targetOf(row)
      switch (target.table) {
        case "questions":
          this.#questions.restore(target.key, previous)
          break
        case "contracts":
          withSums.add(`${contract}${changed}`)
          this.#contracts.restore(target.key, previous)
          break
        case "ownings":
          withSums.add(`${contract}${changed}`)
          this.#ownings.restore(target.key, previous)
          break
        case "tokens":
          this.#tokens.restore(target.key, previous)
          break
        case "holdings":
          if (!withSums.has(`${contract}${changed}`)) withoutSums.add(contract)
          this.#holdings.restore(target.key, previous)
      }
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
  for (const { balance, owner, updated } of holdingsOf(driver, c).all(bytesOf(contract))) {
    const sums = owners.get(owner) ?? { balance: 0n, tokens: 0, updated: 0 }
    sums.balance = clamp(sums.balance + balance)
    sums.tokens += 1
    sums.updated = Math.max(sums.updated, updated)
    owners.set(owner, sums)
  }
  driver.prepare(`DELETE FROM ownings_${c} WHERE contract = ?1`).run(bytesOf(contract))
  const insert = ownings.of(c).insert(driver)
  let supply = 0n
  for (const [owner, sums] of owners) {
    insert({ contract, owner, ...sums })
    supply = clamp(supply + sums.balance)
  }
  contracts.of(c).update(driver, "supply", "holders")({ address: contract, supply, holders: owners.size })
}

/** The same for every contract of a chain. */
export const recountOwnings = (driver: Driver, c: number): void => {
  const { address } = contracts.as("c")
  for (const row of select(driver, { address }, `FROM contracts_${c} c`).all()) recount(driver, c, row.address)
}
