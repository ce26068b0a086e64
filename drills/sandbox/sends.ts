/**
 * The drill of sends: payments through the SDK's wallet and node, over fetch, undici and Node's own client, through a proxy
 * that cuts, delays, redirects, refuses, garbles or swallows answers before and after the service acted, returns the
 * answers of other sends, delivers requests late and out of order, denies what was carried out, and shows a lagging node.
 * Requests that name a nonce are also delivered twice, and repeated by a client below the SDK. Some payments equal another of the same account. What the client said
 * about each payment, and what the look-up of each unknown one said, is compared with the chain. Prints what was wrong, then
 * one line of JSON, and exits with 1 if anything was: a payment made twice or wrongly reported, a look-up that was wrong,
 * undecided without need, or made too many requests. A send that was told as not sent by a look-up and was executed counts
 * as `lookupRaces` only if the wire showed that look-up an old state, or delivered a copy of that send late.
 *
 *     npx tsx drills/sandbox/sends.ts [--sends 1008] [--short] [--seed text] [--fee-payer-style paths]
 *       [--bad-days pool,base-fee]
 *
 * `--bad-days` names what the service's node does besides, see `drills/badDays.ts`.
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { namesOf } from "../badDays.js"
import { isGood } from "./sendCounts.js"
import { sendRuns } from "./sendRuns.js"

const { values } = parseArgs({
  options: {
    sends: { type: "string" },
    short: { type: "boolean", default: false },
    seed: { type: "string", default: String(Date.now()) },
    "bad-days": { type: "string" },
    "fee-payer-style": { type: "string", default: "document" }
  }
})

const sends = Number(values.sends ?? (values.short ? 36 : 1008))

/** A look-up makes at most 50 requests; some are retried when the connection breaks. */
const maxRequests = 60

/** Time limit of a send, so that a hang is noticed. */
const limit = values.short ? "2 minutes" : "20 minutes"

const begin = Date.now()
const isTerminal = process.stderr.isTTY
const { badDays, counts, faults, fillers, lookups, wrong } = await Effect.runPromise(
  sendRuns({
    sends,
    seed: values.seed,
    badDays: namesOf(values["bad-days"]),
    feePayerStyle: values["fee-payer-style"] === "paths" ? "paths" : "document",
    onProgress: (done) => {
      if (isTerminal) process.stderr.write(`\r${done} of ${sends} sends${done < sends ? "" : "\n"}`)
    }
  }).pipe(Effect.timeout(limit))
)
const line = (value: unknown): string =>
  `${JSON.stringify(value, (_, part: unknown) => typeof part === "bigint" ? String(part) : part)}\n`
for (const one of wrong) process.stdout.write(line(one))
const seconds = Math.round((Date.now() - begin) / 1000)
process.stdout.write(line({ drill: "sends", seed: values.seed, ...counts, fillers, lookups, faults, badDays, seconds }))
process.exitCode = isGood(counts) && counts.unknown > 0 && lookups.max <= maxRequests ? 0 : 1
