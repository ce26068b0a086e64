/**
 * `pnpm check:install`: npm installs the packages' tarballs into empty projects, with their peers, the tarballs of the
 * workspace packages that they depend on, and what the `npm install` lines of their READMEs name; packages whose lines name
 * the same third-party packages share a project. The first `ts` block of each README is type-checked there and run by
 * plain Node. All packages are also installed together with the lowest peer versions that they allow, where they must share
 * one copy of common dependencies, through a library that re-exports their types, without naming any version, and into an
 * application that has Effect 4, where npm has to refuse. The projects of docs/guides/test-runners.md are run too.
 * The install lines of each README and of each page of docs are also typed as they stand, beside a folder of tarballs as `pnpm tarballs`
 * makes it, and the first block of a README is compiled with `--strict` and run: of some pages each day, of all in a week.
 * `pnpm check:install together typed:history` does some of it.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import ts from "typescript"
import { compiler } from "./compiler.js"
import { application, library } from "./consumers.js"
import { packages as runnerPackages, tryRunners } from "./testRunners.js"
import {
  closure,
  inParallel,
  linked,
  type Manifest,
  type Package,
  packed,
  published,
  readJson,
  root,
  run,
  seconds
} from "./workspace.js"

/** Third-party packages with install scripts. Everything here is installed and run without those scripts. */
const scriptsNotRun = new Set(["@parcel/watcher", "esbuild", "msgpackr-extract"])

// Other pages for users are beside the README and have upper-case names, such as METHODS.md.
const mayShip = /^package\/(package\.json|LICENSE|[A-Z]+\.md|(dist|src)\/.*)$/

/** What a package ships besides, because it reads these files when it runs. */
const mayAlsoShip: Readonly<Record<string, RegExp>> = { sandbox: /^package\/(openapi\.json|pages\/.*)$/ }
const mayNotShip = /(^|\/)\.|\.(test|tst)\.ts$|tsbuildinfo|tsconfig|\/(test|dtslint|node_modules)\//

/** What must not come along: the command brings no sandbox, no gateway and no EVM. */
const mayNotBring: Readonly<Record<string, RegExp>> = {
  cli: /^(@effect-klaytn\/(sandbox|gateway)|@ethereumjs\/)/
}

interface Installed {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean; readonly resolved?: string }>>
}

interface Outcome {
  readonly name: string
  readonly kilobytes: number
  readonly count: number
  readonly problems: ReadonlyArray<string>
  readonly time: string
}

const place = mkdtempSync(join(tmpdir(), "effect-klaytn-install-"))
const tarballs = await packed(join(place, "published"))
/** What the pages name as `../tarballs/NAME.tgz`. */
await linked(join(place, "tarballs"), tarballs)

/**
 * Type-checks files in an installed project as an application with the strictest settings would, libraries included. With
 * `outDir` they are also compiled, with declarations.
 */
const typeProblems = async (
  dir: string,
  files: ReadonlyArray<string>,
  [tsc = "", ...args]: ReadonlyArray<string>,
  outDir?: string
): Promise<ReadonlyArray<string>> => {
  const compilerOptions = {
    target: "es2022",
    lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
    module: "nodenext",
    moduleDetection: "force",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    ...(outDir === undefined ? { noEmit: true } : { declaration: true, rootDir: ".", outDir }),
    types: existsSync(join(dir, "node_modules/@types/node")) ? ["node"] : [],
    typeRoots: ["node_modules/@types"]
  }
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
  const { code, output } = await run(tsc, args, { cwd: dir })
  return code === 0 ? [] : output.trim().split("\n").map((line) => `types: ${line}`)
}

const namesToInstall = (readme: string): ReadonlyArray<string> =>
  (/^\s*npm (?:install|i) (.+)$/m.exec(readme)?.[1] ?? "").split(/\s+/)
    .map((word) => word.replace(/^\.\.\/tarballs\/([a-z-]+)\.tgz$/, "@effect-klaytn/$1"))
    .filter((word) => /^@?[a-z]/.test(word))

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

/** A program: the first block of a README. */
interface Block {
  readonly name: string
  readonly text: string
}

