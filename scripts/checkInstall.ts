/**
 * `pnpm check:install`: npm installs each package's tarball into an empty project, with its peers, the tarballs of the
 * workspace packages that it depends on, and what the `npm install` line of its README names. The first `ts` block of that
 * README is type-checked there and run by plain Node. All packages are also installed together with the lowest peer
 * versions that they allow, where they must share one copy of common dependencies, and through a library that re-exports
 * their types.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, relative } from "node:path"
import ts from "typescript"
import { application, library } from "./consumers.js"
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

/** Third-party packages with install scripts. Everything here is installed and run without those scripts. */
const scriptsNotRun = new Set(["@parcel/watcher", "msgpackr-extract"])

// Other pages for users are beside the README and have upper-case names, such as METHODS.md.
const mayShip = /^package\/(package\.json|LICENSE|[A-Z]+\.md|(dist|src)\/.*)$/
const mayNotShip = /(^|\/)\.|\.(test|tst)\.ts$|tsbuildinfo|tsconfig|\/(test|dtslint|node_modules)\//

/** What must not come along: the command brings no sandbox and no EVM. */
const mayNotBring: Readonly<Record<string, RegExp>> = { cli: /^(@effect-klaytn\/sandbox|@ethereumjs\/)/ }

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

/**
 * Type-checks a file in an installed project, libraries included, as an application with the strictest settings would. With
 * `outDir` it is also compiled, with declarations.
 */
const typeProblems = (dir: string, file: string, outDir?: string): ReadonlyArray<string> => {
  const program = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    ...(outDir === undefined ? { noEmit: true } : { declaration: true, outDir }),
    types: existsSync(join(dir, "node_modules/@types/node")) ? ["node"] : [],
    typeRoots: [join(dir, "node_modules/@types")]
  })
  const emitted = outDir === undefined ? [] : program.emit().diagnostics
  return [...ts.getPreEmitDiagnostics(program), ...emitted].map((one) => {
    const where = one.file === undefined ? "" : `${relative(dir, one.file.fileName)}: `
    return `types: ${where}${ts.flattenDiagnosticMessageText(one.messageText, " ")}`
  })
}

const namesToInstall = (readme: string): ReadonlyArray<string> =>
  (/^\s*npm (?:install|i) (.+)$/m.exec(readme)?.[1] ?? "").split(/\s+/).filter((word) => /^@?[a-z]/.test(word))

