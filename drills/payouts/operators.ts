/**
 * The drill of payouts with operators: payments that are stored with limits, and without, by processes that are killed again and
 * again, some of which have the limits and some of which have none, while operators run `klaytn payouts` without limits: they approve,
 * cancel, resolve and look at random payments at random times. All clocks differ, by ten minutes at most, the node lies about one count
 * in fifty, and the wire loses, delays and repeats requests. Prints what was wrong, then a line of JSON for each database, and exits
 * with 1 if anything was paid without an approval that it needed, above a limit or twice, if a state contradicts the blocks, or if a
 * payment was in a state that does not say why for five minutes.
 *
 *     npx tsx drills/payouts/operators.ts [--keys 200] [--minutes 6] [--seed text] [--databases postgres,sqlite]
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { restartable } from "../engine/postgres.js"
import { isGood } from "./operatorAudit.js"
import { operatorRuns } from "./operatorRuns.js"
import type { Backend } from "./payoutRuns.js"

const { values } = parseArgs({
  options: {
    keys: { type: "string", default: "200" },
    minutes: { type: "string", default: "6" },
    databases: { type: "string", default: "postgres,sqlite" },
    seed: { type: "string", default: String(Date.now()) }
  }
})

// Bundles the command if its sources have changed.
execFileSync(process.execPath, [join(import.meta.dirname, "../../packages/cli/scripts/klaytn.mjs"), "--version"])

const judged = (backend: Backend) =>
  Effect.map(
    operatorRuns({
      backend,
      keys: Number(values.keys),
      spread: Number(values.minutes) * 60_000,
      seed: values.seed
    }),
    ({ problems, ...counts }) => {
      for (const problem of problems.slice(0, 20)) process.stdout.write(`${problem}\n`)
      const line = { drill: "operators", database: backend.name, seed: values.seed, ...counts }
      process.stdout.write(`${JSON.stringify(line)}\n`)
      return isGood({ ...counts, problems })
    }
  )

const sqlite = Effect.acquireUseRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "operators-drill-"))),
  (folder) => judged({ name: "sqlite", url: `file:${join(folder, "work.db")}` }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const postgres = Effect.scoped(Effect.gen(function*() {
  const server = yield* Effect.either(restartable)
  if (Either.isRight(server)) return yield* judged({ name: "postgres", url: Redacted.value(server.right.url) })
  process.stdout.write(`${server.left.message} The drill did the SQLite part alone.\n`)
  return true
}))

const parts = values.databases.split(",").map((name) => name === "sqlite" ? sqlite : postgres)
const good = await Effect.runPromise(Effect.all(parts))
process.exit(good.every((one) => one) ? 0 : 1)
