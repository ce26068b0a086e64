/**
 * The index of a chain in SQLite.
 */
import { text } from "@effect-klaytn/store/Column"
import { atomically, type Driver } from "@effect-klaytn/store/Driver"
import { expression, select } from "@effect-klaytn/store/Query"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { ChainReader } from "./ChainReader.js"
import * as ChangeSet from "./ChangeSet.js"
import { attempt, type StoreFailure } from "./IndexError.js"
import type { IndexReader } from "./IndexReader.js"
import * as IndexScope from "./IndexScope.js"
import { type IndexStore, prepare } from "./IndexStore.js"
import { indexTables } from "./IndexTables.js"
import type { IndexWriter } from "./IndexWriter.js"
import * as labels from "./internal/labels.js"
import { keysOf } from "./internal/OwnershipKeys.js"
import { BlockStore } from "./internal/sqlite/BlockStore.js"
import { OwnershipStore, recountOwnings } from "./internal/sqlite/OwnershipStore.js"
import { PresetStore } from "./internal/sqlite/PresetStore.js"
import * as storedScope from "./internal/sqlite/storedScope.js"
import { TokenStore } from "./internal/sqlite/TokenStore.js"
import { TransferStore } from "./internal/sqlite/TransferStore.js"
import type { OwnershipKeys, OwnershipRows } from "./Ownership.js"
import type { ContractLabel } from "./TokenRecord.js"

/**
 * The index of one chain: what reads it and what writes it, and the rows of blocks, transactions and logs.
 *
 * @category models
 */
export interface SqliteIndex extends IndexStore {
  /** The same writes synchronously, for transactions that store more than the index. */
  readonly writer: IndexWriter
  readonly rows: ChainReader
  /** Runs synchronous writes in one transaction of the database: all of them are stored, or none if one throws. */
  readonly atomically: <A>(write: () => A) => A
}

/** The same as {@link attempt} for what may not be there. */
const find = <A>(operation: string, read: () => A | undefined): Effect.Effect<Option.Option<A>, StoreFailure> =>
  attempt(operation, () => Option.fromNullable(read()))

const makeReader = (
  scope: IndexScope.ScopeFilter,
  reader: ChainReader,
  transfers: TransferStore,
  tokens: TokenStore,
  presets: PresetStore
): IndexReader => ({
  scope,
  head: attempt("head", () => {
    const block = reader.latestBlock()
    if (block === undefined) throw new Error("there is no block yet")
    return block
  }),
  block: (at) => find("block", () => typeof at === "number" ? reader.blockByNumber(at) : reader.blockByHash(at)),
  transaction: (hash) => find("transaction", () => reader.transactionByHash(hash)),
  transactionBySenderHash: (hash) => find("transactionBySenderHash", () => reader.transactionBySenderHash(hash)),
  transactionAt: (block, index) => find("transactionAt", () => reader.transactionByIndex(block, index)),
  transactions: (query) => attempt("transactions", () => reader.transactions(query)),
  transactionsOf: (block) => attempt("transactionsOf", () => reader.transactionsOfBlock(block)),
  logsOf: (hash) => attempt("logsOf", () => reader.logsOfTransaction(hash)),
  logs: (query) => attempt("logs", () => reader.logs(query)),
  transfers: (query) => attempt("transfers", () => transfers.search(query)),
  transfersOf: (hash) => attempt("transfersOf", () => transfers.ofTransaction(hash)),
  lastTransfersOf: (hashes) => attempt("lastTransfersOf", () => transfers.lastOf(hashes)),
  // Its reads are synchronous, one after the other.
  inOneState: (reads) => reads,
  hasCreation: (contract) => attempt("hasCreation", () => reader.hasCreation(contract)),
  contract: (address) => find("contract", () => tokens.contract(address)),
  contractsOf: (addresses) => attempt("contractsOf", () => tokens.contractsOf(addresses)),
  contracts: (options) => attempt("contracts", () => tokens.contracts(options)),
  contractSupply: (contract) => attempt("contractSupply", () => tokens.contractSupply(contract)),
  contractHoldings: (query) => attempt("contractHoldings", () => tokens.contractHoldings(query)),
  ownership: (contract, tokenId, { before, limit }) =>
    attempt("ownership", () => tokens.ownership(contract, tokenId, before, limit)),
  token: (contract, tokenId) => find("token", () => tokens.token(contract, tokenId)),
  tokens: (query) => attempt("tokens", () => tokens.tokens(query)),
  holding: (contract, owner, tokenId) => find("holding", () => tokens.holding(contract, owner, tokenId)),
  holdings: (query) => attempt("holdings", () => tokens.holdings(query)),
  totalBalance: (contract, owner) => attempt("totalBalance", () => tokens.totalBalance(contract, owner)),
  holderCount: (contract) => attempt("holderCount", () => tokens.holderCount(contract)),
  isSettled: attempt("isSettled", () => tokens.questions(1).length === 0),
  presets: attempt("presets", () => presets.list()),
  preset: (id) => find("preset", () => presets.get(id))
})

