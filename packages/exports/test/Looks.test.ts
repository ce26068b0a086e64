/** What a look of a tail costs after months: what the first one did. `drills/exports/year.ts` measures time and memory, too. */
import * as Database from "@effect-klaytn/engine/Database"
import * as NodeContext from "@effect/platform-node/NodeContext"
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fileTallies, sqlTallies, type Tallies } from "../../../drills/exports/audit.js"
import * as looks from "../../../drills/exports/looks.js"
import * as FileSink from "../src/FileSink.js"
import type { Sink } from "../src/Sink.js"
import * as SqlSink from "../src/SqlSink.js"

const stretches = [{ looks: 8, days: 60 }, { looks: 8, days: 60 }, { looks: 8, days: 30 }, { looks: 8, days: 0 }]

const measured = (sink: Sink, found: Effect.Effect<Tallies, unknown>) =>
  Effect.gen(function*() {
    const { rows, stretches: all } = yield* looks.run({
      sink,
      accounts: 4,
      shortest: 7200,
      stretches,
      collect: () => undefined
    })
    for (const { requests, windows } of all) {
      assert.strictEqual(windows, 4)
      // One request for each account; the next look may have begun.
      assert.isBelow(requests, 7)
    }
    const { rows: stored } = yield* found
    assert.strictEqual(stored.size, rows)
    assert.isTrue([...stored.values()].every((count) => count === 1))
  })

describe("a look of a tail after months", () => {
  it.live("makes the requests of the first one, for as many windows, in SQLite", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* fs.makeTempDirectoryScoped()}/looks.db`
      yield* Effect.flatMap(
        SqlClient,
        (sql) => Effect.flatMap(SqlSink.make(), (sink) => measured(sink, sqlTallies(sql)))
      ).pipe(
        Effect.provide(Database.layerSqlite({ file }))
      )
    }).pipe(Effect.scoped, Effect.provide(NodeContext.layer)), 60_000)

  it.live("makes the requests of the first one, for as many windows, in a directory", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* fs.makeTempDirectoryScoped()
      const sink = yield* FileSink.make({ directory })
      yield* measured(sink, Effect.sync(() => fileTallies(directory)))
      const sizeOf = (name: string): Effect.Effect<number, PlatformError> =>
        Effect.map(fs.stat(`${directory}/${name}`), ({ size }) => Number(size))
      for (const name of ["plan.json", "manifest.json", "begun.ndjson"]) assert.isBelow(yield* sizeOf(name), 8000)
    }).pipe(Effect.scoped, Effect.provide(NodeContext.layer)), 60_000)
})
