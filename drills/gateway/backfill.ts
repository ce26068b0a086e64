/**
 * The drill of the first load of an index in Postgres: the same blocks by 1, 2 and 4 workers, each a process, and by 2 of which one is
 * killed every 5 seconds, or as soon after that as one has started. The tables must be equal, each by a hash of its rows. The node is a
 * process, too. Says on standard error how far the drill is, and at the end what each run took; prints one line of JSON with the CPU
 * seconds of the processes that load and fold, of the server, and of the node. Exits with 1 if a table differs, nothing is loaded or
 * folded for two minutes, or nothing was killed.
 *
 *     npx tsx drills/gateway/backfill.ts [--short] [--blocks 20000] [--workers 1,2,4] [--seed number]
 */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { parseArgs } from "node:util"
import { bundleProgram } from "../../scripts/bundleProgram.js"
import { temporary } from "../engine/postgres.js"
import { type BackfillRun, backfillRuns, type Query } from "./backfillRuns.js"

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    blocks: { type: "string" },
    workers: { type: "string" },
    seed: { type: "string", default: "1" }
  }
})
const seed = Number(values.seed)
if (!Number.isSafeInteger(seed)) throw new Error("--seed takes a whole number")
const blocks = Number(values.blocks ?? (values.short ? 2000 : 20_000))
/** A short load ends before five seconds have passed. */
const killEvery = values.short ? 3000 : 5000
const workers = (values.workers ?? (values.short ? "1" : "1,2,4")).split(",").map(Number)

const say = (line: string): void => void process.stderr.write(`${line}\n`)
const began = Date.now()
const program = (name: string) => bundleProgram(new URL(`./${name}.ts`, import.meta.url))
const programs = { node: await program("backfillNode"), load: await program("backfillProgram") }
const found = await Effect.runPromise(
  Effect.scoped(Effect.flatMap(temporary, (url) => {
    const query: Query = (text) =>
      PgClient.make({ url, maxConnections: 1 }).pipe(
        Effect.flatMap((sql) => sql.unsafe(text).values),
        Effect.scoped,
        Effect.provide(Reactivity.layer),
        Effect.runPromise
      )
    return Effect.promise(() =>
      backfillRuns({ url: Redacted.value(url), query, programs, blocks, workers, seed, killEvery, say })
    )
  }))
)

const columns: ReadonlyArray<readonly [string, (run: BackfillRun) => string | number]> = [
  ["workers", ({ kills, workers }) => kills === undefined ? workers : `${workers}, ${kills} kills`],
  ["seconds", ({ seconds }) => seconds],
  ["speed-up", ({ seconds }) => ((found.runs[0]?.seconds ?? 0) / seconds).toFixed(2)],
  ["CPU", ({ cpuSeconds }) => cpuSeconds.processes],
  ["server", ({ cpuSeconds }) => cpuSeconds.server],
  ["node", ({ cpuSeconds }) => cpuSeconds.node],
  ["blocks a CPU second", ({ perCpuSecond }) => perCpuSecond],
  ["ended", ({ isEnded }) => isEnded ? "yes" : "no"]
]
for (const cells of [columns.map(([name]) => name), ...found.runs.map((run) => columns.map(([, cell]) => cell(run)))]) {
  say(cells.map((cell, at) => String(cell).padEnd(Math.max(12, columns[at]?.[0].length ?? 0))).join("  "))
}
const isRight = found.different.length === 0 && found.runs.every(({ isEnded, kills }) => isEnded && kills !== 0)
const seconds = Math.round((Date.now() - began) / 1000)
process.stdout.write(`${JSON.stringify({ drill: "backfill", isRight, seed, ...found, seconds })}\n`)
process.exit(isRight ? 0 : 1)
