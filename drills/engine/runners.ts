/**
 * The drill of runners: workflows that are each asked for twice, while their runners die by SIGKILL. On a SQLite file one
 * runner at a time, killed and started again; on Postgres two, of which one is killed and a new one joins. Every workflow
 * must end with its own answer, and what is committed with its result must be there once. Prints a JSON line for each
 * database, and exits 1 if anything was lost, wrong or there twice.
 *
 *     npx tsx drills/engine/runners.ts [--workflows 1000] [--kills 5] [--database postgres://...] [--short]
 *
 * Without `--database` it starts a Postgres in a temporary folder; where there is none, it says so.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { temporary } from "./postgres.js"
import { runs } from "./runnerRuns.js"

const { values } = parseArgs({
  options: {
    workflows: { type: "string" },
    kills: { type: "string" },
    database: { type: "string" },
    short: { type: "boolean", default: false }
  }
})

const options = {
  workflows: Number(values.workflows ?? (values.short ? 30 : 1000)),
  kills: Number(values.kills ?? (values.short ? 1 : 5))
}

const sqlite = Effect.acquireUseRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "runners-drill-"))),
  (folder) =>
    runs({ ...options, database: "sqlite", url: Redacted.make(`file:${join(folder, "work.db")}`), runners: 1 }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

const postgres = Effect.scoped(Effect.gen(function*() {
  const url = yield* Effect.either(
    values.database === undefined ? temporary : Effect.succeed(Redacted.make(values.database))
  )
  if (Either.isRight(url)) return yield* runs({ ...options, database: "postgres", url: url.right, runners: 2 })
  process.stdout.write(`${url.left.message} The drill did the SQLite part alone.\n`)
  return true
}))

const results = await Effect.runPromise(Effect.all([sqlite, postgres], { concurrency: "unbounded" }))
process.exit(results.every((ok) => ok) ? 0 : 1)
