/**
 * The drill of payouts: keys that are each asked for several times and sometimes cancelled, by three processes that are
 * killed and frozen for longer than the engine's lock, while connections are cut, the database and the service are
 * restarted, and the wire loses, delays, repeats and garbles requests. Some accounts have never sent, some have no coin at
 * first, some payments are equal, and somebody else sends from the same accounts. An audit that reads the blocks of the
 * chain compares them with what was asked for and told. Prints what was wrong, then a line of JSON for each database, and
 * exits with 1 if anything was paid twice, lost, told wrongly, left unknown, or ended later than a minute after the last
 * fault, or if more than the spend window was spent. Then the report of each day has to name every transaction that somebody
 * else sent and every difference that is planted in the database, and nothing else. The history of each payout that was wrong is left in the temporary
 * folder, in `chaos-*.json`.
 *
 *     npx tsx drills/payouts/payouts.ts [--keys 500] [--short] [--seed text] [--databases postgres,sqlite]
 *       [--planted] [--bad-days pool,base-fee]
 *
 * `--bad-days` names what the service's node does besides, see `drills/badDays.ts`.
 *
 * `--planted` makes the processes do what must not be done (reserve without a lock, send again without a look-up, pay the
 * second content of a key, spend more than the window), and exits with 1 if the audit misses one of them.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { namesOf } from "../badDays.js"
import { restartable } from "../engine/postgres.js"
import { clear, mistakes } from "./payoutPlace.js"
import type { Blows } from "./payoutPlan.js"
import * as runs from "./payoutRuns.js"

const { values } = parseArgs({
  options: {
    keys: { type: "string" },
    databases: { type: "string", default: "postgres,sqlite" },
    "bad-days": { type: "string" },
    planted: { type: "boolean", default: false },
    short: { type: "boolean", default: false },
    seed: { type: "string", default: String(Date.now()) }
  }
})

const isSmall = values.short || values.planted

const blows: Blows = isSmall
  ? { kill: 4, freeze: 2, cut: 2, "database restart": 1, "sandbox restart": 1 }
  : { kill: 100, freeze: 50, cut: 20, "database restart": 3, "sandbox restart": 5 }

const size: Pick<runs.Run, "keys" | "spread" | "life" | "wireFor" | "lockExpiration"> = {
  keys: Number(values.keys ?? (isSmall ? 40 : 500)),
  spread: isSmall ? 12_000 : 300_000,
  life: isSmall ? [1_000, 4_000] : [500, 8_000],
  wireFor: isSmall ? 60_000 : 120_000,
  lockExpiration: 10_000
}

const line = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`)

const isTerminal = process.stderr.isTTY
const progress = (text: string): void => {
  if (isTerminal) process.stderr.write(`\r${text.padEnd(120)}`)
}

const judged = (run: Pick<runs.Run, "backend" | "mistake">) =>
  Effect.map(
    runs.payoutRuns({
      ...run,
      ...size,
      // SQLite has no server.
      blows: run.backend.restart === undefined ? { ...blows, "database restart": 0 } : blows,
      seed: values.seed,
      badDays: namesOf(values["bad-days"]),
      onProgress: progress
    }),
    ({ problems, ...counts }) => {
      const all = { problems, ...counts }
      if (isTerminal) process.stderr.write("\n")
      if (run.mistake === undefined) {
        for (const problem of problems.slice(0, 20)) {
          process.stdout.write(`${problem}\n`)
        }
      }
      line({ drill: "payouts", database: run.backend.name, seed: values.seed, mistake: run.mistake, ...counts })
      return run.mistake === undefined ? runs.isGood(all) : runs.isFound(run.mistake, all)
    }
  )

const sqlite = Effect.acquireUseRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "payouts-drill-"))),
  (folder) => judged({ backend: { name: "sqlite", url: `file:${join(folder, "work.db")}` } }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const postgres = Effect.scoped(Effect.gen(function*() {
  const server = yield* Effect.either(restartable)
  if (Either.isLeft(server)) {
    process.stdout.write(`${server.left.message} The drill did the SQLite part alone.\n`)
    return true
  }
  const url = Redacted.value(server.right.url)
  const backend: runs.Backend = {
    name: "postgres",
    url,
    // Every other time as a crash does.
    restart: (turn) => Effect.runPromise(server.right.restart(turn % 2 === 0 ? "immediate" : "fast"))
  }
  if (!values.planted) return yield* judged({ backend })
  const found: Array<boolean> = []
  for (const mistake of mistakes) {
    yield* clear(url)
    found.push(yield* judged({ backend, mistake }))
  }
  return found.every((one) => one)
}))

const parts = values.planted
  ? [postgres]
  : values.databases.split(",").map((name) => name === "sqlite" ? sqlite : postgres)
const good = await Effect.runPromise(Effect.all(parts, { concurrency: isSmall ? "unbounded" : 1 }))
process.exit(good.every((one) => one) ? 0 : 1)
