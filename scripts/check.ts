/**
 * `pnpm check` runs every check, two at a time, and lists those that failed; `pnpm check:<step>` runs one. The output of a
 * check that passed is not shown, unless it has figures.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { filesBelow, inParallel, packages, root, run, seconds } from "./workspace.js"

interface Step {
  readonly command: () => ReadonlyArray<string>
  /** Another step that does this one too. */
  readonly within?: string
  /** True when there is nothing to check yet. */
  readonly empty?: () => boolean
  /** Whether the output is shown although the check passed: figures that should fall. */
  readonly shown?: boolean
}

mkdirSync(join(root, ".reports"), { recursive: true })

/** The slowest first, so that the others run beside it. */
const steps: Readonly<Record<string, Step>> = {
  types: { command: () => ["tsx", "scripts/docExamples.ts", "--all"] },
  docs: { command: () => ["tsx", "scripts/docExamples.ts"], within: "types" },
  openapi: { command: () => ["tsx", "packages/sandbox/scripts/openapi.ts", "--check"] },
  typetests: {
    command: () => ["tstyche"],
    empty: () => packages.every((one) => filesBelow(join(one.dir, "dtslint"), ".tst.ts").length === 0)
  },
  unused: { command: () => ["knip", "--no-progress", "--no-config-hints"] },
  lint: { command: () => ["oxlint", "--deny-warnings", "--format", "unix"] },
  format: { command: () => ["dprint", "check", "--list-different"] },
  conventions: { command: () => ["tsx", "scripts/conventions.ts"] },
  cycles: { command: () => ["tsx", "scripts/cycles.ts"], shown: true }
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in steps))
if (unknown.length > 0) {
  console.error(`No such check: ${unknown.join(", ")}. There are: ${Object.keys(steps).join(", ")}.`)
  process.exit(2)
}

const isAsked = (name: string): boolean => asked.length === 0 || asked.includes(name)
const chosen = Object.entries(steps).filter(([name, { within }]) =>
  isAsked(name) && (within === undefined || !isAsked(within))
)
const present = chosen.filter(([, { empty }]) => empty?.() !== true)
for (const [step] of chosen.filter((one) => !present.includes(one))) console.log(`check ${step}: nothing to check`)
const results = await inParallel(present, 2, async ([name, { command, shown }]) => {
  const since = performance.now()
  const [program = "", ...args] = command()
  const { code, output } = await run(program, args)
  console.log(`check ${name}: ${code === 0 ? "ok" : "FAILED"} (${seconds(since)})`)
  if (code !== 0 || shown === true) console.log(output.trim().replace(/^/gm, "  "))
  return { name, ok: code === 0 }
})

const failed = results.filter((one) => !one.ok).map((one) => one.name)
console.log(failed.length === 0 ? `${results.length} checks passed` : `failed: ${failed.join(", ")}`)
process.exit(failed.length === 0 ? 0 : 1)
