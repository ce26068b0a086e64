/**
 * Time to make a chain with 100,000 transfers of all kinds, signed and executed, in a database file. Prints one JSON
 * line a run and one with the median:
 *
 *     npx tsx packages/sandbox/bench/generator.ts [transfers] [runs]
 */
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Chains from "../src/Chains.js"
import * as Generator from "../src/Generator.js"

const transfers = Number(process.argv[2] ?? 100_000)
const runs = Number(process.argv[3] ?? 3)
const seconds: Array<number> = []

for (let run = 1; run <= runs; run++) {
  const directory = mkdtempSync(join(tmpdir(), "bench-"))
  const database = join(directory, "chain.db")
  const cpu = process.cpuUsage()
  const wall = performance.now()
  const generated = await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const chains = yield* Chains.make({ database, seed: "bench", clock: { start: 1_600_000_000, step: 1 } })
    return yield* Generator.generate(chains.chain(8217), { seed: "bench", transfers })
  })))
  const { system, user } = process.cpuUsage(cpu)
  seconds.push((performance.now() - wall) / 1000)
  process.stdout.write(`${
    JSON.stringify({
      figure: "generate a chain",
      run,
      transfers: generated.transfers,
      transactions: generated.transactions,
      blocks: generated.blocks,
      seconds: Math.round(seconds.at(-1) ?? 0),
      cpuSeconds: Math.round((user + system) / 1e6),
      megabytes: Math.round(statSync(database).size / 1e6)
    })
  }\n`)
  rmSync(directory, { recursive: true })
}

const median = seconds.toSorted((a, b) => a - b)[seconds.length >> 1] ?? 0
process.stdout.write(
  `${JSON.stringify({ figure: "generate a chain: median", transfers, runs, seconds: Math.round(median) })}\n`
)
