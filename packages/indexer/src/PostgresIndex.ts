/**
 * The index of a chain in Postgres, by the `SqlClient` of `@effect/sql` that the program provides:
 * `Database.layerPostgres` of `@effect-klaytn/store`.
 *
 * **When to use**
 *
 * For an index that outgrows one machine: any number of processes read it, and one at a time writes it, under a
 * `Lease` of `@effect-klaytn/store`. For one process, `SqliteIndex` needs no server.
 *
 * **Details**
 *
 * An index has a schema of its own, with tables that have a version: older ones are upgraded in one transaction when they
 * are opened, newer ones are refused. Amounts are `numeric(78, 0)`, addresses and hashes `bytea`, times Unix seconds. The
 * tables are those of `IndexTables`; a page is one statement, so that all of the page is of one state.
 */
import type { Lease } from "@effect-klaytn/store/Lease"
import type { NewerTables } from "@effect-klaytn/store/Migrations"
import * as Rows from "@effect-klaytn/store/Rows"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ChangeSet } from "./ChangeSet.js"
import { SourceMismatch, type StoreFailure } from "./IndexError.js"
import * as IndexScope from "./IndexScope.js"
import type { IndexStore } from "./IndexStore.js"
import { labels, presets, scopes } from "./IndexTables.js"
import * as changed from "./internal/labels.js"
import { gap } from "./internal/postgres/branches.js"
import { Database, io, isSchema, repeated } from "./internal/postgres/Database.js"
import { Facts } from "./internal/postgres/facts.js"
import { PgTable } from "./internal/postgres/PgTable.js"
import { makeReader } from "./internal/postgres/reader.js"
import * as tables from "./internal/postgres/tables.js"
import { Writes } from "./internal/postgres/Writes.js"
import { ChainQueries } from "./internal/queries/chain.js"
import { statement } from "./internal/queries/Statement.js"
import { TokenQueries } from "./internal/queries/tokens.js"
import type { ContractLabel } from "./TokenRecord.js"
import type { PaidQuery, TransactionRecord } from "./TransactionRecord.js"

/**
 * An index in Postgres.
 *
 * @category models
 */
export interface PostgresIndex extends IndexStore {
  /** Stores changes together with more, in one transaction. */
  readonly applyWith: (
    changes: ChangeSet,
    more: Effect.Effect<unknown, StoreFailure | SqlError>
  ) => Effect.Effect<void, StoreFailure>
  /** The transactions whose fee an account has paid, newest first. */
  readonly transactionsPaidBy: (query: PaidQuery) => Effect.Effect<ReadonlyArray<TransactionRecord>, StoreFailure>
}

/**
 * The options of {@link open}.
 *
 * @category models
 */
export interface Options {
  /** The schema of the index: a lower-case letter, and up to 47 more letters, digits and `_`. Default: `klaytn_index`. */
  readonly schema?: string | undefined
  /** The scope of a new index; another one than that of the index is refused. Default: that of the index, or everything. */
  readonly scope?: IndexScope.IndexScope | undefined
  /**
   * Runs first in every transaction that changes the index: it fails if this process may not write any more, see `guard`
   * of `Lease` in `@effect-klaytn/store`. Default: every write is let through.
   */
  readonly guard?: Lease["guard"] | undefined
}

/**
 * The schema of an index whose options name none.
 *
 * @category constants
 */
export const defaultSchema = "klaytn_index"

/**
 * Whether a text can name the schema of an index.
 *
 * @category guards
 */
export const isSchemaName: (name: string) => boolean = isSchema

/**
 * Fails if a newer program has upgraded the tables of an index that is there: this one may not write them any more.
 *
 * @category reading
 */
export const check = (schema: string): Effect.Effect<void, StoreFailure | NewerTables, SqlClient> =>
  Effect.flatMap(SqlClient, (sql) => io("version")(tables.check(new Database(sql.withoutTransforms(), schema))))

/**
 * Reverts an index that keeps everything to below a block whose parent it lacks, if one of its newest 10,000 blocks is such a one: a program that did
 * not look has stored it after a failover that lost blocks. Fails as `SourceMismatch` if that is deeper than what can be reverted.
 *
 * @category reading
 */
