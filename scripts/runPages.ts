/**
 * Runs the code of the site's pages on a sandbox: every `ts` block that says `await Effect.runPromise`, in the order of the
 * pages, in this one process. If a `text` block follows it, that is what it has to print. Blocks of tests run under vitest.
 */
import { spawn } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"
import { format, formatWithOptions } from "node:util"
import { counted, filesBelow, root, run } from "./workspace.js"

interface Ready {
  readonly url: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const docs = join(root, "docs")
const place = join(docs, ".run")
rmSync(place, { recursive: true, force: true })
mkdirSync(place)

// The world of the first guide is the world of all pages.
const scenario = join(place, "market.json")
const [, world = ""] = /^```json\n([\s\S]*?)^```/m.exec(readFileSync(join(docs, "guides/first-pipeline.md"), "utf8")) ??
  []
writeFileSync(scenario, world)

const sandbox = spawn("node", [
  join(root, "packages/sandbox/scripts/sandbox.mjs"),
  ...["--port", "0", "--json", "--deterministic", "--seed", scenario]
], { stdio: ["ignore", "pipe", "inherit"] })
process.on("exit", () => sandbox.kill())

const ready = await new Promise<Ready>((resolve, reject) => {
  createInterface(sandbox.stdout).on("line", (line) => {
    // The command prints one line of JSON when it is ready.
    if (line.startsWith("{")) resolve(JSON.parse(line) as Ready)
  })
  sandbox.on("exit", (code) => reject(new Error(`the sandbox ended with ${code}`)))
})

for (const service of ["HISTORY", "TOKENS", "WALLET", "NODE", "RESOURCE"]) {
  process.env[`KLAYTN_${service}_URL`] = ready.url
}
process.env["KLAYTN_CHAIN_ID"] = "1001"
process.env["KLAYTN_ACCESS_KEY_ID"] = ready.accessKeyId
process.env["KLAYTN_SECRET_ACCESS_KEY"] = ready.secretAccessKey
process.env["SANDBOX_URL"] = ready.url

const problems: Array<string> = []
const testPages: Array<string> = []
let ran = 0
const print = console.log
const pages = filesBelow(docs, ".md").filter((file) => !/\/docs\/(api|packages)\//.test(file))
for (const file of [join(root, "README.md"), ...pages]) {
  const text = readFileSync(file, "utf8")
  const name = relative(root, file)
  for (const found of text.matchAll(/^```ts\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```)?/gm)) {
    const [, code = "", expected] = found
    if (code.includes("from \"@effect/vitest\"")) {
      writeFileSync(join(place, `${name.replaceAll(/[/.]/g, "-")}-${found.index}.test.ts`), code)
      if (!testPages.includes(name)) testPages.push(name)
      continue
    }
    if (!/^await Effect\.runPromise/m.test(code)) continue
    const line = text.slice(0, found.index).split("\n").length
    const program = join(place, `${name.replaceAll(/[/.]/g, "-")}-${line}.ts`)
    writeFileSync(program, code)
    const printed: Array<string> = []
    console.log = (...args) => printed.push(formatWithOptions({ colors: false }, ...args))
    try {
      await import(pathToFileURL(program).href)
    } catch (error) {
      problems.push(`${name}:${line}: ${format(error)}`)
    } finally {
      console.log = print
    }
    if (expected !== undefined && printed.join("\n").trim() !== expected.trim()) {
      problems.push(`${name}:${line}: printed\n${printed.join("\n")}`)
    }
    ran++
  }
}
// A configuration of its own, or vitest finds that of the workspace.
writeFileSync(join(place, "vitest.config.mts"), "export default { test: { testTimeout: 30_000 } }\n")
const tests = await run("vitest", ["run", "--root", place], { timeout: 300_000 })
if (tests.code !== 0) problems.push(`the tests of ${testPages.join(", ")} failed:\n${tests.output}`)
rmSync(place, { recursive: true })
problems.forEach((problem) => console.log(problem))
console.log(
  `${counted(ran, "program")} and the tests of ${counted(testPages.length, "page")} ran, with ${
    counted(problems.length, "problem")
  }`
)
process.exit(problems.length === 0 && ran > 0 ? 0 : 1)
