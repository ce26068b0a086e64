/**
 * `pnpm check:readme`: the first screen of README.md, as a newcomer types it. Runs each command of its `sh` blocks, above the
 * second heading, in a clean clone; a command that can't run there may not stand there. `.ci/run` runs the tests of its own
 * clean clone with the command that README names, so that command is looked up there and not run twice. What the page says of
 * the real service is done to the program too.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { realProblem } from "./readmeReal.js"
import { root, run, seconds } from "./workspace.js"

const [, screen = ""] = /^# .*$([\s\S]*?)^## /m.exec(readFileSync(join(root, "README.md"), "utf8")) ?? []
const commands = [...screen.matchAll(/^```sh\n([\s\S]*?)^```/gm)]
  .flatMap(([, block = ""]) => block.trim().split("\n"))
  .map((line) => line.replace(/\s+#.*$/, ""))
const ci = readFileSync(join(root, ".ci/run"), "utf8").split("\n")
const runByCi = (command: string): boolean =>
  ci.some((line) => line.startsWith("stage ") && line.endsWith(` ${command}`))

const place = mkdtempSync(join(tmpdir(), "effect-klaytn-readme-"))
const clone = join(place, "clone")
const cloned = await run("git", ["clone", "--quiet", root, clone])
/** What README says that a command ends with: "`tour` ends with `12 steps`". */
const ends = new Map([...screen.matchAll(/`(\w+)` ends with `([^`]+)`/g)].map(([, name, end]) => [name, end]))
/** What pnpm adds to the environment of its scripts, and a newcomer does not have. One variable turns the install off. */
const added = Object.keys(process.env).filter((name) => /^(?:npm_(?!config_registry$)|pnpm_|PNPM_)/.test(name))
let failed = cloned.code === 0 ? 0 : 1
if (failed > 0) console.log(cloned.output.trim())
for (const command of failed > 0 ? [] : commands) {
  const since = performance.now()
  if (runByCi(command)) {
    console.log(`${command}: run by .ci/run`)
    continue
  }
  const { code, output } = await run("env", [...added.flatMap((name) => ["-u", name]), "bash", "-c", command], {
    cwd: clone,
    timeout: 300_000
  })
  const lines = output.trim().split("\n")
  const end = ends.get(command.split(" ").at(-1))
  const failure = code !== 0
    ? `FAILED with ${code}`
    : end !== undefined && lines.at(-1)?.startsWith(end) !== true
    ? `FAILED: does not end with ${end}`
    : undefined
  console.log(`${command}: ${failure ?? "ok"} (${seconds(since)})`)
  console.log((failure === undefined ? lines.slice(-1) : lines).join("\n").replace(/^/gm, "  "))
  if (failure !== undefined) failed++
}
if (failed === 0) {
  const since = performance.now()
  const problem = await realProblem(clone)
  console.log(`the program for the real service: ${problem ?? "ok"} (${seconds(since)})`)
  if (problem !== undefined) failed++
}
rmSync(place, { recursive: true, force: true })
console.log(`${commands.length} commands, ${failed} failed`)
process.exit(failed === 0 && commands.length > 0 ? 0 : 1)
