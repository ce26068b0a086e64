/**
 * The drill of tokens: random operations on contracts whose logs are incomplete (wrapped KLAY, a fee on transfer, a proxy
 * that is initialised late, contracts that lie) and on honest ones. After every block and every revert, the sandbox's
 * owners, balances, supplies, counts, lists and URIs are compared with what the contracts answer, and every so often so are
 * the service's own answers. Prints what was wrong, then one line of JSON, and exits with 1 if anything was.
 *
 *     npx tsx drills/sandbox/tokens.ts [--operations 10000] [--seed text]
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { sandbox, tokenRuns } from "./tokenRuns.js"

const { values } = parseArgs({
  options: {
    operations: { type: "string", default: "10000" },
    seed: { type: "string", default: String(Date.now()) }
  }
})

const shown = 50
const operations = Number(values.operations)
const begin = Date.now()
const isTerminal = process.stderr.isTTY
const { counts, wrong } = await Effect.runPromise(Effect.provide(
  tokenRuns({
    operations,
    seed: values.seed,
    revertEvery: 25,
    serviceEvery: Math.max(10, Math.floor(operations / 200)),
    onProgress: (story, done) => {
      if (isTerminal) process.stderr.write(`\r${story}: ${done} of ${operations}${done < operations ? "" : "\n"}`)
    }
  }),
  sandbox
))
for (const one of wrong.slice(0, shown)) process.stdout.write(`${JSON.stringify(one)}\n`)
const seconds = Math.round((Date.now() - begin) / 1000)
process.stdout.write(
  `${JSON.stringify({ drill: "tokens", seed: values.seed, counts, differences: wrong.length, seconds })}\n`
)
process.exitCode = wrong.length === 0 && Object.values(counts).every(({ succeeded }) => succeeded > 0) ? 0 : 1
