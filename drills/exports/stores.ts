/**
 * Stores that are in the way: a directory with the files of others and with links, a second exporter, a disk without room, a
 * Postgres that restarts. And a clock that is days wrong, which must change nothing.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import * as Postgres from "../engine/postgres.js"
import type { Tallies } from "./audit.js"
import * as runs from "./exportRuns.js"
import type { Job, SinkName } from "./job.js"
import type * as records from "./records.js"

export interface Setting {
  readonly exporter: string
  readonly report: (line: Readonly<Record<string, unknown>>, isGood: boolean) => void
  readonly jobOf: (sink: SinkName, url: string, more?: Partial<Job>) => Promise<Job>
  /** Removes what a job left. */
  readonly remove: (job: Job) => Promise<unknown> | void
  readonly history: ReadonlyArray<records.Recorded>
  readonly truth: Tallies
  readonly folder: string
  readonly isWhole: (audited: runs.Audited) => boolean
  /** A moment of up to so many requests from now. */
  readonly moment: (served: runs.Served, requests: number) => Promise<void>
  readonly rounds: number
  /** Leaves out what the tests of the package have too. */
  readonly short: boolean
}

type Lines = runs.Ended["lines"]

const refusedAs = (lines: Lines): unknown => lines.find((line) => "refused" in line)?.["refused"]

const problemOf = (lines: Lines): string => String(lines.find((line) => "problem" in line)?.["problem"])

/** Everything below a directory: names, kinds and contents. Links are not followed. */
const snapshot = (directory: string): string => {
  const hash = createHash("sha256")
  for (const name of readdirSync(directory, { recursive: true }).map(String).sort()) {
    const found = lstatSync(join(directory, name))
    hash.update(`${name} ${found.mode} `)
    if (found.isFile()) hash.update(readFileSync(join(directory, name)))
  }
  return hash.digest("hex")
}

/** What somebody else may have in a directory; `elsewhere` is where links lead. */
const belongings: Readonly<Record<string, (directory: string, elsewhere: string) => void>> = {
  "a file": (directory) => writeFileSync(join(directory, "notes.txt"), "precious"),
  "a folder parts": (directory) => {
    mkdirSync(join(directory, "parts"))
    writeFileSync(join(directory, "parts/000000-1.ndjson"), "precious")
  },
  "a link parts": (directory, elsewhere) => symlinkSync(elsewhere, join(directory, "parts")),
  "a link plan.json": (directory, elsewhere) => symlinkSync(join(elsewhere, "file"), join(directory, "plan.json")),
  "a link export.lock": (directory, elsewhere) => symlinkSync(join(elsewhere, "file"), join(directory, "export.lock")),
  "a plan of something else": (directory) => writeFileSync(join(directory, "plan.json"), "{\"holiday\":\"Rome\"}")
}

const foreign = async ({ exporter, folder, history, jobOf, report, short }: Setting): Promise<void> => {
  const served = await runs.serve(history, {})
  const elsewhere = join(folder, "elsewhere")
  mkdirSync(elsewhere)
  writeFileSync(join(elsewhere, "file"), "precious")
  let refused = 0
  let changed = 0
  const owners = Object.values(belongings).slice(short ? -3 : 0)
  for (const put of owners) {
    const job = await jobOf("ndjson", served.url)
    put(job.place, elsewhere)
    const before = [snapshot(job.place), snapshot(elsewhere)].join()
    const { lines } = await runs.runChild(exporter, job)
    if (["foreign", "locked"].includes(String(refusedAs(lines)))) refused++
    if ([snapshot(job.place), snapshot(elsewhere)].join() !== before) changed++
  }
  served.stop()
  const directories = owners.length
  report(
    { drill: "exports", store: "foreign", directories, refused, changed, requests: served.service.requests },
    refused === directories && changed === 0 && served.service.requests === 0
  )
}

