/**
 * The index of a chain in Postgres, by the `SqlClient` of `@effect/sql` that the program provides, such as
 * `PgClient.layer` of `@effect/sql-pg`.
 *
 * **When to use**
 *
 * For an index that outgrows one machine: any number of processes read it, and one at a time writes it, under a
 * `PostgresLease`. For one process, `SqliteIndex` needs no server.
 *
 * **Details**
 *
 * An index has a schema of its own, with tables that have a version: older ones are upgraded in one transaction when they
 * are opened, newer ones are refused. Amounts are `numeric(78, 0)`, addresses and hashes `bytea`, times Unix seconds. The
 * tables are those of `IndexTables`; a page is one statement, so that all of the page is of one state.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ChangeSet } from "./ChangeSet.js"
import type { NewerIndex, StoreFailure } from "./IndexError.js"
import * as IndexScope from "./IndexScope.js"
import type { IndexStore } from "./IndexStore.js"
import { labels, presets, scopes } from "./IndexTables.js"
import * as changed from "./internal/labels.js"
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
   * of `PostgresLease`. Default: every write is let through.
   */
  readonly guard?: Effect.Effect<void, StoreFailure | SqlError> | undefined
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
  StoreFailure | NewerIndex,
  SqlClient
> =>
  Effect.gen(function*() {
    const database = new Database((yield* SqlClient).withoutTransforms(), schema)
    yield* io("upgrade")(tables.upgrade(database))
    const table = database.table("facts")
    const find = (name: string) => database.rows(`SELECT value FROM ${table} WHERE name = ?1`, [name])
    return {
      get: (name) => io("fact")(Effect.map(find(name), ([row]) => Option.map(Option.fromNullable(row?.[0]), String))),
      keep: (name, value) =>
        io("fact")(
          database.rows(`INSERT INTO ${table} VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING`, [name, value]).pipe(
            Effect.zipRight(find(name)),
            Effect.map(([row]) => String(row?.[0] ?? value))
          )
        )
    }
  })

/** The scope of an index. That of a new one is stored; another one than the stored is refused. */
const scopeOf = (database: Database, wanted: IndexScope.IndexScope | undefined) =>
  database.sql.withTransaction(Effect.gen(function*() {
    const table = database.table("scopes")
    yield* database.rows(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`)
    const [row] = yield* database.all(
      statement({ scope: scopes.as("s").scope }, `FROM ${table} s`, [], ({ scope }) => IndexScope.fromJson(scope))
    )
    const [block] = yield* database.rows(`SELECT 1 FROM ${database.table("blocks")} LIMIT 1`)
    const difference = wanted && IndexScope.difference(row ?? IndexScope.whole, wanted)
    if (wanted === undefined || difference === undefined) return row ?? IndexScope.whole
    if (row !== undefined || block !== undefined) return yield* new IndexScope.ScopeMismatch({ difference })
    yield* new PgTable(database, scopes).insert([{ id: 0, scope: IndexScope.toJson(wanted) }])
    return wanted
  }))

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
          ([row]) => ({ id: Number(row?.[0]), ...preset })
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
 * Fails as `NewerIndex` for tables of a newer program, before anything is written; as `ScopeMismatch` for another scope
 * than that of the index; and as `StoreFailure` if the database does, or for a schema that is none.
 *
 * @category constructors
 */
export const open = (
  { guard = Effect.void, schema = defaultSchema, scope: wanted }: Options = {}
): Effect.Effect<PostgresIndex, StoreFailure | NewerIndex | IndexScope.ScopeMismatch, SqlClient> =>
  Effect.gen(function*() {
    const database = new Database((yield* SqlClient).withoutTransforms(), schema)
    yield* io("upgrade")(tables.upgrade(database))
    const scope = IndexScope.filter(yield* io("open")(scopeOf(database, wanted)))
    const reader = makeReader(database, scope)
    const writes = new Writes(database, scope)
    const known = new Facts(database)
    const queries = new TokenQueries(database.dialect)
    const chain = new ChainQueries(database.dialect)
    /** All of a write in one transaction, at most once at a time by the lease that the guard checks. */
    const write = (operation: string, change: Effect.Effect<unknown, StoreFailure | SqlError>) =>
      Effect.asVoid(database.sql.withTransaction(Effect.zipRight(guard, change))).pipe(io(operation))
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
