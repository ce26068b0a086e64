/**
 * `pnpm test:load`: runs tests many times while other processes use all processors, and fails if one run fails or hangs.
 * Without arguments, the test "is opened by a transaction of no value" of payouts, 200 times beside four busy loops; other arguments go to vitest.
 *
 *     npx -y pnpm@10.34.9 test:load --times 50 --loops 8 packages/engine/test/Engine.test.ts -t "a client"
 *
 * Prints a JSON line. A run counts as hanging when it takes longer than a test may, 120 seconds.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "./workspace.js"

const args = process.argv.slice(2)

/** Takes an option with a number out of the arguments. */
const take = (name: string, otherwise: number): number => {
  const at = args.indexOf(name)
  return at < 0 ? otherwise : Number(args.splice(at, 2)[1])
}

const times = take("--times", 200)
const loops = take("--loops", 4)
const tests = args.length > 0
  ? args
  : ["packages/payouts/test/Payouts.test.ts", "-t", "is opened by a transaction of no value"]

const busy = Array.from({ length: loops }, () => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }))
const folder = mkdtempSync(join(tmpdir(), "test-load-"))
const report = join(folder, "report.json")
const began = Date.now()

const child = spawn(process.execPath, [
  join(root, "node_modules/vitest/vitest.mjs"),
  "run",
  ...tests
], { cwd: root, stdio: "inherit", env: { ...process.env, TEST_REPEATS: String(times), TEST_REPORT: report } })

const end = (code: number): void => {
  for (const one of busy) one.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
  process.exit(code)
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => (child.kill(), end(130)))

child.once("exit", (code) => {
  if (!existsSync(report)) return end(1)
  // Written by vitest.
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
    readonly testResults: ReadonlyArray<{
      readonly assertionResults: ReadonlyArray<
        { readonly status: string; readonly failureMessages: ReadonlyArray<string> }
      >
    }>
  }
  const ran = testResults.flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "passed" || status === "failed")
  const failures = ran.flatMap(({ failureMessages }) => failureMessages)
  const counts = {
    tests: ran.length,
    times,
    loops,
    failed: failures.length,
    hung: failures.filter((message) => message.includes("timed out")).length,
    seconds: Math.round((Date.now() - began) / 1000)
  }
  process.stdout.write(`${JSON.stringify({ drill: "load", ...counts })}\n`)
  end(code === 0 && ran.length > 0 ? 0 : 1)
})