/** Type-checks blocks in an installed project, all at once. */
const checkBlocks = (
  dir: string,
  blocks: ReadonlyArray<Block>,
  tsc: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  for (const { name, text } of blocks) writeFileSync(join(dir, `${name}.ts`), text)
  return typeProblems(dir, blocks.map(({ name }) => `${name}.ts`), tsc)
}

/** Type-checks blocks, and runs each. */
const tryBlocks = async (dir: string, blocks: ReadonlyArray<Block>): Promise<ReadonlyArray<string>> => {
  const problems = [...await checkBlocks(dir, blocks, compiler(["--pretty", "false"]))]
  for (const { name, text } of blocks) {
    const { outputText } = ts.transpileModule(text, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true }
    })
    writeFileSync(join(dir, `${name}.mjs`), outputText)
    const ran = await run("node", [`${name}.mjs`], { cwd: dir, timeout: 60_000 })
    if (ran.code !== 0) problems.push(`${name} exits ${ran.code}: ${ran.output.trim()}`)
  }
  return problems
}

const readmeOf = (one: Package): string => {
  const file = join(one.dir, "README.md")
  return existsSync(file) ? readFileSync(file, "utf8") : ""
}

const blockOf = (readme: string): string | undefined => /^```ts\b[^\n]*\n([\s\S]*?)^```/m.exec(readme)?.[1]

const ours = (each: Package): readonly [string, string] => [
  each.manifest.name,
  `file:${tarballs.get(each.folder)}`
]

// Code that runs only on Node is type-checked with Node's types.
const nodeTypes = `@types/node@${readJson<Manifest>(join(root, "node_modules/@types/node/package.json")).version}`

const peersOf = ({ manifest }: Package): ReadonlyArray<string> =>
  Object.keys(manifest.peerDependencies ?? {}).filter((name) =>
    manifest.peerDependenciesMeta?.[name]?.optional !== true
  )

/** What a package ships, and what its README tells a newcomer to install and to run first. */
const inspect = async (one: Package) => {
  const problems: Array<string> = []
  const shipped = (await run("tar", ["-tzf", tarballs.get(one.folder) ?? ""])).output.trim().split("\n")
  for (const file of shipped) {
    if (
      !mayShip.test(file) && mayAlsoShip[one.folder]?.test(file) !== true ||
      mayNotShip.test(file.slice("package/".length))
    ) problems.push(`tarball holds ${file}`)
  }
  const readme = readmeOf(one)
  const block = blockOf(readme)
  if (block === undefined) problems.push("README.md has no ts block: it is what a newcomer runs first")
  const named = namesToInstall(readme)
  for (const name of importedBy(block ?? "")) {
    if (!named.some((word) => word === name || word.startsWith(`${name}@`))) {
      problems.push(`README imports ${name}, which its npm install line does not name`)
    }
  }
  return { problems: problems.map((problem) => `${one.folder}: ${problem}`), block }
}

/** The third-party packages that the README of a package tells to install, and Node's types where it is for Node only. */
const thirdParties = (one: Package): ReadonlyArray<string> => {
  const readme = readmeOf(one)
  const others = namesToInstall(readme).filter((name) => !published.some((each) => each.manifest.name === name))
  const needsNode = "@effect/platform-node" in (one.manifest.dependencies ?? {}) ||
    blockOf(readme)?.includes("\"node:") === true
  return needsNode ? [...others, nodeTypes] : others
}

/** Packages whose READMEs name the same third-party packages share one install. */
const groups = new Map<string, Array<Package>>()
for (const one of published) {
  const key = [...thirdParties(one).toSorted(), ...(one.folder in mayNotBring ? [one.folder] : [])].join(" ")
  groups.set(key, [...(groups.get(key) ?? []), one])
}

