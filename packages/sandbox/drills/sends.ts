/**
 * The drill of sends: payments through the SDK's wallet and node, over fetch, undici and Node's own client, and over a
 * proxy that cuts, delays, redirects, refuses, garbles or swallows answers, before and after the service acted, gives the
 * answers of other sends, and shows a node that is behind. Some payments are equal to another of the same account. What
 * the client said of each, and what the look-up of each unknown one said, is held against the chain. Prints one JSON
 * line, what was wrong before it, and exits 1 if anything was: a payment made twice, one told wrongly as sent or not
 * sent, a look-up that was wrong, left open what can be told apart, or made too many requests.
 *
 *     npx tsx packages/sandbox/drills/sends.ts [--sends 1008] [--short] [--seed text]
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { isGood } from "./sendCounts.js"
import { sendRuns } from "./sendRuns.js"

const { values } = parseArgs({
  options: {
    sends: { type: "string" },
    short: { type: "boolean", default: false },
    seed: { type: "string", default: String(Date.now()) }
  }
})

const sends = Number(values.sends ?? (values.short ? 36 : 1008))

/** A look-up makes 50 requests at most; over a wire that breaks, some of them are made again. */
const mostRequests = 60

/** Nothing of it may hang. */
const limit = values.short ? "2 minutes" : "20 minutes"

const begin = Date.now()
const isTerminal = process.stderr.isTTY
const { counts, faults, fillers, lookups, wrong } = await Effect.runPromise(
  sendRuns({
    sends,
    seed: values.seed,
    onProgress: (done) => {
      if (isTerminal) process.stderr.write(`\r${done} of ${sends} sends${done < sends ? "" : "\n"}`)
    }
  }).pipe(Effect.timeout(limit))
)
const line = (value: unknown): string =>
  `${JSON.stringify(value, (_, part: unknown) => typeof part === "bigint" ? String(part) : part)}\n`
for (const one of wrong) process.stdout.write(line(one))
const seconds = Math.round((Date.now() - begin) / 1000)
process.stdout.write(line({ drill: "sends", seed: values.seed, ...counts, fillers, lookups, faults, seconds }))
process.exitCode = isGood(counts) && counts.unknown > 0 && lookups.max <= mostRequests ? 0 : 1
