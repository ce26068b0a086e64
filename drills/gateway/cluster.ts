/**
 * The drill of many gateways on one Postgres: three processes share an index, of which one follows a sandbox that makes traffic
 * and forks. Processes are killed, and frozen for longer than a lease; Postgres is restarted and its connections are cut;
 * readers ask all the time. A trigger of the database notes each write of a process that is not the holder of the lease. At
 * the end every page of each process must be the sandbox's. Says on standard error how far the drill is, prints
 * one line of JSON, and exits with 1 if anything is wrong.
 *
 *     npx tsx drills/gateway/cluster.ts [--short] [--kills 60] [--freezes 30] [--restarts 5] [--cuts 10] [--seed text]
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { parseArgs } from "node:util"
import { restartable } from "../engine/postgres.js"
import { clusterRuns, databaseOf } from "./clusterRuns.js"

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    kills: { type: "string" },
    freezes: { type: "string" },
    restarts: { type: "string" },
    cuts: { type: "string" },
    seed: { type: "string", default: String(Date.now()) }
  }
})

const count = (given: string | undefined, long: number, short: number): number =>
  given === undefined ? (values.short ? short : long) : Number(given)

const began = Date.now()
const found = await Effect.runPromise(
  Effect.scoped(Effect.flatMap(restartable, ({ restart, url }) =>
    Effect.promise(() =>
      clusterRuns({
        seed: values.seed,
        url: Redacted.value(url),
        database: databaseOf(url),
        restart: () => Effect.runPromise(restart("immediate")),
        kills: count(values.kills, 60, 2),
        freezes: count(values.freezes, 30, 1),
        restarts: count(values.restarts, 5, 1),
        cuts: count(values.cuts, 10, 1),
        say: (line) => void process.stderr.write(`${line}\n`)
      })
    )))
)
const seconds = Math.round((Date.now() - began) / 1000)
process.stdout.write(`${JSON.stringify({ drill: "cluster", ...found, seconds })}\n`)
process.exit(found.isRight ? 0 : 1)
