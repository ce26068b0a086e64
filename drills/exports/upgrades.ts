/**
 * Exports that an older version has begun, continued by three processes at once that know more tables and columns. One of them
 * kills itself at one moment of the upgrade after the other. Nothing may be lost, doubled or stuck, and each migration is made once.
 */
import * as Effect from "effect/Effect"
import { copyFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as runs from "./exportRuns.js"
import type { Job } from "./job.js"
import * as records from "./records.js"
import type { Setting } from "./stores.js"

/** What an upgrading process is to do. */
export interface UpgradeJob extends Job {
  readonly sink: "sqlite" | "postgres"
  /** The file with the history of the stores. */
  readonly history: string
  /** The moment at which the process kills itself: never if absent. */
  readonly dieAt?: number | undefined
}

const stores = join(import.meta.dirname, "../../packages/exports/test/stores")
const history = join(stores, "history.json")

/** Puts the store of a commit into the place of a job, and says how many windows it has. */
const restore = async (commit: string, job: UpgradeJob): Promise<number> => {
  const file = join(stores, commit, job.sink === "postgres" ? "postgres-half.sql" : "sqlite-half.sqlite")
  if (job.sink === "sqlite") copyFileSync(file, `${job.place}/export.db`)
  else await runs.inDatabase(job, (sql) => sql.unsafe(readFileSync(file, "utf8")))
  const windows = await runs.inDatabase(job, (sql) => sql`SELECT "window" FROM export_windows`)
  return windows.length
}

/** Whether the trial migrations were made, each once: they count in each window that was there. */
const isUpgradedOnce = (job: UpgradeJob, windows: number): Promise<boolean> =>
  runs.inDatabase(job, (sql) =>
    Effect.gen(function*() {
      const versions = yield* sql<{ id: number }>`SELECT migration_id AS id FROM export_migrations ORDER BY 1`
      const tries = yield* sql<{ tries: number }>`SELECT tries FROM export_windows WHERE tries <> 0`
      const accounts = yield* sql`SELECT account FROM export_trial`
      return versions.map(({ id }) => Number(id)).join() === "1,2,3,4" && accounts.length === 2 &&
        tries.length === windows && tries.every((one) => Number(one.tries) === 2)
    }))

/** No process may take longer than this. */
const patience = 180_000

const roundsAtOnce = 2

/** Three processes at once, of which one kills itself. */
const together = async (
  upgrader: string,
  job: UpgradeJob,
  dieAt: number,
  counts: { killed: number; failed: number; stuck: number }
): Promise<void> => {
  const late = new Promise<"stuck">((resolve) => setTimeout(() => resolve("stuck"), patience).unref())
  const ended = await Promise.race([
    Promise.allSettled([{ ...job, dieAt }, job, job].map((one) => runs.runChild(upgrader, one))),
    late
  ])
  if (ended === "stuck") {
    counts.stuck++
    return
  }
  for (const end of ended) {
    if (end.status === "rejected") {
      counts.failed++
      process.stderr.write(`${end.reason}\n`)
    } else if (end.value.killed) counts.killed++
  }
}

const upgrades = async (
  setting: Setting,
  upgrader: string,
  sink: UpgradeJob["sink"],
  points: number
): Promise<void> => {
  const since = performance.now()
  const { isWhole, jobOf, remove, report } = setting
  const made: ReadonlyArray<records.Recorded> = JSON.parse(readFileSync(history, "utf8"))
  const truth = records.expected(made, new Set([0, 1].map(records.addressOf)))
  const commit = "73b558d3"
  const job = async (): Promise<UpgradeJob> => ({ ...(await jobOf(sink, "")), sink, history })

  const first = await job()
  await restore(commit, first)
  const { lines } = await runs.runChild(upgrader, first)
  // All moments until the store is open, and some of the first commits.
  const last = Number(lines.find((line) => "opened" in line)?.["opened"]) + 10
  await remove(first)

  const counts = { killed: 0, lost: 0, twice: 0, stuck: 0, upgradedTwice: 0, failed: 0 }
  const left = Array.from({ length: points }, (_, point) => 1 + Math.floor(point * last / points)).values()
  // Processes mostly wait for each other.
  await Promise.all(Array.from({ length: roundsAtOnce }, async () => {
    for (const dieAt of left) {
      const one = await job()
      const windows = await restore(commit, one)
      await together(upgrader, one, dieAt, counts)
      const { lines } = await runs.runChild(upgrader, one)
      if (lines.at(-1)?.["complete"] !== "except-rejected") counts.stuck++
      const audited = await runs.audit(one, truth)
      counts.lost += audited.missing + audited.rejectedMissing
      counts.twice += audited.doubled + audited.rejectedDoubled
      if (!isWhole(audited) || !(await isUpgradedOnce(one, windows))) counts.upgradedTwice++
      await remove(one)
    }
  }))
  const { killed, ...wrong } = counts
  report({
    drill: "exports",
    trouble: "upgrade",
    sink,
    atOnce: 3,
    points,
    moments: last,
    ...counts,
    seconds: Math.round((performance.now() - since) / 1000)
  }, killed === points && Object.values(wrong).every((count) => count === 0))
}

/** The runs of upgrades, on the databases that there are. */
export const tasks = (
  setting: Setting,
  upgrader: string,
  sinks: ReadonlyArray<UpgradeJob["sink"]>,
  points: number
): ReadonlyArray<() => Promise<void>> => sinks.map((sink) => () => upgrades(setting, upgrader, sink, points))