const prove = async (group: ReadonlyArray<Package>, name: string): Promise<Omit<Outcome, "time">> => {
  const inspected = await Promise.all(group.map(inspect))
  const problems = inspected.flatMap((each) => each.problems)
  const kilobytes = group.reduce(
    (sum, { folder }) => sum + Math.ceil(statSync(tarballs.get(folder) ?? "").size / 1024),
    0
  )
  const named = new Set(group.flatMap((one) => namesToInstall(readmeOf(one))))
  const direct = published.filter((each) => group.includes(each) || named.has(each.manifest.name))
  const overrides = direct.flatMap((each) => closure(each)).filter((each) => !direct.includes(each))
  const dir = join(place, name)
  const installed = await install(
    dir,
    {
      dependencies: Object.fromEntries(direct.map(ours)),
      overrides: Object.fromEntries(overrides.map(ours))
    },
    [...new Set(group.flatMap(thirdParties))],
    [...new Set(group.flatMap(peersOf))],
    mayNotBring[name]
  )
  problems.push(...installed.problems)
  const blocks = group.flatMap(({ folder }, i) => {
    const text = inspected[i]?.block
    return text === undefined ? [] : [{ name: `readme-${folder}`, text }]
  })
  if (installed.count > 0) problems.push(...await tryBlocks(dir, blocks))
  return { name, kilobytes, count: installed.count, problems }
}

/** The lines of a page that install packages of ours, also those of an image, which has the folder in itself. */
const linesOf = (page: string): ReadonlyArray<string> =>
  [...page.replaceAll(/ *\\\n */g, " ").matchAll(/^(?:RUN .*&& )?(npm (?:install|i) .*\/tarballs\/.*)$/gm)]
    .map(([, line = ""]) => line.replaceAll(" ./tarballs/", " ../tarballs/"))

const quietly = { npm_config_ignore_scripts: "true", npm_config_audit: "false", npm_config_prefer_offline: "true" }

/** Types lines beside the folder of tarballs, one after the other. */
const type = async (dir: string, lines: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const problems: Array<string> = []
  for (const line of lines) {
    const { code, output } = await run("bash", ["-c", line], { cwd: dir, env: quietly, timeout: 240_000 })
    if (code !== 0 || output.includes("seems to be corrupted")) problems.push(`${line}: ${output.trim()}`)
  }
  if (problems.length > 0) return problems
  const { packages } = readJson<Installed>(join(dir, "node_modules/.package-lock.json"))
  return Object.entries(packages)
    .filter(([path, { resolved }]) =>
      path.includes("node_modules/@effect-klaytn/") && resolved?.startsWith("file:") !== true
    )
    .map(([path]) => `${path} is not from a file`)
}

/** The types that a page names for programs in TypeScript. */
const typesNamed = (page: string): ReadonlyArray<string> | undefined =>
  /^npm i -D (.*@types\/.*)$/m.exec(page)?.[1]?.split(/\s+/).filter((word) => word.startsWith("@types/"))

/** A page as a newcomer has it: its lines, typed beside the folder of tarballs, and the first block if it is the README of a package. */
const proveTyped = (name: string, page: string, one?: Package) => async (): Promise<Omit<Outcome, "time">> => {
  const dir = join(place, `typed-${name.replaceAll("/", "-")}`)
  mkdirSync(dir)
  writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true, type: "module" }))
  const [first = "false", ...others] = linesOf(page)
  const problems = [...await type(dir, [first])]
  if (one !== undefined && problems.length === 0) {
    const types = typesNamed(page) ?? thirdParties(one).filter((word) => word === nodeTypes)
    if (types.length > 0) await run("npm", ["install", ...types], { cwd: dir, env: quietly })
    problems.push(...await tryBlocks(dir, [{ name: "readme", text: blockOf(page) ?? "" }]))
    // The whole of it needs more types than its modules, which the blocks of READMEs import one by one.
    if (page.includes(" @effect/platform-node@0")) {
      const whole = {
        name: "platformNode",
        text: "import { NodeContext } from \"@effect/platform-node\"\nvoid NodeContext\n"
      }
      problems.push(...await checkBlocks(dir, [whole], compiler(["--pretty", "false"])))
    }
  }
  if (others.length > 0 && problems.length === 0) problems.push(...await type(dir, others))
  return { name: `typed:${name}`, kilobytes: 0, count: 0, problems }
}

