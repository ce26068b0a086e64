/**
 * The drill of sends: payments through the SDK's wallet over a proxy that cuts, delays, answers 502, 503, 504 or 429,
 * garbles or swallows answers, before and after the service acted. What the client said of each, and what the look-up of
 * each unknown one said, is held against the chain. Prints one JSON line, what was wrong before it, and exits 1 if
 * anything was: a payment made twice, one told wrongly as sent or not sent, a look-up that was wrong or left it open.
 *
 *     npx tsx packages/sandbox/drills/sends.ts [--sends 1000] [--seed text]
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { isGood } from "./sendCounts.js"
import { sendRuns } from "./sendRuns.js"

const { values } = parseArgs({
  options: {
    sends: { type: "string", default: "1000" },
    seed: { type: "string", default: String(Date.now()) }
  }
})

const sends = Number(values.sends)
const begin = Date.now()
const isTerminal = process.stderr.isTTY
const { counts, faults, fillers, wrong } = await Effect.runPromise(sendRuns({
  sends,
  seed: values.seed,
  onProgress: (done) => {
    if (isTerminal) process.stderr.write(`\r${done} of ${sends} sends${done < sends ? "" : "\n"}`)
  }
}))
const line = (value: unknown): string =>
  `${JSON.stringify(value, (_, part: unknown) => typeof part === "bigint" ? String(part) : part)}\n`
for (const one of wrong) process.stdout.write(line(one))
const seconds = Math.round((Date.now() - begin) / 1000)
process.stdout.write(line({ drill: "sends", seed: values.seed, ...counts, fillers, faults, seconds }))
process.exitCode = isGood(counts) && counts.unknown > 0 ? 0 : 1
