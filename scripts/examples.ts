/**
 * `pnpm examples`: runs every file of examples/ in turn; each must exit by itself with code 0, and print what stands in the
 * text file of its name, if there is one. The programs are bundled together: `tsx` takes longer to load one of them than all of
 * them take to run.
 */
import { existsSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { bundlePrograms } from "./bundleProgram.js"
import { filesBelow, root, run, seconds } from "./workspace.js"

const asked = process.argv.slice(2)
const dir = join(root, "examples")
const files = filesBelow(dir, ".ts").filter((file) => join(file, "..") === dir)
const chosen = files.filter((file) => asked.length === 0 || asked.includes(basename(file, ".ts")))

let failed = 0
for (const file of await bundlePrograms(chosen)) {
  const since = performance.now()
  const { code, output } = await run("node", [file], { timeout: 240_000 })
  const skipped = /^skipped: .*$/m.exec(output)?.[0]
  const name = basename(file, ".mjs")
  const printed = join(dir, `${name}.txt`)
  const differs = existsSync(printed) && readFileSync(printed, "utf8") !== output
  const failure = code !== 0
    ? `FAILED with ${code}`
    : differs
    ? `FAILED: printed other text than ${name}.txt`
    : undefined
  console.log(`example ${name}: ${failure ?? skipped ?? "ok"} (${seconds(since)})`)
  if (failure !== undefined) {
    console.log(output.trim().replace(/^/gm, "  "))
    failed++
  }
}
console.log(`${chosen.length - failed} examples ran, ${failed} failed`)
process.exit(failed === 0 && chosen.length > 0 ? 0 : 1)
