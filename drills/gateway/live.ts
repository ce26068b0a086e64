/**
 * The drill of a busy chain: a block of 420 transactions each second, from a node that takes 20 ms for each answer, and one index on
 * Postgres. One gateway serves and is never killed; of two others one follows, and whichever does is killed every two minutes. Two
 * readers ask all the time. Says each minute on standard error how far the index is behind, prints one line of JSON, and exits with 1
 * if the index was more than 30 s behind, if the memory of the gateway that serves grew by a tenth from the second quarter of the time
 * to the last, if a block is missing or lacks something, or if that gateway failed a reader.
 *
 *     npx tsx drills/gateway/live.ts [--minutes 60] [--kill-every 120] [--seed text]
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { parseArgs } from "node:util"
import { temporary } from "../engine/postgres.js"
import { databaseOf } from "./clusterRuns.js"
import { liveRuns } from "./liveRuns.js"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    "kill-every": { type: "string", default: "120" },
    seed: { type: "string", default: String(Date.now()) }
  }
})

const found = await Effect.runPromise(
  Effect.scoped(Effect.flatMap(temporary, (url) =>
    Effect.promise(() =>
      liveRuns({
        seed: values.seed,
        url: Redacted.value(url),
        database: databaseOf(url),
        minutes: Number(values.minutes),
        killEvery: Number(values["kill-every"]),
        say: (line) => void process.stderr.write(`${line}\n`)
      })
    )))
)
process.stdout.write(`${JSON.stringify({ drill: "live", ...found })}\n`)
process.exit(found.isRight ? 0 : 1)
