/**
 * The drill of exports: exporters in processes of their own are killed with SIGKILL at random moments and started again,
 * into every sink, from a service that throttles, fails, lets cursors die, names them again, lags, and gets records between two pages. Then
 * two workers at a time share one export on Postgres, and are killed and replaced. An auditor that shares no code with
 * the exporter compares what they leave with the history. Then what is wrong is the store (see `stores.ts`): a directory
 * with the files of others and with links, a second exporter, a disk without room, a Postgres that restarts, and a clock
 * that is days wrong. Then exports of an older version are continued by three processes that know more tables, of which one
 * is killed at each moment of the upgrade (see `upgrades.ts`). Then the source contradicts itself night after night (see
 * `contradictions.ts`). Three faults are planted besides, each of which it has to find. Prints a JSON line a run; exit code 1 if a record is missing or doubled, a trouble did not strike, a budget was
 * exceeded, or a fault was not found.
 *
 *     npx tsx drills/exports/exports.ts [--short] [--transfers 100000] [--kills 200] [--workers 50] [--seed text]
 *       [--sinks sqlite,postgres,ndjson,csv,workers,stores,upgrades,contradictions] [--points 50]
 *
 * `--workers` is how often one of two processes on one database is killed. Postgres is left out on a machine without it.
 * As many runs as there are cores go on at once; in the short form, where they mostly wait, all of them.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { mkdtempSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { bundleProgram } from "../../scripts/bundleProgram.js"
import * as Postgres from "../engine/postgres.js"
import * as contradictions from "./contradictions.js"
import * as runs from "./exportRuns.js"
import type { Job, SinkName } from "./job.js"
import * as records from "./records.js"
import * as stores from "./stores.js"
import * as upgrades from "./upgrades.js"

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    transfers: { type: "string" },
    kills: { type: "string" },
    workers: { type: "string" },
    seed: { type: "string", default: String(Date.now()) },
    sinks: { type: "string", default: "sqlite,postgres,ndjson,csv,workers,stores,upgrades,contradictions" },
    points: { type: "string" }
  }
})

const transfers = Number(values.transfers ?? (values.short ? 2_000 : 100_000))
const kills = Number(values.kills ?? (values.short ? 1 : 200))
const workerKills = Number(values.workers ?? (values.short ? 1 : 50))
/** At so many moments of an upgrade a process is killed. */
const points = Number(values.points ?? (values.short ? 2 : 50))
const next = records.random(values.seed)
const began = performance.now()

const accounts = [0, 1, 2, 3, 4].map(records.addressOf)
const history = records.make({ seed: values.seed, transfers, accounts: 6, misshapen: 0.002 })
const truth = records.expected(history, new Set(accounts))
const newest = history.at(-1)?.block ?? 0
const size = values.short ? 50 : 100
/** An account has about a fifth of the transfers; windows of some four pages each have room for every trouble. */
const windows = Math.max(4, Math.round(transfers / 5 / (4 * size)))
/** About how many requests an export takes. */
const requests = transfers * 1.2 / size
/** At first the index lags: the newest records appear after a third of the requests, and some others at any moment. */
const hidden = new Map(history.flatMap((record) => {
  if (record.time > records.began + records.lasts * 0.98) return [[record, requests / 3]]
  return next() < 0.005 ? [[record, next() * requests]] : []
}))
/** Some come in between two pages: at any scale enough for all runs to meet with them. */
const arriving = new Set(history.filter((record) => !hidden.has(record) && next() < Math.max(0.005, 60 / transfers)))
const troubles = {
  throttled: 0.02,
  failing: 0.02,
  dying: values.short ? 0.05 : 0.005,
  repeating: values.short ? 0.05 : 0.005,
  random: next,
  shownFrom: (record: records.Recorded) => hidden.get(record) ?? 0,
  arriving
}
const exporter = await bundleProgram(new URL("./exporter.ts", import.meta.url))
const worker = await bundleProgram(new URL("./worker.ts", import.meta.url))
const upgrader = await bundleProgram(new URL("./upgrader.ts", import.meta.url))
const scope = await Effect.runPromise(Scope.make())
const isAsked = (name: string): boolean => values.sinks.split(",").includes(name)
/** The address of a temporary Postgres, unless this machine has none. */
const server = ["postgres", "workers", "upgrades", "contradictions"].some(isAsked)
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

