/**
 * The drill of exports: exporters in processes of their own are killed with SIGKILL at random moments and started again,
 * into every sink, from a service that throttles, fails, lets cursors die, lags, and gets records between two pages. Then
 * two workers at a time share one export on Postgres, and are killed and replaced. An auditor that shares no code with
 * the exporter compares what they leave with the history. Then three faults are planted, each of which it has to find.
 * Prints a JSON line a run; exit code 1 if a record is missing or doubled, a budget was exceeded, or a fault was not found.
 *
 *     npx tsx packages/exports/drills/exports.ts [--short] [--transfers 100000] [--kills 200] [--workers 50] [--seed text]
 *       [--sinks sqlite,postgres,ndjson,csv]
 *
 * `--workers` is how often one of two processes on one database is killed. Postgres is left out on a machine without it.
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
import { bundleProgram } from "../../../scripts/bundleProgram.js"
import * as Postgres from "../../engine/drills/postgres.js"
import * as runs from "./exportRuns.js"
import type { Job, SinkName } from "./job.js"
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
const size = values.short ? 50 : 100
/** About how many requests an export takes. */
const requests = transfers * 1.2 / size
/** At first the index lags: the newest records appear after a third of the requests, and some others at any moment. */
const hidden = new Map(history.flatMap((record) => {
  if (record.time > records.began + records.lasts * 0.98) return [[record, requests / 3]]
  return next() < 0.005 ? [[record, next() * requests]] : []
}))
const troubles = {
  throttled: 0.02,
  failing: 0.02,
  dying: values.short ? 0.05 : 0.005,
  random: next,
  shownFrom: (record: records.Recorded) => hidden.get(record) ?? 0
}
const exporter = await bundleProgram(new URL("./exporter.ts", import.meta.url))
const worker = await bundleProgram(new URL("./worker.ts", import.meta.url))
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

const { rows } = records.expected(history, new Set(accounts))
report({
  drill: "exports",
  data: history.length,
  rows: [...rows.values()].reduce((sum, times) => sum + times, 0),
  identicalInTransaction: [...rows.values()].reduce((sum, times) => sum + times - 1, 0),
  misshapen: history.filter(({ misshapen }) => misshapen).length,
  lagging: hidden.size
}, true)

let places = 0
const jobOf = async (sink: SinkName, url: string, more: Partial<Job> = {}): Promise<Job> => {
  const place = sink === "postgres" && database !== undefined
    ? database
    : mkdtempSync(join(folder, `${++places}-`))
  const job: Job = {
    sink,
    place,
    url,
    accounts,
    range: { from: records.began, to: records.began + records.lasts },
    // A file sink keeps whole windows: short ones, so that some are closed between two kills.
    windows: values.short ? 4 : sink === "ndjson" || sink === "csv" ? 100 : 24,
    size,
    concurrency: 8,
    ...more
  }
  if (sink === "postgres") await runs.clear(job)
  return job
}

/** The checksum of every export that is whole. */
const checksums = new Set<unknown>()

const sumOf = (ended: ReadonlyArray<runs.Ended>, key: string): number =>
  ended.reduce((sum, { lines }) => sum + lines.filter((line) => key in line).length, 0)

/**
 * Exports with kills, until there were enough of them. `exporting` brings one export to its end, asks when each process
 * is to die, and says which were killed. Each export is then repaired from an index that no longer lags, and audited.
 */
