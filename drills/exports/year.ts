/**
 * The drill of a year of looks: a tail of ten accounts that looks every minute, into SQLite and into a directory. Looks are made
 * in stretches, between which weeks pass at once: a window that has grown by a week in one look is the same as one that has
 * grown by it in ten thousand. Prints a JSON line for each sink; exit code 1 if a look after a year takes more than 20 % more of the
 * processor's time than at the beginning, or more memory, more requests, or if a record is missing. Beginning and end are three
 * stretches each. Most of the whole time goes into what is read between the stretches and into waits for the disk: 5 minutes on an idle
 * machine, less with `TMPDIR=/dev/shm`.
 *
 *     npx tsx drills/exports/year.ts [--looks 100] [--accounts 10] [--sinks sqlite,ndjson,parquet]
 */
import * as Database from "@effect-klaytn/engine/Database"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Exports from "../../packages/exports/src/Exports.js"
import * as FileSink from "../../packages/exports/src/FileSink.js"
import type { Sink } from "../../packages/exports/src/Sink.js"
import * as SqlSink from "../../packages/exports/src/SqlSink.js"
import * as looks from "./looks.js"

const { values } = parseArgs({
  options: {
    looks: { type: "string", default: "100" },
    accounts: { type: "string", default: "10" },
    sinks: { type: "string", default: "sqlite,ndjson,parquet" }
  }
})

setFlagsFromString("--expose-gc")
const collect: unknown = runInNewContext("gc")

const drill = (name: string, directory: string) =>
  Effect.gen(function*() {
    const measured = (sink: Sink) =>
      Effect.gen(function*() {
        const found = yield* looks.run({
          sink,
          accounts: Number(values.accounts),
          shortest: 120,
          stretches: Array.from({ length: 13 }, () => ({ looks: Number(values.looks), days: 30 })),
          collect: () => {
            if (typeof collect === "function") collect()
          }
        })
        const { complete, rows } = yield* Exports.manifest(sink)
        return { ...found, complete, stored: rows }
      })
    return yield* name === "sqlite"
      ? Effect.flatMap(SqlSink.make(), measured).pipe(
        Effect.provide(Database.layerSqlite({ file: `${directory}/year.db` }))
      )
      : Effect.flatMap(FileSink.make({ directory, format: name === "parquet" ? "parquet" : "ndjson" }), measured).pipe(
        Effect.provide(NodeContext.layer)
      )
  })

let failed = false
for (const name of values.sinks.split(",")) {
  const directory = mkdtempSync(join(tmpdir(), "year-"))
  const place = name === "sqlite" ? directory : join(directory, "export")
  const { complete, rows, stored, stretches } = await Effect.runPromise(Effect.scoped(drill(name, place)))
  rmSync(directory, { recursive: true })
  // The first stretch warms the program up.
  const early = looks.middle(stretches.slice(1, 4))
  const late = looks.middle(stretches.slice(-3))
  const isFlat = late.millis <= early.millis * 1.2 && late.heapMiB <= early.heapMiB * 1.2 &&
    late.requests <= early.requests
  const isRight = complete === "yes" && stored === rows && isFlat
  failed ||= !isRight
  process.stdout.write(`${JSON.stringify({ sink: name, isRight, rows, stored, complete, early, late, stretches })}\n`)
}
process.exitCode = failed ? 1 : 0
