/**
 * `pnpm mutants`: makes thousands of small changes to the code that moves money, one at a time, and lists those that no test
 * notices. `mutants wallet` runs one part, `mutants wallet nonces.ts lookup.ts` those of its files whose paths contain one
 * of the words. Prints a table and the survivors. Reports are in .reports/mutants; the next run reuses them and retries only
 * what changed.
 *
 * `mutants custody` takes the guards of the wallet's money and keys out, which scripts/guards.tsv names with the test of each, and
 * `mutants reads` those of what is read: blocks, logs, receipts, streams and reports. `mutants custody NAME Keyring.ts` takes the guard
 * of a name out, or those of files.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { readJson, root, run, seconds } from "./workspace.js"

interface Part {
  /** The projects whose tests should notice. */
  readonly tests: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
}

const parts: Readonly<Record<string, Part>> = {
  core: {
    tests: ["core"],
    files: [
      "packages/core/src/Paged.ts",
      "packages/core/src/internal/calls/answer.ts",
      "packages/core/src/internal/decoding/schemaCompiler/codeGeneration.ts",
      "packages/core/src/internal/calls/call.ts",
      "packages/core/src/internal/paging/repeats.ts",
      "packages/core/src/internal/calls/timeoutDetached.ts"
    ]
  },
  wallet: {
    tests: ["wallet"],
    files: [
      "packages/wallet/src/NonceSource.ts",
      "packages/wallet/src/SpendPolicy.ts",
      "packages/wallet/src/internal/client/client.ts",
      "packages/wallet/src/internal/sends/lookup.ts",
      "packages/wallet/src/internal/migration/migrationSteps.ts",
      "packages/wallet/src/NonceSource.ts",
      "packages/wallet/src/internal/plans/plan.ts",
      "packages/wallet/src/internal/sends/reconcile.ts",
      "packages/wallet/src/internal/sends/sending.ts",
      "packages/wallet/src/internal/client/spendWindow.ts",
      "packages/wallet/src/internal/plans/transactionIntent.ts"
    ]
  },
  exports: {
    tests: ["exports"],
    files: [
      "packages/exports/src/internal/directoryLock.ts",
      "packages/exports/src/internal/exportDirectory.ts",
      "packages/exports/src/internal/flatten.ts",
      "packages/exports/src/internal/merged.ts",
      "packages/exports/src/Plan.ts",
      "packages/exports/src/internal/storageFault.ts",
      "packages/exports/src/internal/waiting.ts"
    ]
  },
  node: {
    tests: ["node"],
    files: ["packages/core/src/JsonRpc.ts", "packages/node/src/internal/calls/rawTransaction.ts"]
  },
  payouts: {
    tests: ["payouts"],
    files: [
      "packages/payouts/src/PayoutState.ts",
      "packages/payouts/src/internal/answers.ts",
      "packages/payouts/src/internal/housekeeping.ts",
      "packages/payouts/src/internal/nonces.ts",
      "packages/payouts/src/internal/spendWindow.ts",
      "packages/payouts/src/internal/steps.ts",
      "packages/payouts/src/internal/store.ts"
    ]
  },
  engine: {
    tests: ["engine", "store"],
    files: [
      "packages/store/src/DatabaseFault.ts",
      "packages/engine/src/internal/interruptibleHandlers.ts",
      "packages/engine/src/internal/retryingStorage.ts"
    ]
  },
  transaction: {
    tests: ["transaction"],
    files: [
      "packages/transaction/src/internal/accountKeyRules.ts",
      "packages/transaction/src/internal/body.ts",
      "packages/transaction/src/internal/envelope.ts",
      "packages/transaction/src/internal/signatures.ts",
      "packages/transaction/src/internal/signing.ts",
      "packages/transaction/src/Transaction.ts"
    ]
  }
}

/** The part of Stryker's report that is used. */
interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: ReadonlyArray<Mutant> }>>
}

interface Mutant {
  readonly mutatorName: string
  readonly replacement?: string
  readonly status:
    | "Killed"
    | "Survived"
    | "NoCoverage"
    | "Timeout"
    | "RuntimeError"
    | "CompileError"
    | "Ignored"
    | "Pending"
  readonly location: { readonly start: Place; readonly end: Place }
}

interface Place {
  readonly line: number
  readonly column: number
}

const reports = join(root, ".reports/mutants")

const config = (name: string, files: ReadonlyArray<string>): unknown => ({
  mutate: files,
  testRunner: "vitest",
  plugins: [join(root, "scripts/mutants.runner.mjs")],
  vitest: { configFile: "vitest.mutants.config.ts", related: false },
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  // Error texts and span names are not changed: programs decide by comparisons, which are.
  mutator: { excludedMutations: ["StringLiteral"] },
  concurrency: Number(process.env["MUTANTS_AT_ONCE"] ?? 1),
  timeoutMS: 20_000,
  dryRunTimeoutMinutes: 15,
  ignorePatterns: ["dist", ".nodes", ".reports", "docs", "interop", "*.tgz", "*.db*"],
  tempDirName: `.reports/mutants/${name}`,
  incremental: true,
  incrementalFile: `.reports/mutants/${name}.incremental.json`,
  reporters: ["json", "dots"],
  jsonReporter: { fileName: `.reports/mutants/${name}.json` },
  allowConsoleColors: false,
  clearTextReporter: { allowColor: false }
})