export const closeGap = (
  index: PostgresIndex,
  { depth, schema = defaultSchema }: Pick<Options, "schema"> & { readonly depth: number }
): Effect.Effect<void, StoreFailure | SourceMismatch, SqlClient> =>
  Effect.gen(function*() {
    const { accounts, firstBlock } = index.reader.scope
    // An index of a part of the chain does not keep every block.
    if (accounts !== undefined) return
    const database = new Database((yield* SqlClient).withoutTransforms(), schema)
    const found = yield* io("gap")(gap(database))
    if (found === undefined) return
    const { above, below } = found
    const head = Option.getOrUndefined(yield* index.newest)?.number ?? firstBlock
    if (head - below > depth) {
      const problem = "the index lacks the block before it, and more blocks came after that than can be reverted: " +
        "drop the schema of the index, and load it anew"
      return yield* new SourceMismatch({ height: above, problem })
    }
    yield* Effect.logWarning(
      `the index lacks the block before ${above}: the blocks from ${below + 1} on are read again`
    )
    yield* index.revert(below)
  })

/**
 * What readiness depends on, asked once and not again where the database fails: of an index whose tables are there.
 *
 * @category models
 */
export interface IndexWatch {
  readonly newest: IndexStore["newest"]
  readonly isSettled: IndexStore["reader"]["isSettled"]
  readonly fact: IndexFacts["get"]
}

const findFact = (database: Database, name: string) =>
  Effect.map(
    database.rows(`SELECT value FROM ${database.table("facts")} WHERE name = ?1`, [name]),
    ([row]) => Option.fromNullable(Rows.optional(Rows.text)(row, "value"))
  )

/**
 * Watches an index on connections of its own.
 *
 * @category constructors
 */
export const watch = (schema: string): Effect.Effect<IndexWatch, never, SqlClient> =>
  Effect.map(SqlClient, (sql) => {
    const database = new Database(sql.withoutTransforms(), schema)
    return {
      newest: io("head")(database.first(new ChainQueries(database.dialect).latestBlock)),
      isSettled: io("isSettled")(
        Effect.map(database.first(new TokenQueries(database.dialect).questions(1)), Option.isNone)
      ),
      fact: (name) => io("fact")(findFact(database, name))
    }
  })

/**
 * Facts about an index by name, which a program keeps beside it.
 *
 * @category models
 */
export interface IndexFacts {
  readonly get: (name: string) => Effect.Effect<Option.Option<string>, StoreFailure>
  /** Keeps a fact unless there is one of this name, and returns what is kept. */
  readonly keep: (name: string, value: string) => Effect.Effect<string, StoreFailure>
}

/**
 * The facts of the index in a schema, whose tables it creates or upgrades.
 *
 * @category constructors
 */
export const facts = (schema: string = defaultSchema): Effect.Effect<
  IndexFacts,
  StoreFailure | NewerTables,
  SqlClient
> =>
  Effect.gen(function*() {
    const database = new Database((yield* SqlClient).withoutTransforms(), schema)
    yield* io("upgrade")(tables.upgrade(database))
    const table = database.table("facts")
    return {
      get: (name) => io("fact")(findFact(database, name)),
      keep: (name, value) =>
        io("fact")(
          // Who may only read finds what is kept.
          Effect.filterOrElse(findFact(database, name), Option.isSome, () =>
            Effect.zipRight(
              database.rows(`INSERT INTO ${table} (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING`, [
                name,
                value
              ]),
              findFact(database, name)
            )).pipe(Effect.map(Option.getOrElse(() => value)))
        )
    }
  })

/** The scope of an index. That of a new one is stored; another one than the stored is refused. */
const scopeOf = (database: Database, wanted: IndexScope.IndexScope | undefined) =>
  Effect.gen(function*() {
    const table = database.table("scopes")
    const stored = Effect.map(
      database.all(
        statement({ scope: scopes.as("s").scope }, `FROM ${table} s`, [], ({ scope }) => IndexScope.fromJson(scope))
      ),
      ([row]) => row
    )
    const known = yield* stored
    if (wanted === undefined || (known !== undefined && IndexScope.difference(known, wanted) === undefined)) {
      return known ?? IndexScope.whole
    }
    return yield* database.sql.withTransaction(keepScope(database, wanted, stored))
  })

/** Keeps the scope of a new index, of many processes that may start together. */
const keepScope = (
  database: Database,
  wanted: IndexScope.IndexScope,
  stored: Effect.Effect<IndexScope.IndexScope | undefined, SqlError>
) =>
  Effect.gen(function*() {
    yield* database.rows(`LOCK TABLE ${database.table("scopes")} IN SHARE ROW EXCLUSIVE MODE`)
    const row = yield* stored
    const [block] = yield* database.rows(`SELECT 1 FROM ${database.table("blocks")} LIMIT 1`)
    const difference = IndexScope.difference(row ?? IndexScope.whole, wanted)
    if (difference === undefined) return row ?? IndexScope.whole
    if (row !== undefined || block !== undefined) return yield* new IndexScope.ScopeMismatch({ difference })
    yield* new PgTable(database, scopes).insert([{ id: 0, scope: IndexScope.toJson(wanted) }])
    return wanted
  })

