/**
 * The drill of exports: exporters in processes of their own are killed with SIGKILL at random moments and started again,
 * into every sink, from a service that throttles, fails, lets cursors die and lags. An auditor that shares no code with
 * the exporter compares what they leave with the history. Then three faults are planted, each of which it has to find.
 * Prints a JSON line a run; exit code 1 if a record is missing or doubled, or a fault was not found.
 *
 *     npx tsx packages/exports/drills/exports.ts [--short] [--transfers 100000] [--kills 200] [--workers 50] [--seed text]
 *       [--sinks sqlite,postgres,ndjson,csv]
 *
 * `--workers` is how often one of two workers on one database is killed. Postgres is left out on a machine without it.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Postgres from "../../engine/drills/postgres.js"
import { bundle } from "./bundle.js"
import * as runs from "./exportRuns.js"
import * as records from "./records.js"

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    transfers: { type: "string" },
    kills: { type: "string" },
    workers: { type: "string" },
    seed: { type: "string", default: String(Date.now()) },
    sinks: { type: "string", default: "sqlite,postgres,ndjson,csv" }
  }
})

const transfers = Number(values.transfers ?? (values.short ? 2_000 : 100_000))
const kills = Number(values.kills ?? (values.short ? 1 : 200))
const workerKills = Number(values.workers ?? (values.short ? 1 : 50))
const next = records.random(values.seed)
const began = performance.now()

const accounts = [0, 1, 2, 3, 4].map(records.addressOf)
const history = records.make({ seed: values.seed, transfers, accounts: 6, misshapen: 0.002 })
const newest = history.at(-1)?.block ?? 0
/** From here on the index lags at first. */
const lagging = records.began + Math.floor(records.lasts * 0.98)
const script = await bundle(new URL("./exporter.ts", import.meta.url))
const scope = await Effect.runPromise(Scope.make())
/** The address of a temporary Postgres, unless this machine has none. */
const database = values.sinks.includes("postgres")
  ? await Effect.runPromise(Postgres.temporary.pipe(
    Scope.extend(scope),
    Effect.map(Redacted.value),
    Effect.tapError(({ message }) => Effect.sync(() => process.stderr.write(`without Postgres: ${message}\n`))),
    Effect.either,
    Effect.map(Either.getOrUndefined)
  ))
  : undefined
const folder = mkdtempSync(join(tmpdir(), "exports-drill-"))
let failed = 0

const report = (line: Readonly<Record<string, unknown>>, isGood: boolean): void => {
  if (!isGood) failed++
  process.stdout.write(`${JSON.stringify({ ...line, ok: isGood })}\n`)
}

const isWhole = (audited: runs.Audited): boolean =>
  audited.rows > 0 && audited.missing + audited.doubled + audited.rejectedMissing + audited.rejectedDoubled === 0

let places = 0
const jobOf = async (sink: runs.SinkName, url: string, more: Partial<runs.Job> = {}): Promise<runs.Job> => {
  const place = sink === "postgres" && database !== undefined
    ? database
    : mkdtempSync(join(folder, `${++places}-`))
  const job: runs.Job = {
    sink,
    place,
    url,
    accounts,
    range: { from: records.began, to: records.began + records.lasts },
    windows: values.short ? 4 : 24,
    size: values.short ? 50 : 100,
    concurrency: 8,
    ...more
  }
  if (sink === "postgres") await runs.clear(job)
  return job
}

/** Exports with kills, until there were enough of them; each export that came to its end is audited. */
const killing = async (sink: runs.SinkName, atOnce: number, least: number): Promise<void> => {
  let killed = 0
  let exports = 0
  let late = 0
  let sums: runs.Audited | undefined
  let whole = true
  while (exports === 0 || killed < least) {
    let lag = true
    const served = await runs.serve(history, {
      throttled: 0.02,
      failing: 0.02,
      dying: 0.005,
      random: next,
      visibleUntil: () => lag ? lagging : Number.POSITIVE_INFINITY
    })
    const job = await jobOf(sink, served.url)
    const reveal = Math.floor(served.service.requests + 40)
    const watch = setInterval(() => lag &&= served.service.requests < reveal, 1)
    /** One worker: killed and started again until it may end. */
    const worker = async (): Promise<void> => {
      for (;;) {
        const lives = killed < least ? Math.floor(next() * 400) : undefined
        const ended = await runs.runChild(script, job, lives)
        if (!ended.killed) return
        killed++
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    lag = false
    clearInterval(watch)
    const { last } = await runs.runChild(script, { ...job, reconcile: true })
    late += Number(last["late"])
    sums = await runs.audit(job, history)
    whole &&= isWhole(sums)
    exports++
    served.stop()
  }
  report({ drill: "exports", sink, workers: atOnce, exports, kills: killed, late, ...sums }, whole)
}

for (const sink of ["sqlite", "postgres", "ndjson", "csv"] as const) {
  if (!values.sinks.split(",").includes(sink) || sink === "postgres" && database === undefined) continue
  await killing(sink, 1, kills)
}
await killing("sqlite", 2, workerKills)
if (database !== undefined) await killing("postgres", 2, workerKills)

/** A fault that is planted has to leave something missing or doubled. */
const planted = async (sink: runs.SinkName, fault: "checkpoint" | "border"): Promise<void> => {
  const served = await runs.serve(history, {})
  const job = await jobOf(sink, served.url, {
    fault,
    ...(fault === "border" ? { blocks: { from: 0, to: newest }, windows: 60 } : {})
  })
  for (let tries = 0; fault === "checkpoint" && tries < 2; tries++) {
    await runs.runChild(script, job, Math.floor(next() * 100))
  }
  await runs.runChild(script, job)
  const audited = await runs.audit(job, history)
  served.stop()
  report({ drill: "exports", planted: fault, sink, ...audited }, !isWhole(audited))
}

await planted("sqlite", "checkpoint")
await planted("ndjson", "border")

/** Two processes have one budget of the day; a budget for each lets through twice as many requests. */
const budgets = async (fault: "budget" | undefined): Promise<void> => {
  const perDay = 20
  const served = await runs.serve(history, {})
  const job = await jobOf("sqlite", served.url, { fault, perDay })
  await Promise.all([runs.runChild(script, job), runs.runChild(script, job)])
  served.stop()
  const { requests } = served.service
  report(
    { drill: "exports", planted: fault ?? "none", perDay, requests },
    fault === undefined ? requests === perDay : requests > perDay
  )
}

await budgets(undefined)
await budgets("budget")

await Effect.runPromise(Scope.close(scope, Exit.void))
rmSync(folder, { recursive: true })
process.stdout.write(`${
  JSON.stringify({
    drill: "exports",
    seed: values.seed,
    transfers,
    seconds: Math.round((performance.now() - began) / 1000),
    failed
  })
}\n`)
process.exitCode = failed === 0 ? 0 : 1