/** Labels and presets. */
const makeControls = (
  tokens: TokenStore,
  presets: PresetStore
): Pick<IndexStore, "setLabel" | "removeLabel" | "addPreset" | "removePreset"> => {
  const relabel = (contract: Hex, change: (label: ContractLabel) => ContractLabel) =>
    attempt("label", () => {
      const found = tokens.contract(contract)
      if (found !== undefined) tokens.setLabel(contract, change(found.label))
      return Option.fromNullable(tokens.contract(contract))
    })
  return {
    setLabel: (contract, status, now) => relabel(contract, labels.set(status, now)),
    removeLabel: (contract, now) => relabel(contract, labels.remove(now)),
    addPreset: (preset) => attempt("addPreset", () => presets.add(preset)),
    removePreset: (id) => attempt("removePreset", () => presets.remove(id))
  }
}

/** The synchronous writes, inside the caller's transaction. */
class Writes {
  constructor(
    private readonly blocks: BlockStore,
    private readonly tokens: TokenStore,
    private readonly ownership: OwnershipStore
  ) {}

  readonly rows = (keys: OwnershipKeys): OwnershipRows => this.ownership.rows(keys)

  readonly apply = (changes: ChangeSet.ChangeSet): void => {
    if (changes.ownership.contracts.some(({ before, now }) => before?.kind !== now?.kind)) this.tokens.forgetKinds()
    this.blocks.apply(changes)
  }

  readonly revert = (height: number): void => {
    this.tokens.forgetKinds()
    this.blocks.revert(height)
  }
}

const makeWriter = (
  store: Pick<IndexStore, "facts" | "reader">,
  { apply, revert, rows }: Writes
): IndexWriter => {
  const writeAll: IndexWriter["writeAll"] = (blocks) => {
    const keys = ChangeSet.keysOfAll(blocks.map(({ prepared }) => prepared))
    const changes = ChangeSet.make(blocks, rows(keys))
    apply(changes)
    return changes.blocks
  }
  return {
    prepare: (header, transactions, viewer) => prepare(store, header, transactions, viewer),
    write: (prepared) => {
      const changes = ChangeSet.make([{ prepared }], rows(keysOf(prepared)))
      apply(changes)
      return ChangeSet.recordOf(prepared)
    },
    writeAll,
    revert
  }
}

/**
 * The index of a chain in a database that has its tables, see {@link ensureTables}. It has the scope that it was created
 * with by {@link open}, or keeps everything.
 *
 * @category constructors
 */
export const make = (driver: Driver, chainId: number): SqliteIndex => {
  const scope = IndexScope.filter(storedScope.find(driver, chainId) ?? IndexScope.whole)
  const rows = new ChainReader(driver, chainId)
  const tokens = new TokenStore(driver, chainId)
  const presets = new PresetStore(driver, chainId)
  const ownership = new OwnershipStore(driver, chainId)
  const writes = new Writes(new BlockStore(driver, chainId, scope, ownership), tokens, ownership)
  const reader = makeReader(scope, rows, new TransferStore(driver, chainId), tokens, presets)
  const facts: IndexStore["facts"] = () => Effect.succeed(tokens)
  return {
    reader,
    facts,
    newest: find("head", () => rows.latestBlock()),
    questions: (limit) => attempt("questions", () => tokens.questions(limit)),
    read: (keys) => attempt("index", () => writes.rows(keys)),
    apply: (changes) => attempt("index", () => atomically(driver, () => writes.apply(changes))),
    revert: (height) => attempt("revert", () => atomically(driver, () => writes.revert(height))),
    ...makeControls(tokens, presets),
    writer: makeWriter({ facts, reader }, writes),
    rows,
    atomically: (write) => atomically(driver, write)
  }
}

/**
 * Creates the tables of a chain's index, or adds to those of an earlier version what they lack. Call it inside a
 * transaction, such as `atomically` of `Driver` opens.
 *
 * @category constructors
 */
export const ensureTables = (driver: Driver, chainId: number): void => {
  const named = select(driver, { name: expression("name", text) }, "FROM sqlite_schema WHERE name = ?1")
  const has = (table: string): boolean => named.first(`${table}_${chainId}`) !== undefined
  // The name of the table in files of the first versions.
  if (has("ledger_undo")) driver.exec(`ALTER TABLE ledger_undo_${chainId} RENAME TO ownership_undo_${chainId}`)
  // Files of the first versions have no sums of what holders own.
  const lacksSums = has("contracts") && !has("ownings")
  for (const table of indexTables) table.of(chainId).ensure(driver)
  if (lacksSums) recountOwnings(driver, chainId)
}

/**
 * Creates the index of a chain in a database, or opens the one that it has. An index has the scope that it was created
 * with; another one is refused. Default: the scope of the index, and of a new one everything from the genesis block on.
 *
 * @category constructors
 */
export const open = (
  driver: Driver,
  chainId: number,
  scope?: IndexScope.IndexScope
): Effect.Effect<SqliteIndex, StoreFailure | IndexScope.ScopeMismatch> =>
  Effect.flatten(attempt("open", () =>
    atomically(driver, () => {
      ensureTables(driver, chainId)
      const held = storedScope.find(driver, chainId)
      const hasBlocks = new ChainReader(driver, chainId).latestBlock() !== undefined
      const difference = scope && IndexScope.difference(held ?? IndexScope.whole, scope)
      if (scope !== undefined && difference !== undefined) {
        if (hasBlocks || held !== undefined) return Either.left(new IndexScope.ScopeMismatch({ difference }))
        storedScope.put(driver, chainId, scope)
      }
      return Either.right(make(driver, chainId))
    })))
