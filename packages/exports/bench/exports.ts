/**
 * How fast exports are, one JSON line a figure: windows read at once from a service with 50 ms latency, rows a second
 * into each sink beside a loop written by hand, and the peak memory of a history and of one ten times as long. Bundled
 * first, as in a build: from source, every function would be wrapped to keep its name.
 *
 *     npx tsx packages/exports/bench/exports.ts [windows|sinks|memory] [--transfers 20000]
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { bundle } from "../drills/bundle.js"

const script = await bundle(new URL("./run.ts", import.meta.url))
spawn(process.execPath, [script, ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, BENCH_SERVER: fileURLToPath(new URL("./serve.ts", import.meta.url)) }
}).once("exit", (code) => {
  process.exitCode = code ?? 1
})