/** Every page that tells how packages are had. */
const installing = [
  ...published.map((one) => ({ name: one.folder, page: readmeOf(one), one })),
  ...["README.md", "docs/install.md", ...readdirSync(join(root, "docs/guides")).map((name) => `docs/guides/${name}`)]
    .map((name) => ({ name: name.replace(".md", ""), page: readFileSync(join(root, name), "utf8"), one: undefined }))
    .filter(({ page }) => linesOf(page).length > 0)
]

/** History, by the README's line without the versions that it names: npm adds the peers that it needs. */
const proveEmptyFolder = async (): Promise<Omit<Outcome, "time">> => {
  const used = published.filter(({ folder }) => ["core", "history"].includes(folder))
  const dir = join(place, "empty")
  const { count, problems } = await install(
    dir,
    { dependencies: Object.fromEntries(used.map(ours)) },
    [],
    ["effect", "@effect/platform", ...used.map(({ manifest }) => manifest.name)]
  )
  const block = used.map(readmeOf).map(blockOf)[1] ?? ""
  const tried = count === 0 ? [] : await tryBlocks(dir, [{ name: "readme", text: block }])
  return { name: "empty", kilobytes: 0, count, problems: [...problems, ...tried] }
}

/** An application that has Effect 4 is told by npm which line these packages need, in the words that docs/versions.md shows. */
const proveEffect4 = async (): Promise<Omit<Outcome, "time">> => {
  const dir = join(place, "effect4")
  mkdirSync(dir)
  writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true, dependencies: { effect: "^4.1.0" } }))
  const npm = (...names: ReadonlyArray<string>) =>
    run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", ...names], {
      cwd: dir,
      timeout: 240_000
    })
  const first = await npm()
  const second = await npm(tarballs.get("core") ?? "")
  const problems = first.code === 0 ? [] : [`npm install failed: ${first.output.trim()}`]
  if (second.code === 0) problems.push("core was installed beside Effect 4")
  const shown = /```text\n(npm error code ERESOLVE[\s\S]*?)```/.exec(
    readFileSync(join(root, "docs/versions.md"), "utf8")
  )?.[1]
  const lines = shown?.trim().split("\n") ?? []
  if (lines.length === 0) problems.push("docs/versions.md shows no message of npm")
  // The page shows versions as they were; npm names today's.
  const plain = (text: string): string => text.replaceAll(/@"?[~^]?\d[\w.]*"?/g, "@").replaceAll(/\s+/g, " ")
  for (const line of lines.filter((line) => !plain(second.output).includes(plain(line).trim()))) {
    problems.push(`docs/versions.md shows "${line}", which npm does not say: ${second.output.trim()}`)
  }
  return { name: "effect4", kilobytes: 0, count: 0, problems }
}

/** What the sandbox serves from files of its package. */
const pages = `
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Effect from "effect/Effect"
const paths = ["/", "/explorer/style.css", "/api", "/api/api.js", "/openapi.json"]
const statuses = Effect.flatMap(Sandbox.make(), ({ url }) =>
  Effect.promise(() => Promise.all(paths.map((path) => fetch(url + path).then(({ status }) => status)))))
console.log((await Effect.runPromise(Effect.scoped(statuses))).join(" "))
`

