/**
 * The crash drill: a child process writes blocks and reports each; the parent kills it with SIGKILL at a random moment,
 * opens the file again and checks that no reported block is lost, that no block is incomplete, and that the database is
 * intact. Then the next child continues with the same file. Prints a JSON line for each run with `--verbose`, and one at
 * the end; exits with 1 if anything was wrong.
 *
 *     npx tsx drills/sandbox/kill.ts [--runs 50] [--seed text] [--verbose]
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { killRuns } from "./killRuns.js"

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "50" },
    seed: { type: "string", default: String(Date.now()) },
    verbose: { type: "boolean", default: false }
  }
})

const directory = mkdtempSync(join(tmpdir(), "kill-drill-"))
const summary = await killRuns({
  database: join(directory, "chain.db"),
  runs: Number(values.runs),
  seed: values.seed,
  onRun: (run) => {
    if (values.verbose) process.stdout.write(`${JSON.stringify(run)}\n`)
  }
})
rmSync(directory, { recursive: true })
process.stdout.write(`${JSON.stringify({ drill: "kill -9", seed: values.seed, ...summary })}\n`)
process.exitCode = summary.lost + summary.partial + summary.corrupt === 0 && summary.blocks > 0 ? 0 : 1
