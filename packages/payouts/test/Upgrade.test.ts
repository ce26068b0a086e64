import * as SqlClient from "@effect/sql/SqlClient"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import { rmSync } from "node:fs"
import { dirname } from "node:path"
import { bundleProgram } from "../../../scripts/bundleProgram.js"
import { databases, type TestDatabase } from "../../engine/test/support/databases.js"
import { tables } from "../src/internal/migrations.js"
import * as stores from "../src/internal/store.js"
import * as Payouts from "../src/Payouts.js"
import * as SqlSpendPolicy from "../src/SqlSpendPolicy.js"

let program = ""
beforeAll(async () => {
  program = await bundleProgram(new URL("./upgradeProgram.ts", import.meta.url))
})

afterAll(() => rmSync(dirname(program), { recursive: true, force: true }))

/** The version of the tables of this program. */
const newest = tables("klaytn").migrations.length

/** Where upgrades are killed: as many points as this, at other ones each day. `UPGRADE_POINTS=50` is nearly every statement. */
const kills = Number(process.env["UPGRADE_POINTS"] ?? "16")

/** Upgrades in a process of its own. Returns what that printed; nothing if it was killed. */
const inProcess = (
  { url }: TestDatabase,
  namespace: string,
  options: { readonly diesBefore?: number; readonly killedAfter?: number; readonly startsAt?: number } = {}
) =>
  Effect.async<string>((resume) => {
    const child = spawn(process.execPath, [program], {
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        ...process.env,
        KLAYTN_DATABASE_URL: Redacted.value(url),
        NAMESPACE: namespace,
        DIES_BEFORE: String(options.diesBefore ?? 0),
        STARTS_AT: String(options.startsAt ?? 0)
      }
    })
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => output += chunk.toString())
    if (options.killedAfter !== undefined) setTimeout(() => child.kill("SIGKILL"), options.killedAfter)
    child.once("close", (code, signal) => {
      const isKilled = signal === "SIGKILL"
      resume(isKilled || code === 0 ? Effect.succeed(output) : Effect.dieMessage(`the process ended with ${code}`))
    })
  })

const content = (chain: number) => JSON.stringify({ chain, request: { memo: `"chain":7,\u0000` }, payer: {} })

/** Tables as version 73b558d3 made them, with a payout on each chain and a change that reserved a nonce. */
const makeOld = (namespace: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [first] = tables(namespace).migrations
    if (first === undefined) return yield* Effect.dieMessage("there is no migration")
    yield* first.make
    for (const chain of [1001, 8217]) {
      yield* sql`
        INSERT INTO ${sql(`${namespace}_payouts`)}
          (id, sender, content, state, tag, version, run, created_at, updated_at, since, worked_at, swept_at)
        VALUES (${`on ${chain}`}, '0x1', ${content(chain)}, '{}', 'Planned', 1, 0, 1, 2, 3, 4, 5)`
    }
    const events = [{ _tag: "Reserved", nonce: 4, from: "0x1" }, { _tag: "Accepted", nonce: 4, problem: "Reserved" }]
    for (const [version, event] of events.entries()) {
      yield* sql`
        INSERT INTO ${sql(`${namespace}_payout_changes`)} (payout, version, at, event, state)
        VALUES ('on 1001', ${version}, 1, ${JSON.stringify(event)}, '{}')`
    }
  })

const columnsOf = (table: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.onDialectOrElse({
        pg: () =>
          sql<
            { readonly name: string }
          >`SELECT column_name AS name FROM information_schema.columns WHERE table_name = ${table}`,
        orElse: () => sql<{ readonly name: string }>`SELECT name FROM pragma_table_xinfo(${table})`
      }),
      (rows) => rows.map(({ name }) => name)
    ))

/** The version that is recorded, and that of the tables as they are. */
const versionsOf = (namespace: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const recorded = yield* sql<{ readonly version: number | null }>`
      SELECT MAX(migration_id) AS version FROM ${sql(`${namespace}_payouts_versions`)}`.pipe(
      Effect.map(([row]) => row?.version ?? 0),
      Effect.orElseSucceed(() => 0)
    )
    const hasReserved = (yield* columnsOf(`${namespace}_payout_changes`)).includes("reserved")
    const columns = yield* columnsOf(`${namespace}_payouts`)
    const has = [columns.includes("chain"), hasReserved, columns.includes("limits")]
    return { recorded, actual: 1 + has.filter((one) => one).length }
  })

