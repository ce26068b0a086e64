import * as Driver from "@effect-klaytn/store/Driver"
import * as Query from "@effect-klaytn/store/Query"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as IndexStore from "../../src/IndexStore.js"
import { contracts, holdings, ownings, questions, tokens } from "../../src/IndexTables.js"
import type { PreparedBlock, WrittenBlock } from "../../src/IndexWriter.js"
import { writesOf } from "../../src/internal/OwnershipFold.js"
import { keysOf } from "../../src/internal/OwnershipKeys.js"
import { Database } from "../../src/internal/postgres/Database.js"
import { type OwnershipKeys, type OwnershipRows, type OwnershipWrites, rowId } from "../../src/Ownership.js"
import * as PostgresIndex from "../../src/PostgresIndex.js"
import * as SqliteIndex from "../../src/SqliteIndex.js"
import { clients, schema } from "./stores.js"

/** Rows of all tables, as text, in the order of their keys. */
export type Dump = ReadonlyArray<string>

/** A database that takes blocks. */
export interface OwnershipStore {
  readonly add: (block: PreparedBlock) => Effect.Effect<void>
  readonly addAll: (blocks: ReadonlyArray<WrittenBlock>) => Effect.Effect<void>
  readonly revert: (height: number) => Effect.Effect<void>
  readonly dump: Effect.Effect<Dump>
}

const tables = { contracts, tokens, holdings, ownings, questions }
const names = ["contracts", "tokens", "holdings", "ownings", "questions"] as const

const lineOf = (table: string, row: object): string =>
  `${table} ${
    JSON.stringify(
      Object.entries(row).sort(([a], [b]) => a < b ? -1 : 1),
      (_, value) => typeof value === "bigint" ? `${value}n` : value ?? null
    )
  }`

/** SQLite, inside the transaction of a block. */
export const sqlite: Effect.Effect<OwnershipStore> = Effect.sync(() => {
  const driver = Driver.open(":memory:")
  Driver.atomically(driver, () => SqliteIndex.ensureTables(driver, 1001))
  const { atomically, writer } = SqliteIndex.make(driver, 1001)
  const rowsOf = (name: keyof typeof tables) =>
    Query.select(driver, tables[name].as("t"), `FROM ${name}_1001 t`).all().map((row) => lineOf(name, row))
  return {
    add: (block) => Effect.sync(() => void atomically(() => writer.write(block))),
    addAll: (blocks) => Effect.sync(() => void atomically(() => writer.writeAll(blocks))),
    revert: (height) => Effect.sync(() => atomically(() => writer.revert(height))),
    dump: Effect.sync(() => names.flatMap(rowsOf).sort())
  }
})

/** Postgres, once if there is a server. */
export const onPostgres: ReadonlyArray<Effect.Effect<OwnershipStore, never, Scope.Scope>> = clients.map((client) =>
  Effect.orDie(Effect.gen(function*() {
    const sql = yield* client
    const store = yield* Effect.provideService(PostgresIndex.open({ schema }), SqlClient.SqlClient, sql)
    const database = new Database(sql, schema)
    const rowsOf = (name: keyof typeof tables) =>
      Effect.map(
        database.all({
          selection: tables[name].as("t"),
          rest: `FROM ${schema}.${name} t`,
          values: [],
          read: (row) => lineOf(name, row)
        }),
        (lines) => lines
      )
    return {
      add: (prepared) => Effect.orDie(IndexStore.add(store, [{ prepared }])),
      addAll: (blocks) => Effect.orDie(IndexStore.add(store, blocks)),
      revert: (height) => Effect.orDie(store.revert(height)),
      dump: Effect.orDie(Effect.map(Effect.forEach(names, rowsOf), (lines) => lines.flat().sort()))
    }
  }))
)

type Stored<N extends typeof names[number]> = Map<string, OwnershipWrites[N][number]>

