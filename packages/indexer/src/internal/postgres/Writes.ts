/** Changes of the rows of an index in Postgres. */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { zeroAddress } from "@effect-klaytn/transaction/Hex"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { keyOf, slotsPerBlock } from "../../BlockKey.js"
import type { BlockRows, ChangeSet } from "../../ChangeSet.js"
import type { ScopeFilter } from "../../IndexScope.js"
import {
  blocks,
  contracts,
  holdings,
  logs,
  ownershipUndo,
  ownings,
  questions,
  tokens,
  transactions,
  transfers
} from "../../IndexTables.js"
import type { OwnershipKeys, OwnershipRows, OwnershipWrites } from "../../Ownership.js"
import { ChainQueries } from "../queries/chain.js"
import { statement } from "../queries/Statement.js"
import { pruned as prunedToken, readPrevious, type Target, targetOf, undoTables } from "../undo.js"
import type { Database } from "./Database.js"
import { PgTable } from "./PgTable.js"

type Tables = {
  readonly [N in keyof OwnershipWrites]: PgTable<
    OwnershipWrites[N][number]["key"],
    Exclude<OwnershipWrites[N][number]["now"], undefined>
  >
}

const bytesOf = (addresses: Iterable<Hex>): string =>
  `{${Array.from(addresses, (address) => `"\\\\x${address.slice(2)}"`).join(",")}}`

export class Writes {
  readonly #owned: Tables
  readonly #rows
  readonly #newest

