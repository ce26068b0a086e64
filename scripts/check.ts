/**
 * `pnpm check` runs every check, two at a time, and lists those that failed; `pnpm check:<step>` runs one. The output of a
 * check that passed is not shown.
 */
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { filesBelow, inParallel, packages, root, run, seconds } from "./workspace.js"

interface Step {
  /** What it runs, one beside the other. */
  readonly commands: ReadonlyArray<ReadonlyArray<string>>
  /** True when there is nothing to check yet. */
  readonly empty?: () => boolean
}

const sources = packages.map((one) => `packages/${one.folder}/src`).filter((dir) => existsSync(join(root, dir)))

const reports = join(root, ".reports")
mkdirSync(reports, { recursive: true })

/**
 * Writes two projects that hold half of the sources each, by size: the diagnostics of Effect take as long as all other
 * checks together, and one process uses one core.
 */
const halves = (): ReadonlyArray<string> => {
  const { fileNames } = ts.parseJsonConfigFileContent({ extends: "./tsconfig.json" }, ts.sys, root)
  const files = fileNames.toSorted().map((file) => ({ file, size: statSync(file).size }))
  const whole = files.reduce((sum, { size }) => sum + size, 0)
  let before = 0
  const half = files.map(({ file, size }) => ({ file, second: (before += size) > whole / 2 }))
  return [false, true].map((second, i) => {
    const project = join(reports, `effect-${i + 1}.json`)
    const content = {
      extends: "../tsconfig.json",
      include: [],
      files: half.filter((one) => one.second === second).map(({ file }) => file)
    }
    writeFileSync(project, JSON.stringify(content))
    return project
  })
}

/** The slowest first, so that the others run beside them. */
const steps: Readonly<Record<string, Step>> = {
  effect: {
    // With Node's own limits of memory, more than a third of its time is spent collecting garbage.
    commands: halves().map((project) => [
      "node",
      "--max-semi-space-size=256",
      "--max-old-space-size=8192",
      "node_modules/@effect/language-service/cli.js",
      ...["diagnostics", "--project", project, "--format", "text", "--strict"]
    ])
  },
  types: {
    commands: [
      ["tsc", "-p", "tsconfig.json", "--pretty", "false", "--incremental", "--tsBuildInfoFile", ".reports/types"]
    ]
  },
  docs: { commands: [["tsx", "scripts/docExamples.ts"]] },
  typetests: {
    commands: [["tstyche"]],
    empty: () => packages.every((one) => filesBelow(join(one.dir, "dtslint"), ".tst.ts").length === 0)
  },
  unused: { commands: [["knip", "--no-progress", "--no-config-hints"]] },
  cycles: { commands: [["madge", "--circular", "--no-spinner", "--no-color", ...sources]] },
  lint: { commands: [["oxlint", "--deny-warnings", "--format", "unix"]] },
  format: { commands: [["dprint", "check", "--list-different"]] },
  house: { commands: [["tsx", "scripts/houseRules.ts"]] }
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in steps))
if (unknown.length > 0) {
  console.error(`No such check: ${unknown.join(", ")}. There are: ${Object.keys(steps).join(", ")}.`)
  process.exit(2)
}

const chosen = Object.entries(steps).filter(([name]) => asked.length === 0 || asked.includes(name))
const parts = chosen.flatMap(([step, { commands, empty }]) => {
  if (empty?.() === true) console.log(`check ${step}: nothing to check`)
  return empty?.() === true ? [] : commands.map((command, i) => ({
    name: commands.length === 1 ? step : `${step} (${i + 1} of ${commands.length})`,
    command
  }))
})
const results = await inParallel(parts, 2, async ({ command: [program = "", ...args], name }) => {
  const since = performance.now()
  const { code, output } = await run(program, args)
  console.log(`check ${name}: ${code === 0 ? "ok" : "FAILED"} (${seconds(since)})`)
  if (code !== 0) console.log(output.trim().replace(/^/gm, "  "))
  return { name, ok: code === 0 }
})

const failed = results.filter((one) => !one.ok).map((one) => one.name)
console.log(failed.length === 0 ? `${results.length} checks passed` : `failed: ${failed.join(", ")}`)
process.exit(failed.length === 0 ? 0 : 1)