/** A database whose every answer comes later, and that has rows only by what the interface says of them. */
export const asynchronous: Effect.Effect<OwnershipStore> = Effect.sync(() => {
  const stored: { readonly [N in typeof names[number]]: Stored<N> } = {
    contracts: new Map(),
    tokens: new Map(),
    holdings: new Map(),
    ownings: new Map(),
    questions: new Map()
  }
  const undo: Array<{ readonly block: number; readonly writes: OwnershipWrites }> = []
  const later = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

  const rows = (keys: OwnershipKeys): OwnershipRows => {
    const find = <A>(all: Map<string, { readonly now: A | undefined }>, found: Map<string, A>, id: string) => {
      const now = all.get(id)?.now
      if (now !== undefined) found.set(id, now)
      return now
    }
    const found = {
      contracts: new Map<string, NonNullable<OwnershipWrites["contracts"][number]["now"]>>(),
      tokens: new Map<string, NonNullable<OwnershipWrites["tokens"][number]["now"]>>(),
      holdings: new Map<string, NonNullable<OwnershipWrites["holdings"][number]["now"]>>(),
      ownings: new Map<string, NonNullable<OwnershipWrites["ownings"][number]["now"]>>(),
      questions: new Map<string, NonNullable<OwnershipWrites["questions"][number]["now"]>>()
    }
    for (const { contract, owner, token } of keys.questions) {
      find(stored.questions, found.questions, rowId(contract, owner, token))
    }
    for (const { address } of keys.contracts) find(stored.contracts, found.contracts, rowId(address))
    const replaced = keys.described.filter(({ address, kind }) =>
      (stored.contracts.get(rowId(address))?.now?.kind ?? kind) !== kind
    ).map(({ address }) => address)
    const isReplaced = ({ key }: { readonly key: { readonly contract: `0x${string}` } }) =>
      replaced.includes(key.contract)
    const oldTokens = [...stored.tokens.values()].filter(isReplaced).map(({ key }) => key)
    const oldHoldings = [...stored.holdings.values()].filter(isReplaced).map(({ key }) => key)
    const wanted = [...keys.holdings, ...oldHoldings]
    for (const { contract, token } of [...keys.tokens, ...oldTokens]) {
      const owner = find(stored.tokens, found.tokens, rowId(contract, token))?.owner
      if (owner !== undefined) wanted.push({ contract, owner, token })
    }
    for (const { contract, owner, token } of wanted) {
      find(stored.holdings, found.holdings, rowId(contract, owner, token))
      find(stored.ownings, found.ownings, rowId(contract, owner))
    }
    return { ...found, replaced: { tokens: oldTokens, holdings: oldHoldings } }
  }

  const apply = <C extends { readonly key: object; readonly now: unknown }>(
    all: Map<string, C>,
    changes: ReadonlyArray<C>,
    idOf: (change: C) => string
  ): void => {
    for (const change of changes) {
      if (change.now === undefined) all.delete(idOf(change))
      else all.set(idOf(change), change)
    }
  }

  const write = (changes: OwnershipWrites): void => {
    apply(stored.contracts, changes.contracts, ({ key: { address } }) => rowId(address))
    apply(stored.tokens, changes.tokens, ({ key: { contract, token } }) => rowId(contract, token))
    apply(stored.holdings, changes.holdings, ({ key: { contract, owner, token } }) => rowId(contract, owner, token))
    apply(stored.ownings, changes.ownings, ({ key: { contract, owner } }) => rowId(contract, owner))
    apply(
      stored.questions,
      changes.questions,
      ({ key: { contract, owner, token } }) => rowId(contract, owner, token)
    )
  }

  const reversed = ({ contracts, holdings, ownings, questions, tokens }: OwnershipWrites): OwnershipWrites => ({
    contracts: contracts.map(({ before, key, now }) => ({ key, before: now, now: before })),
    tokens: tokens.map(({ before, key, now }) => ({ key, before: now, now: before })),
    holdings: holdings.map(({ before, key, now }) => ({ key, before: now, now: before })),
    ownings: ownings.map(({ before, key, now }) => ({ key, before: now, now: before })),
    questions: questions.map(({ before, key, now }) => ({ key, before: now, now: before }))
  })

  const add = (block: PreparedBlock): Effect.Effect<void> =>
    Effect.gen(function*() {
      yield* later
      const found = rows(keysOf(block))
      yield* later
      const writes = writesOf(block, found)
      write(writes)
      undo.push({ block: block.header.number, writes })
    })

  return {
    add,
    addAll: (blocks) => Effect.forEach(blocks, ({ prepared }) => add(prepared), { discard: true }),
    revert: (height) =>
      Effect.gen(function*() {
        yield* later
        while ((undo.at(-1)?.block ?? height) > height) {
          const last = undo.pop()
          if (last !== undefined) write(reversed(last.writes))
        }
      }),
    dump: Effect.map(
      later,
      () =>
        names.flatMap((name) => [...stored[name].values()].map(({ key, now }) => lineOf(name, { ...key, ...now })))
          .sort()
    )
  }
})
