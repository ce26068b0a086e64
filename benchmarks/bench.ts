/**
 * Compares the SDK with its peers: `npx -y pnpm@10.34.9 bench`. Prints one JSON line for each figure; README.md explains
 * them. It writes the figures to `figures.json` and `FIGURES.md`; with the names of groups, it replaces theirs. All is
 * bundled first: run from source, each function of ours, and only ours, would be wrapped to keep its name.
 */
import { build } from "esbuild"
import { spawn } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { join } from "node:path"
import { bundleProgram } from "../scripts/bundleProgram.js"
import { readJson } from "../scripts/workspace.js"
import { listPeers } from "./listPeers.js"
import { loading } from "./loading/loading.js"
import { type Figure, type Made, page } from "./page.js"
import { programs } from "./programs.js"

const root = join(import.meta.dirname, "..")
const isQuick = process.argv.includes("--quick")
const groups = process.argv.slice(2).filter((word) => !word.startsWith("--"))
/** `stored --rows=1000,100000` for some sizes: a million takes minutes. */
const sizes = process.argv.find((word) => word.startsWith("--rows="))?.slice("--rows=".length).split(",").map(Number)
const isWanted = (group: string): boolean => groups.length === 0 || groups.includes(group)

const figures: Array<Figure> = []

const isKept = groups.length === 0 || !isQuick
const file = join(import.meta.dirname, "figures.json")
const earlier = groups.length > 0 && existsSync(file) ? readJson<Made>(file).figures : []

/** Figures of these groups that differ in a field are kept beside each other. */
const parts: Readonly<Record<string, ReadonlyArray<string>>> = {
  stored: ["rows"],
  programs: ["pages", "entry"],
  loading: ["program"],
  sync: ["side"]
}

/** Writes what there is until now: groups take minutes, and the figures of one that is stopped are not lost. */
const save = (): void => {
  const isNew = (old: Figure): boolean =>
    figures.some((one) =>
      one.group === old.group && one["figure"] === old["figure"] &&
      (parts[one.group] ?? []).every((name) => one[name] === old[name])
    )
  const made: Made = {
    made: new Date().toISOString().slice(0, 10),
    quick: isQuick,
    node: process.version,
    machine: `${cpus().length} cores, ${cpus()[0]?.model.trim()}`,
    figures: [...earlier.filter((old) => !isNew(old)), ...figures]
  }
  writeFileSync(file, `${JSON.stringify(made, null, 1)}\n`)
  writeFileSync(join(import.meta.dirname, "FIGURES.md"), page(made))
}

const tell = (group: string) => (figure: object): void => {
  const made = { group, ...figure }
  figures.push(made)
  process.stdout.write(`${JSON.stringify(made)}\n`)
  if (isKept) save()
}

/** One figure of those that were measured with one peer each. What the SDK did is that of the first. */
const joined = (parts: ReadonlyArray<object>): object =>
  parts.reduceRight((all, part) => {
    const fields = Object.entries(part).map(([name, value]) => {
      const others: unknown = Object.entries(all).find(([other]) => other === name)?.[1]
      const isRecord = typeof value === "object" && value !== null && typeof others === "object"
      return [name, isRecord ? { ...others, ...value } : value] as const
    })
    return Object.fromEntries(fields)
  }, {})

/** Runs a program and passes on what it prints, a figure on each line. */
const run = (
  take: (figure: object) => void,
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NODE_NO_WARNINGS: "1", ...env }
    })
    let rest = ""
    const line = (text: string): void => {
      if (text.startsWith("{")) take(JSON.parse(text))
    }
    child.stdout.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split("\n")
      rest = lines.pop() ?? ""
      lines.forEach(line)
    })
    child.once("error", reject)
    child.once("close", (code) => {
      line(rest)
      if (code === 0) resolve()
      else reject(new Error(`${command} ${args.join(" ")} ended with ${code}`))
    })
  })

const compared = ["reader", "history", "tokens", "node"].filter(isWanted)
const comparesLists = isWanted("lists")
const needsPeers = compared.length > 0 || comparesLists || isWanted("programs")
if (needsPeers && !existsSync(join(root, "interop/node_modules/caver-js-ext-kas"))) {
  await run(tell(""), "pnpm", ["--dir", "interop", "install", "--ignore-scripts"])
}

if (compared.length > 0 || comparesLists) {
  const outfile = join(import.meta.dirname, "run.bundle.mjs")
  await build({
    absWorkingDir: import.meta.dirname,
    entryPoints: ["run.ts"],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: {
      js: "import { createRequire as require$ } from \"node:module\"\nconst require = require$(import.meta.url)"
    },
    logLevel: "warning"
  })
  const quick = isQuick ? ["--quick"] : []
  if (compared.length > 0) await run(tell("compared"), process.execPath, [outfile, ...compared, ...quick])
  if (comparesLists) {
    const parts: Array<object> = []
    for (const peer of listPeers) {
      await run((part) => parts.push(part), process.execPath, [outfile, "lists", `--peer=${peer}`, ...quick])
    }
    tell("compared")(joined(parts))
    await run(tell("compared"), process.execPath, [outfile, "lists", "--limited", ...quick])
  }
}
if (isWanted("programs") || isWanted("loading")) await run(tell(""), "tsx", ["scripts/build.ts"])
if (isWanted("programs")) await programs(tell("programs"))
if (isWanted("loading")) await loading(tell("loading"))
if (isWanted("windows")) {
  const script = await bundleProgram(new URL("../packages/exports/bench/run.ts", import.meta.url))
  await run(tell("windows"), process.execPath, [script, "windows", "--transfers", isQuick ? "2000" : "20000"], {
    BENCH_SERVER: await bundleProgram(new URL("../packages/exports/bench/serve.ts", import.meta.url))
  })
}
if (isWanted("stored")) {
  const script = await bundleProgram(new URL("../packages/sandbox/bench/pages.ts", import.meta.url))
  for (const rows of isQuick ? [1, 10_000] : sizes ?? [1, 1_000, 100_000, 1_000_000]) {
    await run(tell("stored"), process.execPath, [script, String(rows)])
  }
}

if (isWanted("index")) {
  const script = await bundleProgram(new URL("../packages/indexer/bench/run.ts", import.meta.url))
  const benches = isQuick
    ? [["backfill", "--blocks", "50", "--runs", "1"], ["live", "--blocks", "2"], ["pages", "--transfers", "3200"], [
      "postgres",
      "--blocks",
      "300"
    ]]
    : [["backfill"], ["postgres"], ["live"], ["pages"], ["large"], ["large", "--transfers", "10000000"]]
  for (const args of benches) await run(tell("index"), process.execPath, [script, ...args])
}

if (isWanted("custody")) {
  const quick = isQuick ? ["--sends", "20", "--runs", "1", "--accounts", "3000"] : []
  await run(tell("custody"), "tsx", ["packages/gateway/bench/custody.ts", ...quick])
}

if (isWanted("sync")) {
  const options = process.argv.slice(2).filter((word) => /^--(?:blocks|runs|sides|profile|keep)=|^--floor$/.test(word))
  const quick = isQuick ? ["--blocks=200", "--runs=1"] : []
  await run(tell("sync"), "tsx", ["packages/gateway/bench/sync/sync.ts", ...quick, ...options])
}

if (isKept) await run(tell(""), "dprint", ["fmt", "benchmarks/FIGURES.md", "benchmarks/figures.json"])