const times = [...truth.rows.values()]
report({
  drill: "exports",
  data: history.length,
  rows: times.reduce((sum, count) => sum + count, 0),
  identicalInTransaction: times.reduce((sum, count) => sum + count - 1, 0),
  misshapen: history.filter(({ misshapen }) => misshapen).length,
  lagging: hidden.size,
  arriving: arriving.size
}, true)

/** They keep whole windows only. */
const isOfFiles = (sink: SinkName): boolean => sink === "ndjson" || sink === "csv"

let places = 0
const jobOf = async (sink: SinkName, url: string, more: Partial<Job> = {}): Promise<Job> => {
  const place = sink === "postgres" && server !== undefined
    ? await runs.makeDatabase(server)
    : mkdtempSync(join(folder, `${++places}-`))
  return {
    sink,
    place,
    url,
    accounts,
    range: { from: records.began, to: records.began + records.lasts },
    windows,
    size,
    concurrency: isOfFiles(sink) ? 4 : 8,
    ...more
  }
}

/** Removes what a job left. */
const remove = ({ place, sink }: Job): Promise<unknown> | void =>
  sink === "postgres" && server !== undefined
    ? runs.dropDatabase(server, place)
    : rmSync(place, { recursive: true })

/** The checksum of every export that is whole. */
const checksums = new Set<unknown>()

const sumOf = (ended: ReadonlyArray<runs.Ended>, key: string): number =>
  ended.reduce((sum, { lines }) => sum + lines.filter((line) => key in line).length, 0)

/** A moment of up to so many requests after the first of each window of so many processes, and a little more. */
const moment = async (served: runs.Served, requests: number, processes = 1): Promise<void> => {
  await served.after(8 * processes + Math.floor(next() * requests))
  await new Promise((resolve) => setTimeout(resolve, next() * 20))
}

/** What strikes in each of these runs. */
const expectedTroubles = [
  "lagged",
  "throttled",
  "failed",
  "cursorsDied",
  "cursorsRepeated",
  "pagesWithinTransaction",
  "insertedBetweenPages"
]

/**
 * Exports with kills, until there were enough of them. `exporting` brings one export to its end, asks when each process
 * is to die, and says which were killed. Each export is then repaired from an index that no longer lags, and audited.
 * A process lives for up to `reach` requests, so that a busy machine lets it get as far as a quiet one.
 */
const killing = async (
  run: { readonly sink: SinkName; readonly atOnce: number; readonly least: number; readonly reach: number },
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
  while (exports === 0 || dead.length < run.least) {
    const served = await runs.serve(history, troubles)
    const job = await jobOf(run.sink, served.url, more)
    let deaths = run.least - dead.length
    /** One in ten dies while it starts. */
    const death = (ended: Promise<unknown> = new Promise(() => undefined)): runs.Death => {
      if (deaths-- <= 0) return { with: ended }
      return next() < 0.1
        ? { with: ended, afterStart: next() * 700 }
        : { with: Promise.race([ended, moment(served, run.reach, run.atOnce)]) }
    }
    await exporting(job, death, (ended) => void dead.push(ended))
    served.service.catchUp()
    if (job.perSecond !== undefined) fastest = Math.max(fastest, runs.burst(served.arrivals, job.perSecond))
    const { lines } = await runs.runChild(exporter, { ...job, perSecond: undefined, reconcile: true })
    late += Number(lines.at(-1)?.["late"])
    checksums.add(lines.at(-1)?.["checksum"])
    sums = await runs.audit(job, truth)
    whole &&= isWhole(sums)
    for (const [name, count] of Object.entries(served.service.struck)) struck[name] = (struck[name] ?? 0) + count
    struck["lagged"] = (struck["lagged"] ?? 0) + served.service.lagged.size
    exports++
    served.stop()
    await remove(job)
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
  }, whole && fastest <= run.atOnce * 8 && expectedTroubles.every((name) => (struck[name] ?? 0) > 0))
}

