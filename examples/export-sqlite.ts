/** Export an account into SQLite; the budget runs out on the way, the same call goes on, and SQL answers questions. */
import * as Database from "@effect-klaytn/engine/Database"
import * as Budget from "@effect-klaytn/exports/Budget"
import * as Exports from "@effect-klaytn/exports/Exports"
import * as Plan from "@effect-klaytn/exports/Plan"
import * as SqlSink from "@effect-klaytn/exports/SqlSink"
import * as Range from "@effect-klaytn/history/Range"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FileSystem from "@effect/platform/FileSystem"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import assert from "node:assert/strict"
import { account, Service, token } from "./support/Service.js"

const program = Effect.gen(function*() {
  const range = yield* Range.blocks({ from: 0, to: 100 })
  const plan = yield* Plan.make({ accounts: [account], range, windows: 8 })
  console.log(Plan.summary(plan))
  const sink = yield* SqlSink.make()

  const budget = yield* Budget.make({ perRun: 3 })
  const stopped = yield* Effect.flip(Exports.run({ plan, sink, budget }))
  console.log(stopped.message)

  const manifest = yield* Exports.run({ plan, sink })
  console.log(`complete: ${manifest.complete}, ${manifest.rows} rows, checksum ${manifest.checksum}`)

  const sql = yield* SqlClient
  const balances = yield* sql<{ readonly balance: string }>`
    SELECT balance FROM balances WHERE account = ${account} AND contract = ${token}`
  console.log(balances)

  assert.equal(stopped._tag, "BudgetExhausted")
  assert.equal(manifest.complete, "yes")
  assert.deepEqual(balances.map(({ balance }) => balance), ["680"])
})

const History = Layer.unwrapScoped(
  Effect.map(
    Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped()),
    (directory) => Database.layerSqlite({ file: `${directory}/history.db` })
  )
)

await Effect.runPromise(
  program.pipe(Effect.provide(History), Effect.provide(NodeContext.layer), Effect.provide(Service))
)