/** Files and links that somebody puts into the directory of an export between its processes. */
const neighbours = async (setting: Setting): Promise<void> => {
  const { exporter, folder, history, isWhole, jobOf, moment, report, rounds, truth } = setting
  const served = await runs.serve(history, { repeating: 0.05 })
  const job = await jobOf("ndjson", served.url)
  const elsewhere = join(folder, "neighbours")
  mkdirSync(elsewhere)
  writeFileSync(join(elsewhere, "file"), "precious")
  const put: Array<string> = []
  let kills = 0
  while (kills < rounds) {
    const { killed } = await runs.runChild(exporter, job, { with: moment(served, kills === 0 ? 16 : 60) })
    if (!killed) break
    if (!existsSync(join(job.place, "parts"))) continue
    kills++
    const mine = `parts/00000${kills % 10}-${kills + 1}.ndjson`
    for (const name of [`parts/mine-${kills}.txt`, mine, `${mine}.partial`]) {
      if (existsSync(join(job.place, name))) continue
      writeFileSync(join(job.place, name), "precious")
      put.push(name)
    }
    symlinkSync(join(elsewhere, "file"), join(job.place, `rejected/link-${kills}`))
  }
  await runs.runChild(exporter, job)
  const lost = put.filter((name) => {
    const file = join(job.place, name)
    return !existsSync(file) || readFileSync(file, "utf8") !== "precious"
  }).length
  const audited = await runs.audit(job, truth)
  const followed = readFileSync(join(elsewhere, "file"), "utf8") !== "precious"
  served.stop()
  report(
    { drill: "exports", store: "neighbours", kills, files: put.length, lost, followed, ...audited },
    isWhole(audited) && lost === 0 && !followed && put.length > 0
  )
  rmSync(job.place, { recursive: true })
}

/** Several exporters start on one directory at once, one is killed, and they start again. */
const together = async (
  { exporter, history, isWhole, jobOf, moment, report, rounds, truth }: Setting
): Promise<void> => {
  let refused = 0
  let kills = 0
  let whole = 0
  let complete = 0
  for (let round = 0; round < rounds; round++) {
    const served = await runs.serve(history, {}, 5)
    const job = await jobOf("ndjson", served.url)
    for (let left = 1 + round % 2; left > 0; left--) {
      const ended = await Promise.all(
        [0, 1, 2].map(() => runs.runChild(exporter, job, { with: moment(served, 40) }))
      )
      kills += ended.filter(({ killed }) => killed).length
      refused += ended.filter(({ lines }) => refusedAs(lines) === "locked").length
    }
    const ended = await Promise.all([0, 1, 2].map(() => runs.runChild(exporter, job)))
    refused += ended.filter(({ lines }) => refusedAs(lines) === "locked").length
    complete += ended.filter(({ lines }) => refusedAs(lines) === undefined).length
    if (isWhole(await runs.audit(job, truth))) whole++
    served.stop()
    rmSync(job.place, { recursive: true })
  }
  report(
    { drill: "exports", store: "two exporters", rounds, kills, refused, complete, whole },
    whole === rounds && complete >= rounds && refused > 0
  )
}

