/**
 * `pnpm matrix`: runs all tests on the newest release of each supported Node line; `matrix 22 26` for some of them. Arguments
 * after `--` go to the test runner (`matrix 22 -- packages/node/`). Each Node comes from npm's package for the platform,
 * installed without scripts in .nodes, outside the workspace. Prints a table, then the same as JSON.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { root, run, seconds } from "./workspace.js"

const supported = ["20", "22", "24", "26"]

interface Outcome {
  readonly line: string
  readonly version: string
  readonly passed: number
  readonly failed: number
  readonly time: string
  readonly problems: ReadonlyArray<string>
}

/** The part of the runner's report that is used. */
interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: ReadonlyArray<{ readonly fullName: string; readonly status: string }>
  }>
}

const platform = process.platform === "win32" ? "win" : process.platform
const nodePackage = `${
  platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node"
}-${platform}-${process.arch}`
const store = join(root, ".nodes")
const reports = join(root, ".reports")

const inOrder = (left: string, right: string): number => left.localeCompare(right, "en", { numeric: true })

/** The newest release of a line for this platform; throws what the registry said if there is none. */
const newestOf = async (line: string): Promise<string> => {
  const { code, output } = await run("npm", [
    "view",
    `${nodePackage}@${line}`,
    "version",
    "--json",
    "--loglevel=silent"
  ])
  const versions = output.match(/\b\d+\.\d+\.\d+\b/g) ?? []
  const newest = [...versions].sort(inOrder).at(-1)
  if (code !== 0 || newest === undefined) throw new Error(`the registry has no ${nodePackage}@${line}`)
  return newest
}

const install = async (version: string): Promise<string> => {
  const dir = join(store, version)
  const program = join(dir, "node_modules", nodePackage, "bin", process.platform === "win32" ? "node.exe" : "node")
  if (!existsSync(program)) {
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true }))
    const { code, output } = await run(
      "npm",
      ["install", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund", `${nodePackage}@${version}`],
      { cwd: dir }
    )
    if (code !== 0) throw new Error(`npm could not install ${nodePackage}@${version}: ${output.trim()}`)
  }
  const { output } = await run(program, ["--version"])
  if (output.trim() !== `v${version}`) throw new Error(`${program} says it is ${output.trim()}`)
  return program
}

const problemsIn = (report: Report): ReadonlyArray<string> =>
  report.testResults.flatMap((file) => {
    const failed = file.assertionResults.filter((test) => test.status === "failed").map((test) => test.fullName)
    if (file.status === "failed" && file.assertionResults.length === 0) failed.push(`not loaded: ${file.message}`)
    return failed.map((name) => `${file.name.slice(root.length + 1)}: ${name}`)
  })

const test = async (line: string, args: ReadonlyArray<string>): Promise<Outcome> => {
  const since = performance.now()
  let version = "none"
  const outcome = (passed: number, problems: ReadonlyArray<string>): Outcome => ({
    line,
    version,
    passed,
    failed: problems.length,
    time: seconds(since),
    problems
  })
  try {
    version = await newestOf(line)
    const program = await install(version)
    const file = join(reports, `test-node-${line}.json`)
    writeFileSync(file, "")
    const { code, output } = await run(program, ["node_modules/vitest/vitest.mjs", "run", ...args], {
      // Tests that start `node` get this one.
      env: { PATH: `${dirname(program)}${delimiter}${process.env["PATH"] ?? ""}`, TEST_REPORT: file }
    })
    const written = readFileSync(file, "utf8")
    if (written === "") return outcome(0, [`the runner ended with ${code} and no report: ${output.trim()}`])
    // The runner writes this file; its types give the shape.
    const report = JSON.parse(written) as Report
    const problems = problemsIn(report)
    // An error outside a test fails the run even if every test passed.
    return outcome(
      report.numPassedTests,
      code !== 0 && problems.length === 0 ? [`the runner ended with ${code}: ${output.trim().slice(-2_000)}`] : problems
    )
  } catch (error) {
    return outcome(0, [error instanceof Error ? error.message : String(error)])
  }
}

const given = process.argv.slice(2)
const split = given.indexOf("--")
const lines = split === -1 ? given : given.slice(0, split)
const unknown = lines.filter((line) => !supported.includes(line))
if (unknown.length > 0) {
  console.error(`No such line of Node here: ${unknown.join(", ")}. There are: ${supported.join(", ")}.`)
  process.exit(2)
}

mkdirSync(reports, { recursive: true })
const outcomes: Array<Outcome> = []
for (const line of lines.length === 0 ? supported : lines) {
  outcomes.push(await test(line, split === -1 ? [] : given.slice(split + 1)))
}

const row = (...cells: ReadonlyArray<string>): string => cells.map((cell) => cell.padStart(12)).join("")
console.log(row("line", "version", "passed", "failed", "time"))
for (const { failed, line, passed, time, version } of outcomes) {
  console.log(row(line, version, `${passed}`, `${failed}`, time))
}
for (const { line, problems } of outcomes) for (const problem of problems) console.log(`Node ${line}: ${problem}`)
console.log(JSON.stringify(outcomes))
process.exit(outcomes.every((one) => one.failed === 0 && one.passed > 0) ? 0 : 1)