const makeControls = (database: Database): Pick<
  IndexStore,
  "setLabel" | "removeLabel" | "addPreset" | "removePreset"
> => {
  const labelRows = new PgTable<{ readonly address: string }, ContractLabel>(database, labels)
  const contract = new TokenQueries(database.dialect)
  const relabel = (address: `0x${string}`, change: (label: ContractLabel) => ContractLabel) =>
    io("label")(database.sql.withTransaction(Effect.gen(function*() {
      const found = yield* database.first(contract.contract(address))
      if (Option.isNone(found)) return found
      yield* labelRows.write([{ key: { address }, before: undefined, now: change(found.value.label) }])
      return yield* database.first(contract.contract(address))
    })))
  return {
    setLabel: (address, status, now) => relabel(address, changed.set(status, now)),
    removeLabel: (address, now) => relabel(address, changed.remove(now)),
    addPreset: (preset) =>
      io("addPreset")(
        Effect.map(
          database.rows(
            `INSERT INTO ${database.table("presets")} (name, accounts, contracts) VALUES (?1, ?2, ?3) RETURNING id`,
            [
              preset.name,
              presets.fields.accounts.encode(preset.accounts),
              presets.fields.contracts.encode(preset.contracts)
            ]
          ),
          ([row]) => ({ id: Rows.number(row, "id"), ...preset })
        )
      ),
    removePreset: (id) =>
      io("removePreset")(
        Effect.map(
          database.rows(`DELETE FROM ${database.table("presets")} WHERE id = ?1 RETURNING id`, [id]),
          (rows) => rows.length > 0
        )
      )
  }
}

/** Whether a contract is new, or describes itself otherwise. */
const changesContracts = ({ ownership: { contracts } }: ChangeSet): boolean =>
  contracts.some(({ before, now }) =>
    before?.kind !== now?.kind || before?.name !== now?.name || before?.symbol !== now?.symbol ||
    before?.decimals !== now?.decimals || before?.standard !== now?.standard
  )

/**
 * Creates the index of a chain in a schema, or opens the one that is there. Any number of processes may have it open.
 *
 * **Details**
 *
 * Fails as `NewerTables` for tables of a newer program, before anything is written; as `ScopeMismatch` for another scope
 * than that of the index; and as `StoreFailure` if the database does, or for a schema that is none.
 *
 * @category constructors
 */
export const open = (
  { guard = Effect.void, schema = defaultSchema, scope: wanted }: Options = {}
): Effect.Effect<PostgresIndex, StoreFailure | NewerTables | IndexScope.ScopeMismatch, SqlClient> =>
  Effect.gen(function*() {
    const database = new Database((yield* SqlClient).withoutTransforms(), schema)
    yield* io("upgrade")(tables.upgrade(database))
    const scope = IndexScope.filter(yield* io("open")(scopeOf(database, wanted)))
    const reader = makeReader(database, scope)
    const writes = new Writes(database, scope)
    const known = new Facts(database)
    const queries = new TokenQueries(database.dialect)
    const chain = new ChainQueries(database.dialect)
    const isKnown = tables.known(database)
    /** All of a write in one transaction, at most once at a time by the lease that the guard checks. */
    const write = (operation: string, change: Effect.Effect<unknown, StoreFailure | SqlError>) =>
      Effect.asVoid(database.sql.withTransaction(Effect.zipRight(Effect.zipRight(guard, isKnown), change))).pipe(
        io(operation),
        // It may have failed because the database is not as it was.
        Effect.tapError(() => Effect.sync(() => known.forget()))
      )
    const forgetting = (isForgotten: boolean) => <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      isForgotten ? Effect.ensuring(effect, Effect.sync(() => known.forget())) : effect
    return {
      reader,
      newest: io("head")(database.first(chain.latestBlock)),
      facts: (keys) => io("index")(known.of(keys())),
      questions: (limit) => io("questions")(database.all(queries.questions(limit))),
      read: (keys) => io("index")(writes.read(keys)),
      apply: (changes) => forgetting(changesContracts(changes))(write("index", writes.apply(changes))),
      applyWith: (changes, more) =>
        forgetting(changesContracts(changes))(write("index", Effect.zipRight(writes.apply(changes), more))),
      transactionsPaidBy: (query) => io("fees")(repeated(database.all(chain.transactionsPaidBy(query)))),
      revert: (height) => forgetting(true)(write("revert", writes.revert(height))),
      ...makeControls(database)
    }
  })
