/**
 * What programs load at their start and do not use, by package: bytes, by V8's counts of calls, and the time of evaluating
 * modules. Nothing is minified, so that the modules of a bundle can be told apart. Needs `pnpm build`. With `--modules`, `bench
 * loading` says the same of each module.
 */
import { build } from "esbuild"
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { readJson } from "../../scripts/workspace.js"
import type { Ready } from "../Ready.js"
import { serving } from "../serving.js"
import { packageOf, partsOf } from "./modules.js"
import { installBuilt } from "./published.js"

interface Program {
  readonly name: string
  readonly args: ReadonlyArray<string>
  /** Servers are stopped once they have written what this finds. */
  readonly until?: RegExp
  readonly env?: Readonly<Record<string, string>>
}

/** What coverage says of a file: functions with the ranges in them, by number of calls, outer ones first. */
interface Coverage {
  readonly result: ReadonlyArray<{
    readonly url: string
    readonly functions: ReadonlyArray<{
      readonly ranges: ReadonlyArray<
        { readonly startOffset: number; readonly endOffset: number; readonly count: number }
      >
    }>
  }>
}

interface Size {
  bytes: number
  unused: number
}

const isQuick = process.argv.includes("--quick")
const nameOf = process.argv.includes("--modules") ? (module: string): string => module : packageOf

/** Runs a program to its end, or to what it writes when it has started. */
const run = (
  { args, env, name, until }: Program,
  before: ReadonlyArray<string>,
  more: NodeJS.ProcessEnv
): Promise<void> =>
  new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(process.execPath, [...before, ...args], {
      env: { ...process.env, NODE_NO_WARNINGS: "1", ...env, ...more },
      stdio: ["ignore", "pipe", "inherit"]
    })
    let text = ""
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString()
      if (until?.test(text) === true) child.kill("SIGTERM")
    })
    child.once("error", reject)
    child.once("close", (code) => {
      if (code === 0 || until?.test(text) === true) resolve()
      else reject(new Error(`${name} ended with ${code}: ${text}`))
    })
  })

/** Bytes of each part of a file that no call reached. */
const unusedOf = (source: string, { functions }: Coverage["result"][number]): Uint8Array => {
  const isUnused = new Uint8Array(source.length)
  const ranges = functions.flatMap((one) => one.ranges)
  // An inner range replaces what an outer one says.
  const outerFirst = ranges.toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)
  for (const { count, endOffset, startOffset } of outerFirst) isUnused.fill(count === 0 ? 1 : 0, startOffset, endOffset)
  return isUnused
}

const sizesOf = async (program: Program, folder: string): Promise<ReadonlyMap<string, Size>> => {
  const place = mkdtempSync(join(folder, "coverage-"))
  await run(program, [], { NODE_V8_COVERAGE: place })
  const sizes = new Map<string, Size>()
  for (const file of readdirSync(place)) {
    for (const one of readJson<Coverage>(join(place, file)).result) {
      if (!one.url.startsWith("file:")) continue
      const source = readFileSync(fileURLToPath(one.url), "utf8")
      const isUnused = unusedOf(source, one)
      for (const { from, module, to } of partsOf(one.url, source)) {
        const size = sizes.get(nameOf(module)) ?? { bytes: 0, unused: 0 }
        size.bytes += to - from
        size.unused += isUnused.subarray(from, to).reduce((sum, unused) => sum + unused, 0)
        sizes.set(nameOf(module), size)
      }
    }
  }
  return sizes
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const timesOf = async (program: Program, folder: string, preload: string, hooks: string) => {
  const runs: Array<ReadonlyMap<string, number>> = []
  for (let i = 0; i < (isQuick ? 1 : 11); i++) {
    const file = join(folder, "milliseconds.json")
    await run(program, ["--import", preload], { LOADING_FILE: file, LOADING_HOOKS: pathToFileURL(hooks).href })
    const times = new Map<string, number>()
    for (const [module, time] of Object.entries(readJson<Record<string, number>>(file))) {
      times.set(nameOf(module), (times.get(nameOf(module)) ?? 0) + time)
    }
    runs.push(times)
  }
  return (name: string): number => median(runs.map((times) => times.get(name) ?? 0))
}

const programsIn = async (folder: string, ready: Ready): Promise<ReadonlyArray<Program>> => {
  const env = { NODE_NO_WARNINGS: "1", GUARD_SERVER: JSON.stringify(ready) }
  const shared = {
    absWorkingDir: folder,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error"
  } as const
  // The program without our packages, which are then found where they are installed.
  const unbundled = join(folder, "firstPage.mjs")
  const entry = join(import.meta.dirname, "../guard/firstPage.ts")
  await build({ ...shared, entryPoints: [entry], bundle: true, packages: "external", outfile: unbundled })
  const bundled = join(folder, "bundled.mjs")
  await build({ ...shared, entryPoints: [unbundled], bundle: true, outfile: bundled })
  const klaytn = join(folder, "node_modules/@effect-klaytn/cli/dist/bin.mjs")
  const node = {
    KLAYTN_OWN_NODE_URL: `${ready.url}/v1/klaytn`,
    KLAYTN_OWN_NODE_AUTHORIZATION: `Basic ${btoa(`${ready.accessKeyId}:${ready.secretAccessKey}`)}`
  }
  const gateway = ["gateway", "--db", join(folder, "index.db"), "--no-credential", "--port", "0", "--json"]
  return [
    { name: "first page, bundled", args: [bundled], env },
    { name: "first page", args: [unbundled], env },
    { name: "klaytn --help", args: [klaytn, "--help"] },
    { name: "klaytn sandbox", args: [klaytn, "sandbox", "--port", "0", "--json"], until: /\n/ },
    { name: "klaytn gateway", args: [klaytn, ...gateway], env: node, until: /\n/ }
  ]
}

const bundled = async (module: URL, folder: string): Promise<string> => {
  const entry = fileURLToPath(module)
  const outfile = join(folder, `${basename(entry, ".ts")}.mjs`)
  await build({ entryPoints: [entry], bundle: true, platform: "node", format: "esm", outfile, logLevel: "error" })
  return outfile
}

/** Tells the figures of all programs, which call a server that runs. */
const loadingFrom = async (ready: Ready, tell: (figure: object) => void): Promise<void> => {
  const folder = mkdtempSync(join(import.meta.dirname, "../node_modules/.loading-"))
  try {
    await installBuilt(folder)
    const preload = await bundled(new URL("preload.ts", import.meta.url), folder)
    const hooks = await bundled(new URL("marking.ts", import.meta.url), folder)
    for (const program of await programsIn(folder, ready)) {
      const sizes = await sizesOf(program, folder)
      const time = await timesOf(program, folder, preload, hooks)
      for (const [of, { bytes, unused }] of [...sizes].toSorted(([, a], [, b]) => b.unused - a.unused)) {
        tell({
          figure: "loaded at start",
          program: program.name,
          package: of,
          kilobytes: Math.round(bytes / 1000),
          unused: Math.round(unused / 1000),
          milliseconds: Number(time(of).toFixed(1))
        })
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Tells the figures of all programs. */
export const loading = async (tell: (figure: object) => void): Promise<void> => {
  const [server, ready] = await serving()
  server.removeAllListeners("exit")
  try {
    await loadingFrom(ready, tell)
  } finally {
    server.kill()
  }
}
