/**
 * How fast exports are, one JSON line a figure: windows read at once from a service with 50 ms latency, workers on one
 * export, rows a second into each sink beside a loop written by hand, pages in flight while a sink is slow, and the peak
 * memory of a history and of one ten times as long. Bundled first, as in a build: from source, every function would be
 * wrapped to keep its name.
 *
 *     npx tsx packages/exports/bench/exports.ts [windows|workers|sinks|slow|memory] [--transfers 20000]
 *
 * Postgres is that of Debian's package, in a temporary folder; without it, `workers` and the sink are left out.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import * as Postgres from "../../../drills/engine/postgres.js"
import { bundleProgram } from "../../../scripts/bundleProgram.js"

const script = await bundleProgram(new URL("./run.ts", import.meta.url))
const server = await bundleProgram(new URL("./serve.ts", import.meta.url))
const worker = await bundleProgram(new URL("../../../drills/exports/worker.ts", import.meta.url))

await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const database = yield* Effect.either(Postgres.temporary)
  if (Either.isLeft(database)) process.stderr.write(`without Postgres: ${database.left.message}\n`)
  const child = spawn(process.execPath, [script, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: {
      ...process.env,
      BENCH_SERVER: server,
      BENCH_WORKER: worker,
      BENCH_DATABASE: Either.match(database, { onLeft: () => "", onRight: Redacted.value })
    }
  })
  process.exitCode = yield* Effect.promise(() =>
    new Promise<number>((end) => child.once("exit", (code) => end(code ?? 1)))
  )
})))
