/**
 * The drill of the chain: contracts and transactions that try to break the sandbox, from accounts with keys of every kind,
 * in all mining modes, and over `/rpc`. Afterwards the chain is checked for consistency: nothing is lost, no KLAY comes out of nowhere,
 * memory and database agree, and tokens are what their contracts say. Faults are planted first, which the drill must
 * notice. Prints what was wrong, then one line of JSON, and exits with 1 if anything was.
 *
 *     npx tsx drills/sandbox/chain.ts [--short] [--transactions 600] [--seed text]
 */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { parseArgs } from "node:util"
import { unnoticed } from "./chainFault.js"
import { chainRuns } from "./chainRuns.js"

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    transactions: { type: "string" },
    seed: { type: "string", default: String(Date.now()) }
  }
})

const begin = Date.now()
const transactions = Number(values.transactions ?? (values.short ? "60" : "600"))
const maxGas = values.short ? 400_000 : 30_000_000
const { counts, missed, wrong } = await Effect.runPromise(
  Effect.gen(function*() {
    const missed = yield* unnoticed(values.seed)
    return { missed, ...yield* chainRuns({ transactions, seed: values.seed, maxGas }) }
  }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
)
for (const one of wrong) process.stdout.write(`${JSON.stringify(one)}\n`)
const seconds = Math.round((Date.now() - begin) / 1000)
process.stdout.write(
  `${
    JSON.stringify({ drill: "chain", seed: values.seed, ...counts, wrong: wrong.length, unnoticed: missed, seconds })
  }\n`
)
process.exitCode = wrong.length === 0 && missed.length === 0 ? 0 : 1