const killing = async (
  run: { readonly sink: SinkName; readonly atOnce: number; readonly least: number; readonly lives: number },
  more: Partial<Job>,
  exporting: (
    job: Job,
    death: (ended?: Promise<unknown>) => runs.Death,
    died: (ended: runs.Ended) => void
  ) => Promise<void>
): Promise<void> => {
  const since = performance.now()
  const struck: Record<string, number> = { lagged: 0 }
  const dead: Array<runs.Ended> = []
  let exports = 0
  let late = 0
  let fastest = 0
  let sums: runs.Audited | undefined
  let whole = true
  /** One in ten dies while it starts. */
  const death = (ended?: Promise<unknown>): runs.Death => {
    if (dead.length >= run.least) return { with: ended }
    return next() < 0.1
      ? { with: ended, afterStart: next() * 700 }
      : { with: ended, afterFirst: next() * run.lives }
  }
  while (exports === 0 || dead.length < run.least) {
    const served = await runs.serve(history, troubles)
    const job = await jobOf(run.sink, served.url, more)
    await exporting(job, death, (ended) => void dead.push(ended))
    served.service.catchUp()
    if (job.perSecond !== undefined) fastest = Math.max(fastest, runs.burst(served.arrivals, job.perSecond))
    const { lines } = await runs.runChild(exporter, { ...job, perSecond: undefined, reconcile: true })
    late += Number(lines.at(-1)?.["late"])
    checksums.add(lines.at(-1)?.["checksum"])
    sums = await runs.audit(job, history)
    whole &&= isWhole(sums)
    for (const [name, count] of Object.entries(served.service.struck)) struck[name] = (struck[name] ?? 0) + count
    struck["lagged"] = (struck["lagged"] ?? 0) + served.service.lagged.size
    exports++
    served.stop()
  }
  report({
    drill: "exports",
    sink: run.sink,
    atOnce: run.atOnce,
    exports,
    kills: dead.length,
    killedBeforeCommit: dead.filter(({ lines }) => lines.length === 0).length,
    committedByKilled: sumOf(dead, "stored"),
    windowsClosedByKilled: sumOf(dead, "closed"),
    ...(more.perSecond === undefined ? {} : { perSecond: more.perSecond, burst: Math.ceil(fastest) }),
    ...struck,
    late,
    ...sums,
    seconds: Math.round((performance.now() - since) / 1000)
    // Requests that have their place are sent late by a process that was held up, and then together.
  }, whole && fastest <= run.atOnce * 8 && (values.short || Object.values(struck).every((count) => count > 0)))
}

/** Each process runs the export, is killed and started again, until one comes to its end. */
const running = (sink: SinkName, atOnce: number, least: number): Promise<void> =>
  killing({ sink, atOnce, least, lives: 400 }, {}, async (job, death, died) => {
    const process = async (): Promise<void> => {
      for (;;) {
        const ended = await runs.runChild(exporter, job, death())
        if (!ended.killed) return
        died(ended)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, process))
  })

/** Workers are killed and replaced until the export that was submitted ends. */
const working = (least: number): Promise<void> =>
  killing({ sink: "postgres", atOnce: 2, least, lives: 4_000 }, { perSecond: 60 }, async (job, death, died) => {
    let ends = false
    // One that takes too long is found by the audit.
    const ended = runs.submit(job).catch((error) => process.stderr.write(`${error}\n`)).finally(() => {
      ends = true
    })
    const working = async (): Promise<void> => {
      while (!ends) {
        const one = await runs.runChild(worker, job, death(ended))
        if (!ends) died(one)
      }
    }
    await Promise.all([ended, working(), working()])
  })

const isAsked = (sink: SinkName): boolean => values.sinks.split(",").includes(sink)
/** Those on Postgres share one database, and come one after the other. */
const lanes: ReadonlyArray<ReadonlyArray<() => Promise<void>>> = [
  isAsked("sqlite") ? [() => running("sqlite", 1, kills), () => running("sqlite", 2, workerKills)] : [],
  database === undefined ? [] : [
    () => running("postgres", 1, kills),
    () => running("postgres", 2, workerKills),
    () => working(workerKills)
  ],
  isAsked("ndjson") ? [() => running("ndjson", 1, kills)] : [],
  isAsked("csv") ? [() => running("csv", 1, kills)] : []
]
const inTurn = (lane: ReadonlyArray<() => Promise<void>>): Promise<void> =>
  lane.reduce((before, one) => before.then(one), Promise.resolve())
await (values.short ? Promise.all(lanes.map(inTurn)) : inTurn(lanes.flat()))
report({ drill: "exports", checksums: checksums.size }, checksums.size === 1)

/** A fault that is planted has to leave something missing or doubled. */
const planted = async (sink: SinkName, fault: "checkpoint" | "border"): Promise<void> => {
  const served = await runs.serve(history, {})
  const job = await jobOf(sink, served.url, {
    fault,
    ...(fault === "border" ? { blocks: { from: 0, to: newest }, windows: 60 } : {})
  })
  for (let tries = 0; fault === "checkpoint" && tries < 2; tries++) {
    await runs.runChild(exporter, job, { afterFirst: next() * 100 })
  }
  await runs.runChild(exporter, job)
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
  await Promise.all([runs.runChild(exporter, job), runs.runChild(exporter, job)])
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
