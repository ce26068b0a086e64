/** The kinds of SQLite stores, as the drill of kills opens, writes, counts and copies them. */
import type { Chain } from "@effect-klaytn/core/Chain"
import * as CustodyTables from "@effect-klaytn/custody/CustodyTables"
import * as GuardTables from "@effect-klaytn/custody/GuardTables"
import * as SqlSecrets from "@effect-klaytn/custody/SqlSecrets"
import * as Database from "@effect-klaytn/store/Database"
import * as Migrations from "@effect-klaytn/store/Migrations"
import * as Rows from "@effect-klaytn/store/Rows"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as setup from "../../packages/engine/src/internal/setup.js"
import * as SqlSink from "../../packages/exports/src/SqlSink.js"
import * as CallerFile from "../../packages/gateway/src/CallerFile.js"
import * as IndexFile from "../../packages/gateway/src/internal/IndexFile.js"
import * as WalletCallers from "../../packages/gateway/src/internal/WalletCallers.js"
import * as stores from "../../packages/payouts/src/internal/store.js"
import { Content } from "../../packages/payouts/src/Payout.js"
import * as Chains from "../../packages/sandbox/src/Chains.js"

/** A store that is open. */
export interface OpenStore {
  /** Writes what has a number. It is stored when this returns. */
  readonly write: (n: number) => Effect.Effect<void, unknown>
  /** The numbers that are stored. */
  readonly numbers: Effect.Effect<ReadonlyArray<number>, unknown>
  /** Copies the store while it is open; undefined where its file is locked, and copied after a stop. */
  readonly copy?: ((file: string) => Effect.Effect<unknown, unknown>) | undefined
}

type Open = (file: string) => Effect.Effect<OpenStore, unknown, Scope.Scope>

const chain: Chain = 1001

const content = Schema.decodeSync(Content)({
  chain,
  request: {
    _tag: "Value",
    from: "0x3ab0212a7b094f496ab8d45c79a9db0ad3770a8e",
    to: "0xdddddddddddddddddddddddddddddddddddddddd",
    value: "5",
    memo: "m".repeat(2000)
  },
  payer: { _tag: "ServiceFeePayer" }
})

/** The names of what was written begin so. */
const prefix = "kill-"

const numbersOf = (names: ReadonlyArray<string>): ReadonlyArray<number> =>
  names.filter((name) => name.startsWith(prefix)).map((name) => Number(name.slice(prefix.length)))

/** A store on the SQLite client of `@effect/sql`, whose tables `prepare` makes or upgrades. */
const onSqlite = (
  prepare: (
    sql: SqlClient.SqlClient
  ) => Effect.Effect<
    {
      readonly write: (name: string) => Effect.Effect<unknown, unknown>
      readonly table: string
      readonly column: string
    },
    unknown,
    SqlClient.SqlClient
  >
): Open =>
(file) =>
  Effect.gen(function*() {
    const sql = Context.get(yield* Layer.build(Database.layerSqlite({ file })), SqlClient.SqlClient)
    const { column, table, write } = yield* Effect.provideService(prepare(sql), SqlClient.SqlClient, sql)
    return {
      write: (n) => Effect.asVoid(write(`${prefix}${n}`)),
      numbers: Effect.map(
        sql`SELECT ${sql(column)} AS name FROM ${sql(table)}`,
        (rows) => numbersOf(rows.map((row) => Rows.text(row, "name")))
      ),
      copy: (copy) => sql`VACUUM INTO ${sql.literal(`'${copy}'`)}`
    }
  })

/** A table of the program beside those of a package. */
const ownTable = (sql: SqlClient.SqlClient) =>
  Effect.as(sql`CREATE TABLE IF NOT EXISTS written (name TEXT PRIMARY KEY, filler TEXT)`, {
    write: (name: string) => sql`INSERT INTO written VALUES (${name}, ${"f".repeat(2000)})`,
    table: "written",
    column: "name"
  })

const payouts = onSqlite((sql) =>
  Effect.map(stores.make(sql, "klaytn"), (store) => ({
    write: (key: string) => store.insert(key, content, null),
    table: "klaytn_payouts",
    column: "id"
  }))
)

const wallet = onSqlite((sql) =>
  Effect.gen(function*() {
    for (const tables of [CustodyTables.make(chain), GuardTables.make(chain)]) yield* Migrations.upgrade(tables)
    yield* WalletCallers.makeTables(sql)
    const { keepFact } = SqlSecrets.make(sql, chain)
    return {
      write: (name: string) => keepFact(name, "f".repeat(2000)),
      table: `wallet_facts_${chain}`,
      column: "name"
    }
  })
)

const exported = onSqlite((sql) => Effect.zipRight(SqlSink.upgrade(), ownTable(sql)))

const engine = onSqlite((sql) =>
  Effect.zipRight(setup.prepare("klaytn", { name: "the engine of the drill", file: undefined }), ownTable(sql))
)

const index: Open = (file) =>
  Effect.gen(function*() {
    const home = yield* IndexFile.open(file)
    const { facts } = yield* home.open(home.chain ?? chain, undefined, home.isTraced ?? false)
    return {
      write: (n) => Effect.asVoid(facts.keep(`${prefix}${n}`, "f".repeat(2000))),
      // Facts are read by their names, and were written in order.
      numbers: Effect.gen(function*() {
        const found: Array<number> = []
        for (let n = 1; (yield* facts.get(`${prefix}${n}`))._tag === "Some"; n++) found.push(n)
        return found
      })
    }
  })

const callers: Open = (file) =>
  Effect.map(CallerFile.open(file), (found) => ({
    write: (n) => Effect.asVoid(found.add(`${prefix}${n}`, {})),
    numbers: Effect.map(found.list, (all) => numbersOf(all.map(({ name }) => name)))
  }))

/** What is written is a block, whose number it has. */
const sandbox: Open = (file) =>
  Effect.map(Chains.make({ database: file, seed: "kill", clock: { start: 1_600_000_000, step: 1 } }), (chains) => {
    const opened = chains.chain(chain)
    const newest = Effect.map(opened.head, ({ number }) => number)
    return {
      write: (n) =>
        Effect.asVoid(Effect.repeat(Effect.zipRight(opened.mine(), newest), { until: (head) => head >= n })),
      numbers: Effect.map(newest, (head) => Array.from({ length: head }, (_, i) => i + 1))
    }
  })

/** All kinds, by name. */
export const kinds = { payouts, wallet, exported, engine, index, callers, sandbox } satisfies Readonly<
  Record<string, Open>
>

export type KindName = keyof typeof kinds