/** A file system of its own with so much room; `undefined` where this process may not mount one. */
const mounted = (place: string, room: string): (() => void) | undefined => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${room}`, "tmpfs", place], { stdio: "ignore" })
    const unmount = (): void => void execFileSync("umount", ["-l", place], { stdio: "ignore" })
    // Also if the drill fails.
    process.once("exit", unmount)
    return () => {
      process.off("exit", unmount)
      unmount()
    }
  } catch {
    return undefined
  }
}

/** The disk fills up, the export ends with what to do, room is made, and the export goes on. */
const fullDisk = async (
  { exporter, history, isWhole, jobOf, report, truth }: Setting,
  sink: "ndjson" | "sqlite"
): Promise<void> => {
  const served = await runs.serve(history, {})
  const job = await jobOf(sink, served.url)
  // About a third of what the export needs.
  const unmount = mounted(job.place, `${Math.ceil(history.length * (sink === "sqlite" ? 0.7 : 0.25))}k`)
  if (unmount === undefined) {
    served.stop()
    return report(
      { drill: "exports", store: "full disk", sink, skipped: "this process may not mount a file system" },
      true
    )
  }
  try {
    const since = performance.now()
    const { lines } = await runs.runChild(exporter, job)
    const endedAfter = Math.round(performance.now() - since)
    execFileSync("mount", ["-o", `remount,size=${history.length * 10}k`, job.place], { stdio: "ignore" })
    await runs.runChild(exporter, job)
    const audited = await runs.audit(job, truth)
    const [refused, problem] = [refusedAs(lines), problemOf(lines)]
    report(
      { drill: "exports", store: "full disk", sink, refused, problem, endedAfter, ...audited },
      refused === "io" && problem.includes("make room") && isWhole(audited)
    )
  } finally {
    unmount()
    served.stop()
  }
}

/** Postgres restarts while one process exports, which waits for it and never has to be started again. */
const restarts = ({ exporter, history, isWhole, jobOf, moment, report, rounds, truth }: Setting): Promise<void> =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const server = yield* Postgres.restartable
    const url = Redacted.value(server.url)
    const served = yield* Effect.promise(() => runs.serve(history, {}, 20))
    const job: Job = { ...(yield* Effect.promise(() => jobOf("sqlite", served.url))), sink: "postgres", place: url }
    let running = true
    const child = runs.runChild(exporter, { ...job, perSecond: 40 }).finally(() => {
      running = false
    })
    const wanted = Math.min(rounds, 20)
    let restarted = 0
    while (running && restarted < wanted) {
      yield* Effect.promise(() => Promise.race([moment(served, 10), child.then(() => undefined)]))
      if (!running) break
      yield* server.restart(restarted % 2 === 0 ? "fast" : "immediate")
      restarted++
    }
    const { lines } = yield* Effect.promise(() => child)
    const audited = yield* Effect.promise(() => runs.audit(job, truth))
    served.stop()
    const waits = lines.filter((line) => "log" in line).length
    report(
      {
        drill: "exports",
        store: "restarts of Postgres",
        restarted,
        waits,
        refused: refusedAs(lines) ?? null,
        ...audited
      },
      isWhole(audited) && restarted > 0 && waits > 0 && refusedAs(lines) === undefined
    )
  })))

const day = 86_400

/** Exports and reads an open range of nearly six months with clocks that are wrong. */
const clocks = async ({ exporter, history, isWhole, jobOf, report, short, truth }: Setting): Promise<void> => {
  const newest = history.at(-1)?.time ?? 0
  for (const clockDays of short ? [-3] : [-3, 3, 200, -10_000]) {
    // The service's clock goes on by half a minute with each request, and the range soon would be too long.
    const served = await runs.serve(history, { time: { now: newest, perRequest: 30 } })
    const listFrom = newest - 184 * day + 120
    const job = await jobOf("ndjson", served.url, { clockDays })
    const { lines } = await runs.runChild(exporter, { ...job, listFrom, size: 25 })
    const [account] = job.accounts
    const there = history.filter(({ from, time, to }) =>
      time >= listFrom && (from === account || to === account)
    ).length
    const { tooLong } = served.service.struck
    served.stop()
    const free = await runs.serve(history, {})
    const whole = { ...job, url: free.url }
    await runs.runChild(exporter, whole)
    const audited = await runs.audit(whole, truth)
    free.stop()
    const listed = lines.find((line) => "listed" in line)?.["listed"]
    report({ drill: "exports", clockDays, listed, there, tooLong, ...audited }, listed === there && isWhole(audited))
    rmSync(job.place, { recursive: true })
  }
}

/** The runs of these troubles. */
export const tasks = (setting: Setting): ReadonlyArray<() => Promise<void>> => [
  () => foreign(setting),
  () => neighbours(setting),
  () => together(setting),
  () => fullDisk(setting, "ndjson"),
  () => fullDisk(setting, "sqlite"),
  ...(Postgres.isInstalled() ? [() => restarts(setting)] : []),
  () => clocks(setting)
]
