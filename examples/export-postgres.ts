/**
 * Export an account into Postgres, with a budget that all processes on that database share. Uses the server of `PGHOST`,
 * `PGUSER` and `PGDATABASE`; everything it makes there begins with `example_` and is dropped at the end.
 */
import * as Exports from "@effect-klaytn/exports/Exports"
import * as Plan from "@effect-klaytn/exports/Plan"
import * as SqlSink from "@effect-klaytn/exports/SqlSink"
import * as Range from "@effect-klaytn/history/Range"
import * as PgClient from "@effect/sql-pg/PgClient"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import assert from "node:assert/strict"
import { account, Service, token } from "./support/Service.js"

const options = { prefix: "example_" }

const program = Effect.gen(function*() {
  const sql = yield* SqlClient
  const range = yield* Range.blocks({ from: 0, to: 100 })
  const plan = yield* Plan.make({ accounts: [account], range })
  const budget = yield* SqlSink.budget({ perSecond: 100, perDay: 10_000 }, options)
  const manifest = yield* Exports.run({ plan, sink: yield* SqlSink.make(options), budget })
  const balances = yield* sql<{ readonly balance: string }>`
    SELECT balance FROM example_balances WHERE account = ${account} AND contract = ${token}`
  console.log(manifest.complete, balances)
  for (const name of ["balances", "daily"]) yield* sql.unsafe(`DROP VIEW example_${name}`)
  for (const name of ["transfers", "rejected", "export_plan", "export_windows", "export_accounts", "export_budget"]) {
    yield* sql.unsafe(`DROP TABLE example_${name}`)
  }
  assert.deepEqual(balances.map(({ balance }) => balance), ["680"])
})

const { PGDATABASE: database, PGHOST: host, PGUSER: username } = process.env

if (host === undefined) {
  console.log("set PGHOST, and PGUSER and PGDATABASE where they differ from the defaults, to export into Postgres")
} else {
  await Effect.runPromise(
    program.pipe(Effect.provide(PgClient.layer({ host, database, username })), Effect.provide(Service))
  )
}