/** The sandbox and its command find the files that are published beside their code. */
const tryPages = async (dir: string): Promise<ReadonlyArray<string>> => {
  writeFileSync(join(dir, "pages.mjs"), pages)
  const served = await run("node", ["pages.mjs"], { cwd: dir, timeout: 60_000 })
  const command = join("node_modules", ".bin", "effect-klaytn-sandbox")
  const printed = await run(command, ["openapi", "--service", "node"], { cwd: dir, timeout: 60_000 })
  return [
    ...(served.output.trim() === "200 200 200 200 200" ? [] : [`sandbox: its pages: ${served.output.trim()}`]),
    ...(printed.code === 0 && printed.output.includes("callNode") ? [] : [`sandbox: openapi: ${printed.output.trim()}`])
  ]
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
  const blocks = published.map((one) => ({ name: `readme-${one.folder}`, text: blockOf(readmeOf(one)) ?? "" }))
    .filter(({ text }) => importedBy(text).every((name) => own.includes(name) || peers.has(name)))
  // With TypeScript 5.9, the other projects with 7, which run the blocks.
  const tried = count === 0
    ? []
    : [...await checkBlocks(dir, blocks, ["tsc", "--pretty", "false"]), ...await tryPages(dir)]
  // The command finds the sandbox beside it.
  const called = count === 0
    ? { code: 0, output: "1001" }
    : await run("node_modules/.bin/klaytn", ["call", "klay_chainID", "--sandbox"], { cwd: dir, timeout: 60_000 })
  const sandbox = called.code === 0 && called.output.trim() === "1001"
    ? []
    : [`cli: --sandbox: ${called.output.trim()}`]
  return { name: "together", kilobytes: 0, count, problems: [...problems, ...tried, ...sandbox] }
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
  const problems = [...made.problems, ...await typeProblems(dir, ["index.ts"], compiler(["--pretty", "false"]), "dist")]
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
  const pack = await run("npm", ["pack", "--ignore-scripts", "--pack-destination", place], {
    cwd: dir
  })
  if (pack.code !== 0) return outcome(0, [...problems, `npm pack failed: ${pack.output.trim()}`])
  const user = join(place, "application")
  const installed = await install(
    user,
    {
      dependencies: { library: "file:../library-1.0.0.tgz", ...peers },
      overrides: Object.fromEntries(used.map(ours))
    },
    [],
    ["library", "effect", ...used.map(({ manifest }) => manifest.name)]
  )
  problems.push(...installed.problems)
  if (installed.count > 0) problems.push(...await tryBlocks(user, [{ name: "application", text: application }]))
  return outcome(installed.count, problems)
}

/** The sandbox under other test runners, as docs/guides/test-runners.md shows them. */
const proveRunners = async (): Promise<Omit<Outcome, "time">> => {
  const sandbox = published.filter(({ folder }) => folder === "sandbox")
  const dir = join(place, "runners")
  const { count, problems } = await install(
    dir,
    {
      dependencies: Object.fromEntries(sandbox.map(ours)),
      overrides: Object.fromEntries(sandbox.flatMap(closure).filter((each) => !sandbox.includes(each)).map(ours))
    },
    runnerPackages,
    []
  )
  return {
    name: "runners",
    kilobytes: 0,
    count,
    problems: count === 0 ? problems : [...problems, ...await tryRunners(dir)]
  }
}

// Those that take longest come first.
const jobs = new Map([
  ["runners", proveRunners],
  ["together", proveTogether],
  ["library", proveThroughLibrary],
  ...[...groups.values()].toSorted((a, b) => b.length - a.length).map((group) => {
    const name = group.map(({ folder }) => folder).join("+")
    return [name, () => prove(group, name)] as const
  }),
  ["empty", proveEmptyFolder],
  ["effect4", proveEffect4],
  ...installing.map(({ name, one, page }) => [`typed:${name}`, proveTyped(name, page, one)] as const)
])
/** The lines of some pages, others each day. */
const isToday = (name: string): boolean =>
  installing.findIndex((page) => `typed:${page.name}` === name) % 7 === new Date().getUTCDay()
const wanted = process.argv.length > 2
  ? process.argv.slice(2)
  : [...jobs.keys()].filter((name) => !name.startsWith("typed:") || isToday(name))
const outcomes = await inParallel(wanted, 2, async (name): Promise<Outcome> => {
  const since = performance.now()
  const job = jobs.get(name) ??
    (async () => ({ name, kilobytes: 0, count: 0, problems: [`expected one of ${[...jobs.keys()].join(", ")}`] }))
  return { ...(await job()), time: seconds(since) }
})

const row = (...cells: ReadonlyArray<string>) =>
  cells.map((cell, i) => i === 0 ? cell.padEnd(34) : cell.padStart(12)).join("")
console.log(row("package", "tarball", "installed", "time", "result"))
for (const { count, kilobytes, name, problems, time } of outcomes) {
  console.log(row(name, `${kilobytes} kB`, `${count}`, time, problems.length === 0 ? "ok" : "FAILED"))
}
for (const { name, problems } of outcomes) for (const problem of problems) console.log(`${name}: ${problem}`)
rmSync(place, { recursive: true })
process.exit(outcomes.every((one) => one.problems.length === 0) ? 0 : 1)
