/**
 * The drill of payouts: keys that are each asked for several times, by processes that die by `kill -9` at random, over a
 * wire that cuts, delays, garbles and swallows, with a stranger who sends from the same accounts, and with equal amounts,
 * so that nothing but the nonce tells payments apart. A judge that reads only what was asked for, what is stored and the
 * blocks of the chain compares them. Prints what was wrong, then a line of JSON for each database, and exits with 1 if
 * anything was paid twice, lost, told wrongly or left unknown.
 *
 *     npx tsx packages/payouts/drills/payouts.ts [--keys 1000] [--kills 100] [--short] [--seed text]
 *       [--databases postgres,sqlite] [--planted]
 *
 * `--planted` makes the processes do what must not be done (reserve without a lock, send again without a look-up, accept
 * the second content of a key), and exits with 1 if the judge misses one of them.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { temporary } from "../../engine/drills/postgres.js"
import * as runs from "./payoutRuns.js"

const { values } = parseArgs({
  options: {
    keys: { type: "string" },
    kills: { type: "string" },
    databases: { type: "string", default: "postgres,sqlite" },
    planted: { type: "boolean", default: false },
    short: { type: "boolean", default: false },
    seed: { type: "string", default: String(Date.now()) }
  }
})

const isSmall = values.short || values.planted
const keys = Number(values.keys ?? (isSmall ? 24 : 1000))
const kills = Number(values.kills ?? (isSmall ? 4 : 100))

const line = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`)

const isTerminal = process.stderr.isTTY
const progress = (text: string): void => {
  if (isTerminal) process.stderr.write(`\r${text.padEnd(70)}`)
}

const judged = (
  database: string,
  run: Omit<runs.Run, "seed" | "onProgress" | "limit" | "quietAfter" | "lockExpiration" | "longestLife">
) =>
  Effect.map(
    runs.payoutRuns({
      ...run,
      seed: values.seed,
      onProgress: progress,
      // All are begun before the first ends, so a slow machine needs the more time the more there are.
      limit: Math.min(600_000, 120_000 + 1_000 * keys),
      // On Postgres the others wait for the locks of the dead before they go on with its share.
      longestLife: isSmall ? 2_500 : run.processes === 1 ? 6_000 : 16_000,
      // A machine that is busy with a thousand of them must not take its own processes for dead.
      lockExpiration: isSmall ? 3_000 : 5_000,
      quietAfter: isSmall ? 3_000 : 60_000
    }),
    ({ problems, ...counts }) => {
      const good = runs.isGood({ problems, ...counts })
      if (isTerminal) process.stderr.write("\n")
      if (run.fault === undefined) { for (const problem of problems.slice(0, 20)) process.stdout.write(`${problem}\n`) }
      line({ drill: "payouts", database, processes: run.processes, seed: values.seed, fault: run.fault, ...counts })
      return run.fault === undefined ? good : !good
    }
  )

/** Of the kills, those on SQLite, where one process runs at a time. */
const share = values.databases === "sqlite" ? 1 : values.databases.includes("sqlite") ? 0.25 : 0

const sqlite = Effect.acquireUseRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "payouts-drill-"))),
  (folder) =>
    judged("sqlite", {
      database: `file:${join(folder, "work.db")}`,
      keys,
      kills: Math.round(kills * share),
      processes: 1
    }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

const postgres = Effect.scoped(Effect.gen(function*() {
  const url = yield* Effect.either(temporary)
  if (Either.isLeft(url)) {
    process.stdout.write(`${url.left.message} The drill did the SQLite part alone.\n`)
    return true
  }
  const on = { database: Redacted.value(url.right), keys, kills: kills - Math.round(kills * share), processes: 3 }
  if (!values.planted) return yield* judged("postgres", on)
  const caught: Array<boolean> = []
  for (const fault of runs.faults) {
    yield* runs.clear(on.database)
    caught.push(yield* judged("postgres", { ...on, fault }))
  }
  return caught.every((one) => one)
}))

const parts = values.planted
  ? [postgres]
  : values.databases.split(",").map((name) => name === "sqlite" ? sqlite : postgres)
const good = await Effect.runPromise(Effect.all(parts, { concurrency: isSmall ? "unbounded" : 1 }))
process.exit(good.every((one) => one) ? 0 : 1)
