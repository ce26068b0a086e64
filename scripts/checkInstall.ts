/**
 * `pnpm check:install`: every package works on its own. Its tarball is installed by npm into an empty project, with the
 * peers that npm brings and the tarballs of the workspace packages it depends on, and with what the README's own
 * `npm install` line names. There the first `ts` block of its README is type-checked and run by plain Node.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, relative } from "node:path"
import ts from "typescript"
import {
  closure,
  inParallel,
  type Manifest,
  type Package,
  packAll,
  published,
  readJson,
  root,
  run,
  seconds
} from "./workspace.js"

/** Packages of others that ask to run a script at install. Everything here is installed and run without them. */
const scriptsNotRun = new Set(["@parcel/watcher", "msgpackr-extract"])

// Pages for users stand beside the README and are written in capitals, as METHODS.md is.
const mayShip = /^package\/(package\.json|LICENSE|[A-Z]+\.md|(dist|src)\/.*)$/
const mayNotShip = /(^|\/)\.|\.(test|tst)\.ts$|tsbuildinfo|tsconfig|\/(test|dtslint|node_modules)\//

interface Installed {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>
}

interface Outcome {
  readonly name: string
  readonly kilobytes: number
  readonly count: number
  readonly problems: ReadonlyArray<string>
  readonly time: string
}

const place = mkdtempSync(join(tmpdir(), "effect-klaytn-install-"))
const tarballs = await packAll(join(place, "tarballs"))

/** Types of a file in an installed project, libraries included: what an application with the strictest settings sees. */
const typeProblems = (dir: string, file: string): ReadonlyArray<string> => {
  const program = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    types: existsSync(join(dir, "node_modules/@types/node")) ? ["node"] : [],
    typeRoots: [join(dir, "node_modules/@types")]
  })
  return ts.getPreEmitDiagnostics(program).map((one) => {
    const where = one.file === undefined ? "" : `${relative(dir, one.file.fileName)}: `
    return `types: ${where}${ts.flattenDiagnosticMessageText(one.messageText, " ")}`
  })
}

const namesToInstall = (readme: string): ReadonlyArray<string> =>
  (/^\s*npm (?:install|i) (.+)$/m.exec(readme)?.[1] ?? "").split(/\s+/).filter((word) => /^@?[a-z]/.test(word))

const prove = async (one: Package): Promise<Omit<Outcome, "time">> => {
  const problems: Array<string> = []
  const tarball = tarballs.get(one.folder) ?? ""
  const kilobytes = Math.ceil(statSync(tarball).size / 1024)
  const outcome = (count: number) => ({ name: one.folder, kilobytes, count, problems })

  const shipped = (await run("tar", ["-tzf", tarball])).output.trim().split("\n")
  for (const file of shipped) {
    if (!mayShip.test(file) || mayNotShip.test(file.slice("package/".length))) problems.push(`tarball holds ${file}`)
  }

  const readmeFile = join(one.dir, "README.md")
  if (!existsSync(readmeFile)) {
    problems.push("README.md is missing: its first ts block is what a newcomer runs first")
    return outcome(0)
  }
  const readme = readFileSync(readmeFile, "utf8")
  const block = /^```ts\b[^\n]*\n([\s\S]*?)^```/m.exec(readme)?.[1]
  if (block === undefined) problems.push("README.md has no ts block to run")

  const dir = join(place, one.folder)
  mkdirSync(dir)
  const ours = (each: Package): readonly [string, string] => [
    each.manifest.name,
    `file:../tarballs/${basename(tarballs.get(each.folder) ?? "")}`
  ]
  const named = namesToInstall(readme)
  const beside = published.filter((each) => each !== one && named.includes(each.manifest.name))
  const overrides = [one, ...beside].flatMap((each) => closure(each))
    .filter((each) => each !== one && !beside.includes(each))
  // What runs on Node alone is type-checked as there: beside Node's own types.
  const nodeTypes = "@effect/platform-node" in (one.manifest.dependencies ?? {})
    ? [`@types/node@${readJson<Manifest>(join(root, "node_modules/@types/node/package.json")).version}`]
    : []
  const others = named.filter((name) => !published.some((each) => each.manifest.name === name)).concat(nodeTypes)
  const manifest = {
    private: true,
    type: "module",
    dependencies: Object.fromEntries([one, ...beside].map(ours)),
    overrides: Object.fromEntries(overrides.map(ours))
  }
  writeFileSync(join(dir, "package.json"), JSON.stringify(manifest, null, 2))
  const npm = await run(
    "npm",
    ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", ...others],
    { cwd: dir, timeout: 240_000 }
  )
  if (npm.code !== 0) {
    problems.push(`npm install failed: ${npm.output.trim()}`)
    return outcome(0)
  }

  const tree = Object.entries(readJson<Installed>(join(dir, "node_modules/.package-lock.json")).packages)
  const wantsEffect = "effect" in (one.manifest.peerDependencies ?? {})
  const effects = tree.filter(([path]) => /(^|\/)node_modules\/effect$/.test(path)).length
  if (effects > 1 || (wantsEffect && effects === 0)) problems.push(`${effects} copies of effect`)
  for (const [path, { hasInstallScript }] of tree) {
    const name = path.replace(/^.*node_modules\//, "")
    if (hasInstallScript === true && !scriptsNotRun.has(name)) problems.push(`${name} runs a script at install`)
  }

  if (block !== undefined) {
    writeFileSync(join(dir, "readme.ts"), block)
    problems.push(...typeProblems(dir, join(dir, "readme.ts")))
    const { outputText } = ts.transpileModule(block, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true }
    })
    writeFileSync(join(dir, "readme.mjs"), outputText)
    const ran = await run("node", ["readme.mjs"], { cwd: dir, timeout: 60_000 })
    if (ran.code !== 0) problems.push(`README block exits ${ran.code}: ${ran.output.trim()}`)
  }
  return outcome(tree.length)
}

const outcomes = await inParallel(published, 2, async (one): Promise<Outcome> => {
  const since = performance.now()
  return { ...(await prove(one)), time: seconds(since) }
})

const row = (...cells: ReadonlyArray<string>) =>
  cells.map((cell, i) => i === 0 ? cell.padEnd(14) : cell.padStart(12)).join("")
console.log(row("package", "tarball", "installed", "time", "result"))
for (const { count, kilobytes, name, problems, time } of outcomes) {
  console.log(row(name, `${kilobytes} kB`, `${count}`, time, problems.length === 0 ? "ok" : "FAILED"))
}
for (const { name, problems } of outcomes) for (const problem of problems) console.log(`${name}: ${problem}`)
rmSync(place, { recursive: true })
process.exit(outcomes.every((one) => one.problems.length === 0) ? 0 : 1)