  constructor(private readonly database: Database, private readonly scope: ScopeFilter) {
    this.#owned = {
      contracts: new PgTable(database, contracts),
      tokens: new PgTable(database, tokens),
      holdings: new PgTable(database, holdings),
      ownings: new PgTable(database, ownings),
      questions: new PgTable(database, questions)
    }
    this.#rows = {
      blocks: new PgTable(database, blocks),
      transactions: new PgTable(database, transactions),
      transfers: new PgTable(database, transfers),
      logs: new PgTable(database, logs),
      undo: new PgTable(database, ownershipUndo)
    }
    this.#newest = new ChainQueries(database.dialect).latestBlock
  }

  /** The rows that blocks may change, see `OwnershipKeys`. */
  read(keys: OwnershipKeys): Effect.Effect<OwnershipRows, SqlError> {
    return Effect.gen(this, function*() {
      const { contracts, holdings, ownings, questions, tokens } = this.#owned
      const addresses = [...keys.contracts, ...keys.described.map(({ address }) => ({ address }))]
      const foundContracts = yield* contracts.find(addresses)
      const foundQuestions = yield* questions.find(keys.questions)
      const replaced = new Set(
        keys.described.filter(({ address, kind }) => (foundContracts.get(address)?.kind ?? kind) !== kind)
          .map(({ address }) => address)
      )
      const old = replaced.size === 0
        ? { tokens: [], holdings: [] }
        : {
          tokens: yield* tokens.keysOf(bytesOf(replaced)),
          holdings: yield* holdings.keysOf(bytesOf(replaced))
        }
      const tokenKeys = [...keys.tokens, ...old.tokens]
      const foundTokens = yield* tokens.find(tokenKeys)
      const owned = tokenKeys.flatMap(({ contract, token }) => {
        const owner = foundTokens.get(contract + token)?.owner
        return owner === undefined ? [] : [{ contract, owner, token }]
      })
      const holdingKeys = [...keys.holdings, ...old.holdings, ...owned]
      const owners = new Map(holdingKeys.map(({ contract, owner }) => [contract + owner, { contract, owner }]))
      return {
        contracts: foundContracts,
        questions: foundQuestions,
        tokens: foundTokens,
        holdings: yield* holdings.find(holdingKeys),
        ownings: yield* ownings.find([...owners.values()]),
        replaced: old
      }
    })
  }

  /** Adds the rows of blocks. */
  insert({ blocks, logs, transactions, transfers }: BlockRows): Effect.Effect<void, SqlError> {
    return Effect.all([
      this.#rows.blocks.insert(blocks),
      this.#rows.transactions.insert(transactions),
      this.#rows.transfers.insert(transfers),
      this.#rows.logs.insert(logs)
    ], { discard: true })
  }

  /** Stores changes, inside the caller's transaction. */
  apply(changes: ChangeSet): Effect.Effect<void, SqlError> {
    return Effect.gen(this, function*() {
      yield* this.#follows(changes)
      yield* this.insert(changes)
      yield* this.applyOwnership(changes)
      const newest = changes.blocks.at(-1)?.number
      if (changes.pruned !== undefined && newest !== undefined) {
        // The newest of them stays: it is what the blocks above are reverted to, and compared by.
        yield* this.removeEmpty(this.scope.firstBlock, Math.min(changes.pruned, newest) - 1)
      }
    })
  }

  /** Fails unless the first block is the next one: a database that was replaced by an older copy has fewer than were read from it. */
  #follows({ blocks: [first] }: ChangeSet): Effect.Effect<void, SqlError> {
    if (first === undefined) return Effect.void
    return Effect.flatMap(this.database.first(this.#newest), (newest) => {
      const isNext = Option.match(newest, {
        onNone: () => true,
        onSome: ({ hash, number }) => first.number === number + 1 && first.parentHash === hash
      })
      const message = `block ${first.number} does not follow the newest block of the index`
      return isNext ? Effect.void : new SqlError({ cause: new Error(message), message })
    })
  }

  /** Stores the part of changes that is about tokens and their owners. */
  applyOwnership({ ownership, pruned, undo }: Pick<ChangeSet, "ownership" | "undo" | "pruned">) {
    return Effect.gen(this, function*() {
      yield* this.#write(ownership)
      yield* this.#rows.undo.insert(undo)
      if (pruned === undefined || pruned < 0) return
      yield* this.database.rows(`DELETE FROM ${this.database.table("ownership_undo")} WHERE block <= ?1`, [pruned])
      const marker = { block: pruned, contract: zeroAddress, owner: undefined, token: prunedToken, previous: undefined }
      yield* this.#rows.undo.insert([marker])
    })
  }

  /**
   * Removes blocks without a transaction above a block, up to another, if the scope leaves out most of the chain: the rows of
   * all blocks would be most of the database. The first block stays, because its time is where the index begins.
   */
  removeEmpty(above: number, upTo: number): Effect.Effect<void, SqlError> {
    if (this.scope.accounts === undefined) return Effect.void
    return Effect.asVoid(this.database.rows(
      `DELETE FROM ${this.database.table("blocks")} b WHERE b.number > ?1 AND b.number <= ?2
         AND NOT EXISTS (SELECT 1 FROM ${this.database.table("transactions")} x
           WHERE x.id >= b.number * ${slotsPerBlock} AND x.id < (b.number + 1) * ${slotsPerBlock})`,
      [above, upTo]
    ))
  }

  /** Removes every block above a height, inside the caller's transaction. */
  revert(height: number): Effect.Effect<void, SqlError> {
    return Effect.gen(this, function*() {
      const { rows, table } = { rows: this.database.rows.bind(this.database), table: this.database.dialect.table }
      for (const name of ["transfers", "logs", "transactions"]) {
        yield* rows(`DELETE FROM ${table(name)} WHERE id >= ?1`, [keyOf(height + 1, 0)])
      }
      const query = statement(
        ownershipUndo.as("u"),
        `FROM ${table("ownership_undo")} u WHERE u.block > ?1 ORDER BY u.place DESC`,
        [height],
        (row) => row
      )
      yield* this.#write(restoring(yield* this.database.all(query)))
      yield* rows(`DELETE FROM ${table("ownership_undo")} WHERE block > ?1`, [height])
      yield* rows(`DELETE FROM ${table("contracts")} WHERE block > ?1`, [height])
      yield* rows(`DELETE FROM ${table("blocks")} WHERE number > ?1`, [height])
    })
  }

  #write({ contracts, holdings, ownings, questions, tokens }: OwnershipWrites): Effect.Effect<void, SqlError> {
    return Effect.all([
      this.#owned.holdings.write(holdings),
      this.#owned.ownings.write(ownings),
      this.#owned.tokens.write(tokens),
      this.#owned.contracts.write(contracts),
      this.#owned.questions.write(questions)
    ], { discard: true })
  }
}

type UndoRow = Parameters<typeof targetOf>[0] & { readonly previous: string | undefined }

/** The changes that restore rows, of which the newest comes first: the oldest of a row counts. */
const restoring = (rows: ReadonlyArray<UndoRow>): OwnershipWrites => {
  const found = new Map<string, Target & { readonly now: unknown }>()
  for (const row of rows) {
    const target = targetOf(row)
    const now = row.previous === undefined ? undefined : readPrevious(undoTables[target.table], row.previous)
    found.set(target.table + Object.values(target.key).join(), { ...target, now })
  }
  const of = <N extends Target["table"]>(table: N): OwnershipWrites[N] =>
    // A cast: the rows of a table have its keys and its fields.
    [...found.values()].filter((one) => one.table === table)
      .map(({ key, now }) => ({ key, before: undefined, now })) as unknown as OwnershipWrites[N]
  return {
    contracts: of("contracts"),
    tokens: of("tokens"),
    holdings: of("holdings"),
    ownings: of("ownings"),
    questions: of("questions")
  }
}