const shown = (source: string, { location: { end, start }, mutatorName, replacement }: Mutant): string => {
  const lines = source.split("\n").slice(start.line - 1, end.line)
  const last = lines.length - 1
  lines[last] = (lines[last] ?? "").slice(0, end.column - 1)
  lines[0] = (lines[0] ?? "").slice(start.column - 1)
  const short = (text: string): string => text.replace(/\s+/g, " ").slice(0, 90)
  return `${mutatorName}: ${short(lines.join("\n"))} -> ${short(replacement ?? "")}`
}

/** The groups of guards. */
const groups = [...readFileSync(join(root, "scripts/guards.tsv"), "utf8").matchAll(/^# (.*)$/gm)].map(([, one = ""]) =>
  one
)

const [asked, ...words] = process.argv.slice(2)
const all = [...Object.keys(parts), ...groups]
if (asked !== undefined && !all.includes(asked)) {
  console.error(`No such part: ${asked}. There are: ${all.join(", ")}.`)
  process.exit(2)
}

mkdirSync(reports, { recursive: true })
const text: Array<string> = []
const tell = (line: string): void => {
  text.push(line)
  console.log(line)
}
const row = (...cells: ReadonlyArray<string | number>): string =>
  cells.map((cell, i) => i === 0 ? String(cell).padEnd(48) : String(cell).padStart(11)).join("")

/** Whether the test of each guard of a group fails without it. */
const tryGuards = async (group: string): Promise<boolean> => {
  const since = performance.now()
  const report = join(reports, `${group}.tsv`)
  rmSync(report, { force: true })
  let end = await run("tsx", ["scripts/guards.mjs", report, group, ...words])
  while (end.code === 3) end = await run("tsx", ["scripts/guards.mjs", report, group, ...words])
  const outcomes = existsSync(report)
    ? readFileSync(report, "utf8").trimEnd().split("\n").map((line) => line.split("\t"))
    : []
  const others = outcomes.filter(([outcome]) => outcome !== "noticed")
  tell(row(`${group} (${seconds(since)})`, "guards", "noticed", "others"))
  tell(row("scripts/guards.tsv", outcomes.length, outcomes.length - others.length, others.length))
  for (const [outcome = "", name = ""] of others) tell(`  ${name}: ${outcome}`)
  if (end.code !== 0) console.log(`the tests of the guards ended with ${end.code}\n${end.output.trim()}`)
  return end.code === 0 && outcomes.length > 0 && others.length === 0
}

let ok = true
for (const [name, part] of Object.entries(parts).filter(([name]) => asked === undefined || name === asked)) {
  const since = performance.now()
  const files = part.files.filter((file) =>
    existsSync(join(root, file)) && (words.length === 0 || words.some((word) => file.includes(word)))
  )
  const settings = join(reports, `${name}.config.json`)
  writeFileSync(settings, JSON.stringify(config(name, files)))
  rmSync(join(reports, `${name}.json`), { force: true })
  const { code, output } = await run("stryker", ["run", relative(root, settings)], {
    env: { MUTANTS_TESTS: part.tests.join(",") }
  })
  if (!existsSync(join(reports, `${name}.json`))) {
    console.log(`mutants of ${name}: Stryker ended with ${code} and no report\n${output.trim()}`)
    ok = false
    continue
  }
  const report = readJson<Report>(join(reports, `${name}.json`))
  tell(row(`${name} (${seconds(since)})`, "killed", "survived", "no test", "score"))
  for (const [file, { mutants, source }] of Object.entries(report.files).sort()) {
    const count = (...statuses: ReadonlyArray<Mutant["status"]>): number =>
      mutants.filter((one) => statuses.includes(one.status)).length
    const killed = count("Killed", "Timeout")
    const [survived, untested] = [count("Survived"), count("NoCoverage")]
    const all = killed + survived + untested
    tell(
      row(
        file.replace("packages/", ""),
        killed,
        survived,
        untested,
        all === 0 ? "-" : `${(100 * killed / all).toFixed(1)} %`
      )
    )
    for (const one of mutants.filter(({ status }) => status === "Survived" || status === "NoCoverage")) {
      tell(`  ${file}:${one.location.start.line} ${one.status === "Survived" ? "" : "no test: "}${shown(source, one)}`)
    }
  }
}
for (const group of groups.filter((one) => asked === undefined || one === asked)) ok = (await tryGuards(group)) && ok
writeFileSync(join(reports, "survivors.txt"), text.join("\n") + "\n")
process.exit(ok ? 0 : 1)
