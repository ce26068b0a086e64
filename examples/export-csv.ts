/** Export the token transfers of an account into CSV, for a spreadsheet, and look for what came late. */
import * as Exports from "@effect-klaytn/exports/Exports"
import * as FileSink from "@effect-klaytn/exports/FileSink"
import * as Plan from "@effect-klaytn/exports/Plan"
import * as Range from "@effect-klaytn/history/Range"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import assert from "node:assert/strict"
import { account, Service } from "./support/Service.js"

const program = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.makeTempDirectoryScoped()
  const range = yield* Range.blocks({ from: 0, to: 100 })
  const plan = yield* Plan.make({ accounts: [account], range, kinds: ["ft"], windows: 1 })
  const sink = yield* FileSink.make({ directory, format: "csv" })
  const manifest = yield* Exports.run({ plan, sink })
  const [part = ""] = yield* fs.readDirectory(`${directory}/parts`)
  const lines = (yield* fs.readFileString(`${directory}/parts/${part}`)).trim().split("\r\n")
  console.log(lines.slice(0, 2).join("\n"))

  const differences = yield* Stream.runCollect(Exports.reconcile({ sink }))
  console.log(`${manifest.rows} rows, ${differences.length} windows differ from the service`)
  assert.equal(lines.length, 1 + manifest.rows)
  assert.equal(differences.length, 0)
})

await Effect.runPromise(
  program.pipe(Effect.scoped, Effect.provide(NodeContext.layer), Effect.provide(Service))
)
