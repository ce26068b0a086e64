/**
 * The drill of garbage: answers every operation of every client with bad bodies, derived from good ones by a seed: fields
 * missing, null, of another type, huge, nested up to 250,000 deep or named like members of `Object.prototype`; bodies cut
 * off, repeated or echoing the credential; batches with missing and foreign answers. Every case must end in time in a value
 * or an error of this SDK, and no error may reveal the credential, forge a log line or print without bounds. Calls that do
 * each of these on purpose come first, to prove that the drill would notice. Prints the faults, then one line of JSON, and
 * exits with 1 if there was a fault or a limit was exceeded.
 *
 *     npx tsx drills/sandbox/garbage.ts [--cases 100000] [--seed text] [--seconds 1000] [--short]
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { garbageRuns, selfCheck } from "./garbageRuns.js"

const { values } = parseArgs({
  options: {
    cases: { type: "string" },
    seconds: { type: "string" },
    seed: { type: "string", default: "garbage" },
    short: { type: "boolean", default: false }
  }
})

const cases = Number(values.cases ?? 100_000)
const limit = values.seconds ?? (values.short ? "12" : undefined)

/** Limits: CPU time of one call, mean CPU time of a call, and memory of the process. */
const bounds = { slowestMillis: 5000, meanMillis: 50, megabytes: 1500 }

// Nobody reads the stack traces, and mapping them to sources takes longer than the calls.
Error.stackTraceLimit = 0

const begin = performance.now()
const missed = await Effect.runPromise(selfCheck)
const isTerminal = process.stderr.isTTY
const outcome = await Effect.runPromise(garbageRuns({
  cases,
  seed: values.seed,
  ...(limit === undefined ? {} : { seconds: Number(limit) }),
  onProgress: (done) => {
    if (isTerminal) process.stderr.write(`\r${done} of ${cases} cases`)
  }
}))
const line = (value: unknown): string => `${JSON.stringify(value)}\n`
for (const fault of outcome.faults.slice(0, 50)) process.stdout.write(line(fault))
const seconds = (performance.now() - begin) / 1000
const { system, user } = process.cpuUsage()
const worked = (system + user) / 1000
const measured = {
  slowestMillis: Math.round(outcome.slowestMillis),
  meanMillis: Math.round((worked * 100) / outcome.cases) / 100,
  megabytes: Math.round(outcome.maxBytes / 1e6)
}
const passed = Object.entries(bounds).flatMap(([name, most]) =>
  Object.entries(measured).filter(([other, value]) => other === name && value > most).map(([other]) => other)
)
process.stdout.write(line({
  drill: "garbage",
  seed: values.seed,
  cases: outcome.cases,
  calls: outcome.calls,
  bodies: outcome.bodies,
  ...outcome.counts,
  missedCanaries: missed,
  ...measured,
  slowest: outcome.slowest,
  boundsPassed: passed,
  seconds: Math.round(seconds)
}))
process.exit(outcome.faults.length === 0 && missed.length === 0 && passed.length === 0 ? 0 : 1)
