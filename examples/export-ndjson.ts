/** Export an account into NDJSON, showing progress, and read the rows back. */
import * as Exports from "@effect-klaytn/exports/Exports"
import * as FileSink from "@effect-klaytn/exports/FileSink"
import * as Plan from "@effect-klaytn/exports/Plan"
import { Row } from "@effect-klaytn/exports/Row"
import * as Range from "@effect-klaytn/history/Range"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import assert from "node:assert/strict"
import { account, Service } from "./support/Service.js"

const program = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.makeTempDirectoryScoped()
  const range = yield* Range.blocks({ from: 0, to: 100 })
  const plan = yield* Plan.make({ accounts: [account], range, windows: 2 })
  const sink = yield* FileSink.make({ directory })

  yield* Exports.events({ plan, sink }).pipe(Stream.runForEach((event) =>
    Effect.sync(() => {
      if (event._tag === "WindowClosed") console.log(`window ${event.window.index}: ${event.rows} rows`)
    })
  ))

  const rows: Array<Row> = []
  for (const part of yield* fs.readDirectory(`${directory}/parts`)) {
    const text = yield* fs.readFileString(`${directory}/parts/${part}`)
    for (const line of text.trim().split("\n")) rows.push(yield* Schema.decode(Schema.parseJson(Row))(line))
  }
  const manifest = yield* Exports.manifest(sink)
  for (const { amount_decimal, kind, token_symbol } of rows) console.log(kind, amount_decimal, token_symbol ?? "KLAY")
  assert.equal(manifest.complete, "yes")
  assert.equal(rows.length, manifest.rows)
})

await Effect.runPromise(
  program.pipe(Effect.scoped, Effect.provide(NodeContext.layer), Effect.provide(Service))
)