/** All rows, as the upgraded tables have them. */
const rowsOf = (namespace: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* Effect.forEach(["payouts", "payout_changes", "values", "spends"], (name) =>
      sql`SELECT * FROM ${sql(`${namespace}_${name}`)}`)
    return JSON.stringify(rows)
  })

const upgraded = (namespace: string) => Effect.zipRight(Payouts.upgrade({ namespace }), rowsOf(namespace))

describe.each(databases)("an upgrade of payouts on %s", (_, open) => {
  it.scopedLive("fills the columns of older rows, and of those that an older program writes", () =>
    Effect.flatMap(open, ({ layer }) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* makeOld("klaytn")
        assert.deepInclude(yield* Payouts.upgrade(), { from: 1, to: newest })
        yield* sql`
          INSERT INTO klaytn_payouts
            (id, sender, content, state, tag, version, run, created_at, updated_at, since, worked_at, swept_at)
          VALUES ('later', '0x1', ${content(1001)}, '{}', 'Planned', 1, 0, 1, 2, 3, 4, 5)`
        const chains = yield* sql`SELECT id, chain FROM klaytn_payouts ORDER BY id`
        assert.deepStrictEqual(chains.map(({ chain, id }) => `${id}: ${chain}`), [
          "later: 1001",
          "on 1001: 1001",
          "on 8217: 8217"
        ])
        const reserved = yield* sql`SELECT payout, event FROM klaytn_payout_changes WHERE reserved = 4`
        assert.strictEqual(reserved.length, 1)
        assert.include(reserved[0]?.["event"], `"_tag":"Reserved"`)
      }).pipe(Effect.provide(layer))))

  it.scopedLive("is refused on tables of a newer program, whoever opens them", () =>
    Effect.flatMap(open, ({ layer }) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* Payouts.upgrade()
        yield* sql`INSERT INTO klaytn_payouts_versions (migration_id, name) VALUES (${newest + 1}, 'later')`
        const errors = [
          yield* Effect.flip(Payouts.upgrade()),
          yield* Effect.flip(SqlSpendPolicy.make({})),
          yield* Effect.flip(stores.make(sql, "klaytn"))
        ]
        for (const error of errors) {
          assert.deepInclude(error, { _tag: "NewerTables", tables: "payouts", found: newest + 1, known: newest })
        }
      }).pipe(Effect.provide(layer))))

  it.scopedLive(
    "is made once by three processes that start at the same time",
    () =>
      Effect.flatMap(open, (database) =>
        Effect.gen(function*() {
          for (const namespace of ["new", "old"]) {
            if (namespace === "old") yield* makeOld(namespace)
            const startsAt = Date.now() + 1500
            const outputs = yield* Effect.all(
              [1, 2, 3].map(() => inProcess(database, namespace, { startsAt })),
              { concurrency: "unbounded" }
            )
            for (const output of outputs) assert.include(output, `"to":${newest}`)
            assert.deepStrictEqual(yield* versionsOf(namespace), { recorded: newest, actual: newest })
          }
        }).pipe(Effect.provide(database.layer))),
    60_000
  )

  it.scopedLive(
    `that was killed at any of ${kills} points is all there or not at all, and goes on`,
    () =>
      Effect.flatMap(open, (database) =>
        Effect.gen(function*() {
          yield* makeOld("whole")
          const output = yield* inProcess(database, "whole")
          const { statements } = JSON.parse(output) as { readonly statements: number } // printed by the program
          const expected = yield* rowsOf("whole")
          const seen = new Set<number>()
          const day = Math.floor(Date.now() / 86_400_000)
          const every = Math.max(1, Math.ceil(statements / (0.8 * kills)))
          const dying = Array.from({ length: statements }, (_, i) => i + 1).filter((at) => at % every === day % every)
          const points = Array.from({ length: kills }, (_, i) => {
            const diesBefore = dying[i]
            return diesBefore === undefined ? { killedAfter: 150 + Math.random() * 400 } : { diesBefore }
          })
          yield* Effect.forEach(points, (point, i) =>
            Effect.gen(function*() {
              const namespace = `killed${i}`
              yield* makeOld(namespace)
              yield* inProcess(database, namespace, point)
              const { actual, recorded } = yield* versionsOf(namespace)
              assert.strictEqual(Math.max(1, recorded), actual)
              seen.add(recorded)
              assert.strictEqual(yield* upgraded(namespace), expected)
            }), { concurrency: 2 })
          assert.isAbove(statements, 20)
          assert.includeMembers([...seen], [0, 1, 2])
        }).pipe(Effect.provide(database.layer))),
    300_000
  )
})
