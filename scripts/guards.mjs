/**
 * Takes the guards of a group out, one at a time, and sees whether the test of each fails: for `pnpm mutants custody` and `mutants reads`.
 * A line of scripts/guards.tsv is a guard: its name, the file, the code, what stands there instead, and the test, with tabs between; a
 * line like `# custody` begins a group. The code changes in memory alone, as the worker gets it. Guards that have a line in the report
 * are left out; 3 is the exit code if one kept a test from ending, which takes the process with it.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { createVitest } from "vitest/node"
import { testsOf } from "../vitest.workspace.ts"

const root = join(import.meta.dirname, "..")
const [report = "", group = "", ...words] = process.argv.slice(2)

// One worker stays, with what it has loaded.
const vitest = createRequire(import.meta.url).resolve("vitest/package.json")
const { Tinypool } = await import(pathToFileURL(createRequire(vitest).resolve("tinypool")).href)
Tinypool.prototype.recycleWorkers = async () => {}

const unescaped = (text) => text.replaceAll(/\\([n\\])/g, (_, one) => one === "n" ? "\n" : "\\")
const before = existsSync(report) ? readFileSync(report, "utf8").split("\n").map((line) => line.split("\t")[1]) : []
const [, list = ""] = readFileSync(join(root, "scripts/guards.tsv"), "utf8").split(/^# (?=.*\n)/m)
  .map((text) => text.trimEnd().split(/\n(.*)/s)).find(([name]) => name === group) ?? []
const guards = list.split("\n")
  .map((line) => line.split("\t").map(unescaped))
  .filter(([name, file]) => words.length === 0 || words.some((word) => name === word || file.includes(word)))
  .filter(([name]) => !before.includes(name))

let change
const changing = {
  name: "guards",
  enforce: "pre",
  transform: (code, id) =>
    change !== undefined && id === change.file ? code.replaceAll(change.from, () => change.to) : undefined
}

const runner = await createVitest("test", {
  config: false,
  root,
  watch: false,
  bail: 1,
  isolate: false,
  pool: "forks",
  maxWorkers: 1,
  minWorkers: 1,
  reporters: [{}],
  projects: [{
    ...testsOf(...new Set(guards.map(([, , , , test = ""]) => test.split("/test/")[0]))),
    plugins: [changing]
  }]
})
const all = await runner.globTestSpecifications([])

const load = (file) => {
  runner.invalidateFile(file)
  runner.watcher.handleFileChanged(file)
  for (const one of [...runner.watcher.invalidates]) runner.invalidateFile(one)
}

const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")

const outcomeOf = async (file, test) => {
  const specifications = all.filter(({ moduleId }) => moduleId === join(root, file))
  runner.setGlobalTestNamePattern(new RegExp(`^ ?${escaped(test)}$`))
  const { testModules, unhandledErrors } = await runner.runTestSpecifications(specifications, false)
  const modules = testModules.filter(({ moduleId }) => moduleId === join(root, file))
  const states = modules.flatMap((module) => [...module.children.allTests()]).map((one) => one.result().state)
  if (states.includes("failed") || unhandledErrors.length > 0) return "noticed"
  if (modules.some((module) => module.errors().length > 0)) return "broken"
  return states.includes("passed") ? "survived" : "no test"
}

for (const [name, file, from, to, test] of guards) {
  const tell = (outcome) => {
    appendFileSync(report, `${outcome}\t${name}\n`)
    console.log(`${outcome.padEnd(9)} ${name}`)
  }
  const path = join(root, file)
  if (!existsSync(path) || !readFileSync(path, "utf8").includes(from)) {
    tell("not there")
    continue
  }
  const end = setTimeout(() => {
    tell("noticed")
    process.exit(3)
  }, 180_000)
  const [testFile = "", testName = ""] = test.split(/: (.*)/s)
  change = { file: path, from, to }
  load(path)
  tell(await outcomeOf(testFile, testName))
  change = undefined
  load(path)
  clearTimeout(end)
}
process.exit(0)