/** Packages that a block imports, by the names npm knows. */
const importedBy = (block: string): ReadonlyArray<string> =>
  [
    ...new Set(
      [...block.matchAll(/^(?:import|export)\b[^"=]*"((?:@[^/"]+\/)?[^/".][^/"]*)/gm)].map((match) => match[1] ?? "")
    )
  ].filter((name) => !name.startsWith("node:"))

/** Installs into an empty project and reports what is wrong with the result. */
const install = async (
  dir: string,
  manifest: object,
  others: ReadonlyArray<string>,
  single: ReadonlyArray<string>,
  unwanted?: RegExp
): Promise<{ readonly count: number; readonly problems: ReadonlyArray<string> }> => {
  mkdirSync(dir)
  writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true, type: "module", ...manifest }, null, 2))
  const npm = await run(
    "npm",
    ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", ...others],
    { cwd: dir, timeout: 240_000 }
  )
  if (npm.code !== 0) return { count: 0, problems: [`npm install failed: ${npm.output.trim()}`] }
  const problems: Array<string> = []
  const tree = Object.entries(readJson<Installed>(join(dir, "node_modules/.package-lock.json")).packages)
  for (const name of single) {
    const copies = tree.filter(([path]) =>
      path === `node_modules/${name}` || path.endsWith(`/node_modules/${name}`)
    ).length
    if (copies !== 1) problems.push(`${copies} copies of ${name}`)
  }
  for (const [path, { hasInstallScript }] of tree) {
    const name = path.replace(/^.*node_modules\//, "")
    if (unwanted?.test(name) === true) problems.push(`${name} comes along`)
    if (hasInstallScript === true && !scriptsNotRun.has(name)) problems.push(`${name} runs a script at install`)
  }
  return { count: tree.length, problems }
}

/** Type-checks and runs the first block of a README in an installed project. */
const tryBlock = async (dir: string, name: string, block: string): Promise<ReadonlyArray<string>> => {
  writeFileSync(join(dir, `${name}.ts`), block)
  const problems = [...typeProblems(dir, join(dir, `${name}.ts`))]
  const { outputText } = ts.transpileModule(block, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true }
  })
  writeFileSync(join(dir, `${name}.mjs`), outputText)
  const ran = await run("node", [`${name}.mjs`], { cwd: dir, timeout: 60_000 })
  if (ran.code !== 0) problems.push(`${name} exits ${ran.code}: ${ran.output.trim()}`)
  return problems
}

const readmeOf = (one: Package): string => {
  const file = join(one.dir, "README.md")
  return existsSync(file) ? readFileSync(file, "utf8") : ""
}

const blockOf = (readme: string): string | undefined => /^```ts\b[^\n]*\n([\s\S]*?)^```/m.exec(readme)?.[1]

const ours = (each: Package): readonly [string, string] => [
  each.manifest.name,
  `file:../tarballs/${basename(tarballs.get(each.folder) ?? "")}`
]

// Code that runs only on Node is type-checked with Node's types.
const nodeTypes = `@types/node@${readJson<Manifest>(join(root, "node_modules/@types/node/package.json")).version}`

const peersOf = ({ manifest }: Package): ReadonlyArray<string> =>
  Object.keys(manifest.peerDependencies ?? {}).filter((name) =>
    manifest.peerDependenciesMeta?.[name]?.optional !== true
  )

const prove = async (one: Package): Promise<Omit<Outcome, "time">> => {
  const problems: Array<string> = []
  const tarball = tarballs.get(one.folder) ?? ""
  const kilobytes = Math.ceil(statSync(tarball).size / 1024)
  const outcome = (count: number) => ({ name: one.folder, kilobytes, count, problems })

  const shipped = (await run("tar", ["-tzf", tarball])).output.trim().split("\n")
  for (const file of shipped) {
    if (!mayShip.test(file) || mayNotShip.test(file.slice("package/".length))) problems.push(`tarball holds ${file}`)
  }

  const readme = readmeOf(one)
  const block = blockOf(readme)
  if (block === undefined) {
    problems.push("README.md has no ts block: it is what a newcomer runs first")
    return outcome(0)
  }
  const named = namesToInstall(readme)
  for (const name of importedBy(block)) {
    if (!named.some((word) => word === name || word.startsWith(`${name}@`))) {
      problems.push(`README imports ${name}, which its npm install line does not name`)
    }
  }

  const beside = published.filter((each) => each !== one && named.includes(each.manifest.name))
  const overrides = [one, ...beside].flatMap((each) => closure(each))
    .filter((each) => each !== one && !beside.includes(each))
  const others = named.filter((name) => !published.some((each) => each.manifest.name === name))
  const dir = join(place, one.folder)
  const installed = await install(
    dir,
    {
      dependencies: Object.fromEntries([one, ...beside].map(ours)),
      overrides: Object.fromEntries(overrides.map(ours))
    },
    "@effect/platform-node" in (one.manifest.dependencies ?? {}) || block.includes("\"node:")
      ? [...others, nodeTypes]
      : others,
    peersOf(one),
    mayNotBring[one.folder]
  )
  problems.push(...installed.problems)
  if (installed.count > 0) problems.push(...await tryBlock(dir, "readme", block))
  return outcome(installed.count)
}

/** All packages in one project, with the lowest peer versions that they allow. */
const proveTogether = async (): Promise<Omit<Outcome, "time">> => {
  const peers = new Map(published.flatMap((one) => Object.entries(one.manifest.peerDependencies ?? {})))
  const own = published.map((one) => one.manifest.name)
  const lowest = [...peers].filter(([name]) => !own.includes(name))
    .map(([name, range]) => `${name}@${range.replace(/^[\^~]|^>=/, "")}`)
  const dir = join(place, "together")
  const { count, problems } = await install(
    dir,
    { dependencies: Object.fromEntries(published.map(ours)) },
    [...lowest, nodeTypes],
    [...new Set([...own, ...peers.keys()])]
  )
  // A block that needs more than the packages and their peers, such as a newer platform for Node, is tried alone only.
  const blocks = published.map((one) => ({ folder: one.folder, block: blockOf(readmeOf(one)) ?? "" }))
    .filter(({ block }) => importedBy(block).every((name) => own.includes(name) || peers.has(name)))
  const tried = count === 0
    ? []
    : await inParallel(
      blocks,
      1,
      async ({ block, folder }) => (await tryBlock(dir, `readme-${folder}`, block)).map((each) => `${folder}: ${each}`)
    )
  // The command finds the sandbox beside it.
  const called = count === 0
    ? { code: 0, output: "1001" }
    : await run("node_modules/.bin/klaytn", ["call", "klay_chainID", "--sandbox"], { cwd: dir, timeout: 60_000 })
  const sandbox = called.code === 0 && called.output.trim() === "1001"
    ? []
    : [`cli: --sandbox: ${called.output.trim()}`]
  return { name: "together", kilobytes: 0, count, problems: [...problems, ...tried.flat(), ...sandbox] }
}

/** A library that depends on our packages, compiled and packed, and an application that depends on the library alone. */
const proveThroughLibrary = async (): Promise<Omit<Outcome, "time">> => {
  const outcome = (count: number, problems: ReadonlyArray<string>) => ({
    name: "library",
    kilobytes: 0,
    count,
    problems
  })
  const used = published.filter(({ folder }) => ["core", "history", "tokens"].includes(folder))
  const peers = Object.fromEntries(
    used.flatMap((one) => Object.entries(one.manifest.peerDependencies ?? {}))
      .filter(([name]) => !used.some(({ manifest }) => manifest.name === name))
  )
  const dir = join(place, "library")
  const made = await install(dir, { dependencies: { ...Object.fromEntries(used.map(ours)), ...peers } }, [], [])
  if (made.count === 0) return outcome(0, made.problems)
  writeFileSync(join(dir, "index.ts"), library)
  const problems = [...made.problems, ...typeProblems(dir, join(dir, "index.ts"), join(dir, "dist"))]
  writeFileSync(
    join(dir, "package.json"),
    JSON.stringify({
      name: "library",
      version: "1.0.0",
      type: "module",
      files: ["dist"],
      exports: { types: "./dist/index.d.ts", default: "./dist/index.js" },
      dependencies: Object.fromEntries(used.map(({ manifest }) => [manifest.name, manifest.version])),
      peerDependencies: peers
    })
  )
  const packed = await run("npm", ["pack", "--ignore-scripts", "--pack-destination", join(place, "tarballs")], {
    cwd: dir
  })
  if (packed.code !== 0) return outcome(0, [...problems, `npm pack failed: ${packed.output.trim()}`])
  const user = join(place, "application")
  const installed = await install(
    user,
    {
      dependencies: { library: "file:../tarballs/library-1.0.0.tgz", ...peers },
      overrides: Object.fromEntries(used.map(ours))
    },
    [],
    ["library", "effect", ...used.map(({ manifest }) => manifest.name)]
  )
  problems.push(...installed.problems)
  if (installed.count > 0) problems.push(...await tryBlock(user, "application", application))
  return outcome(installed.count, problems)
}

const jobs = [...published.map((one) => () => prove(one)), proveTogether, proveThroughLibrary]
const outcomes = await inParallel(jobs, 2, async (job): Promise<Outcome> => {
  const since = performance.now()
  return { ...(await job()), time: seconds(since) }
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