/** Each process runs the export, is killed and started again, until one comes to its end. */
const running = (sink: SinkName, atOnce: number, least: number): Promise<void> =>
  // Nothing is kept of a life that closes no window, so those of file sinks are longer.
  killing(
    { sink, atOnce, least, reach: values.short ? requests / 3 : isOfFiles(sink) ? 60 : 12 },
    {},
    async (job, death, died) => {
      const process = async (): Promise<void> => {
        for (;;) {
          const ended = await runs.runChild(exporter, job, death())
          if (!ended.killed) return
          died(ended)
        }
      }
      await Promise.all(Array.from({ length: atOnce }, process))
    }
  )

/** Workers are killed and replaced until the export that was submitted ends. */
const working = (least: number): Promise<void> =>
  killing(
    { sink: "postgres", atOnce: 2, least, reach: values.short ? requests / 3 : 120 },
    { perSecond: 60 },
    async (job, death, died) => {
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
    }
  )

/** A fault that is planted has to leave something missing or doubled. */
const planted = async (sink: SinkName, fault: "checkpoint" | "border"): Promise<void> => {
  const served = await runs.serve(history, {})
  const job = await jobOf(sink, served.url, {
    fault,
    ...(fault === "border" ? { blocks: { from: 0, to: newest }, windows: 20 } : {})
  })
  for (let tries = 0; fault === "checkpoint" && tries < 4; tries++) {
    await runs.runChild(exporter, job, { with: moment(served, 16) })
  }
  await runs.runChild(exporter, job)
  const audited = await runs.audit(job, truth)
  served.stop()
  report({ drill: "exports", planted: fault, sink, ...audited }, !isWhole(audited))
}

/**
 * Two processes have one budget of the day; a budget for each lets through twice as many requests. The window that finds the
 * budget empty ends the process's export, and with it the other window's request, which may be granted and not sent yet.
 */
const budgets = async (fault: "budget" | undefined): Promise<void> => {
  const perDay = 20
  const served = await runs.serve(history, {})
  const job = await jobOf("sqlite", served.url, { fault, perDay, concurrency: 2 })
  await Promise.all([runs.runChild(exporter, job), runs.runChild(exporter, job)])
  served.stop()
  const { requests } = served.service
  report(
    { drill: "exports", planted: fault ?? "none", perDay, requests },
    fault === undefined ? requests <= perDay && requests >= perDay - 2 : requests > perDay
  )
}

const onServer = server !== undefined
const setting: stores.Setting = {
  exporter,
  report,
  jobOf,
  remove,
  history,
  truth,
  folder,
  isWhole,
  moment,
  rounds: values.short ? 1 : 50,
  short: values.short
}
/** In the short form by two processes only, which meet with all that one does. */
const databases = (["sqlite", "postgres"] as const).filter((sink) => isAsked(sink) && (sink === "sqlite" || onServer))
const tasks: ReadonlyArray<() => Promise<void>> = [
  // The one that waits most comes first: what a killed worker held stays locked for a while.
  ...(onServer && isAsked("workers") ? [() => working(workerKills)] : []),
  ...(isAsked("ndjson") ? [() => running("ndjson", 1, kills)] : []),
  ...(isAsked("csv") ? [() => running("csv", 1, kills)] : []),
  ...databases.flatMap((sink) => [
    ...(values.short ? [] : [() => running(sink, 1, kills)]),
    () => running(sink, 2, workerKills)
  ]),
  () => planted("sqlite", "checkpoint"),
  () => planted("ndjson", "border"),
  () => budgets(undefined),
  () => budgets("budget"),
  ...(isAsked("stores") ? stores.tasks(setting) : []),
  ...(isAsked("contradictions") ? contradictions.tasks(setting, values.seed, server) : []),
  ...(isAsked("upgrades")
    ? upgrades.tasks(setting, upgrader, onServer ? ["sqlite", "postgres"] : ["sqlite"], points)
    : [])
]
const left = tasks.values()
const inTurn = async (): Promise<void> => {
  for (const task of left) await task()
}
await Promise.all(Array.from({ length: values.short ? tasks.length : availableParallelism() }, inTurn))
if (["sqlite", "postgres", "ndjson", "csv", "workers"].some(isAsked)) {
  report({ drill: "exports", checksums: checksums.size }, checksums.size === 1)
}

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
