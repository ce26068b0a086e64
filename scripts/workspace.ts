/** The packages of this workspace, and the two ways in which the scripts run other programs. */
import { spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism, loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "")

type Versions = Readonly<Record<string, string>>

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly dependencies?: Versions
  readonly devDependencies?: Versions
  readonly peerDependencies?: Versions
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

export interface Package {
  /** The folder's name in packages/. */
  readonly folder: string
  readonly dir: string
  readonly manifest: Manifest
  /** Folders of the workspace packages that it depends on at run time. */
  readonly needs: ReadonlyArray<string>
}

const scope = "@effect-klaytn/"

/** Reads a file whose shape its writer guarantees: the one place where the scripts trust what they read. */
export const readJson = <T>(file: string): T => JSON.parse(readFileSync(file, "utf8")) as T

/** Every package, in alphabetical order. */
export const packages: ReadonlyArray<Package> = readdirSync(join(root, "packages"))
  .filter((folder) => existsSync(join(root, "packages", folder, "package.json")))
  .map((folder) => {
    const dir = join(root, "packages", folder)
    const manifest = readJson<Manifest>(join(dir, "package.json"))
    const needs = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
      .filter((name) => name.startsWith(scope))
      .map((name) => name.slice(scope.length))
    return { folder, dir, manifest, needs }
  })

/** The packages that go to the registry. */
export const published = packages.filter((one) => one.manifest.private !== true)

/** The workspace packages that a package needs, directly and indirectly. */
export const closure = (one: Package): ReadonlyArray<Package> => {
  const found = new Set<Package>()
  const visit = (folder: string): void => {
    const next = packages.find((candidate) => candidate.folder === folder)
    if (next === undefined || found.has(next)) return
    found.add(next)
    next.needs.forEach(visit)
  }
  one.needs.forEach(visit)
  return [...found]
}

/** Files below a folder with the given ending, without installed or built ones. */
export const filesBelow = (dir: string, ending: string): ReadonlyArray<string> =>
  !existsSync(dir) ? [] : readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) {
      return ["node_modules", "dist", "build"].includes(entry.name) ? [] : filesBelow(path, ending)
    }
    return entry.name.endsWith(ending) ? [path] : []
  }).sort()

export interface Ran {
  readonly code: number
  readonly output: string
}

/** A number of things, the word in the plural unless it is one. */
export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`

/** What a machine has to do: how many programs wait for how many processors. */
const load = (): string => `${loadavg()[0]?.toFixed(1)} programs wanted its ${availableParallelism()} processors`

const stopped = (signal: string, timeout: number | undefined): string =>
  timeout === undefined || signal !== "SIGKILL"
    ? `stopped by ${signal}`
    : `stopped: it took longer than ${timeout / 1000} s, its limit here. It hangs, or the machine is busy: ${load()}`

/** Runs a program without a shell and captures its output. A program that can't start has exit code 127. */
export const run = (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>>; readonly timeout?: number } = {}
): Promise<Ran> =>
  new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: options.timeout,
      killSignal: "SIGKILL"
    })
    let output = ""
    const keep = (chunk: Buffer): void => {
      output += chunk.toString("utf8")
    }
    child.stdout.on("data", keep)
    child.stderr.on("data", keep)
    child.on("error", (error) => resolve({ code: 127, output: `${output}${error.message}` }))
    child.on("close", (code, signal) =>
      resolve({ code: code ?? 1, output: signal === null ? output : `${output}\n${stopped(signal, options.timeout)}` }))
  })

/** Runs `use` over all items, at most `width` at a time, results in the order of the items. */
export const inParallel = async <A, B>(
  items: ReadonlyArray<A>,
  width: number,
  use: (item: A) => Promise<B>
): Promise<ReadonlyArray<B>> => {
  const results: Array<B> = []
  const queue = [...items.entries()]
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      results[next[0]] = await use(next[1])
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  return results
}

export const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`

const tarballsIn = (folder: string): ReadonlyMap<string, string> =>
  new Map(published.map((one) => [one.folder, join(folder, `effect-klaytn-${one.folder}-${one.manifest.version}.tgz`)]))

/** Builds and packs every published package with pnpm, which rewrites versions and exports. Returns the tarballs by folder. */
export const packAll = async (into: string): Promise<ReadonlyMap<string, string>> => {
  const built = await run("tsx", ["scripts/build.ts"])
  if (built.code !== 0) throw new Error(`the build failed:\n${built.output}`)
  mkdirSync(into, { recursive: true })
  const filters = published.flatMap(({ manifest }) => ["--filter", manifest.name])
  const packed = await run("pnpm", ["--recursive", ...filters, "pack", "--pack-destination", into])
  if (packed.code !== 0) throw new Error(`pnpm pack failed:\n${packed.output}`)
  return tarballsIn(into)
}

/** The tarballs of `TARBALLS`, a folder that `pnpm tarballs --registry` filled, or else packs them. Returns them by folder. */
export const packed = async (into: string): Promise<ReadonlyMap<string, string>> => {
  const folder = process.env["TARBALLS"]
  return folder === undefined ? packAll(into) : tarballsIn(folder)
}

/** The packages of ours among dependencies, as files beside the manifest. */
const asFiles = (versions: ReadonlyArray<string>): Versions =>
  Object.fromEntries(
    versions.filter((name) => name.startsWith(scope)).map((name) => [name, `file:./${name.slice(scope.length)}.tgz`])
  )

/**
 * What a manifest depends on, our packages as files beside it. Those that are peers are dependencies here: of a peer that is a file, npm
 * says that its `tarball data seems to be corrupted`. There is one copy of each all the same. Optional ones are for who installs them.
 */
const onFiles = ({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }: Manifest) => {
  const others = Object.entries(peerDependencies).filter(([name]) => !name.startsWith(scope))
  const needed = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true)
  return {
    dependencies: { ...dependencies, ...asFiles([...Object.keys(dependencies), ...needed]) },
    peerDependencies: Object.fromEntries(others),
    peerDependenciesMeta: Object.fromEntries(
      Object.entries(peerDependenciesMeta).filter(([name]) => !name.startsWith(scope))
    )
  }
}

/**
 * Makes of each published tarball one that needs no registry for our packages: `NAME.tgz`, which depends on the files beside
 * it. npm looks for such a file in the folder of the tarball that names it.
 */
export const linked = async (
  into: string,
  tarballs?: ReadonlyMap<string, string>
): Promise<ReadonlyMap<string, string>> => {
  const place = mkdtempSync(join(tmpdir(), "effect-klaytn-tarballs-"))
  try {
    const made = tarballs ?? await packAll(place)
    mkdirSync(into, { recursive: true })
    const files = await inParallel(published, 2, async ({ folder }) => {
      const dir = join(place, folder)
      mkdirSync(dir)
      const file = join(dir, "package/package.json")
      const unpacked = await run("tar", ["-xzf", made.get(folder) ?? "", "-C", dir])
      if (unpacked.code !== 0) throw new Error(`${folder} can't be unpacked: ${unpacked.output}`)
      const manifest = readJson<Manifest>(file)
      writeFileSync(file, JSON.stringify({ ...manifest, ...onFiles(manifest) }, null, 2))
      const packed = await run("tar", ["-czf", join(dir, "packed.tgz"), "-C", dir, "package"])
      if (packed.code !== 0) throw new Error(`${folder} can't be packed: ${packed.output}`)
      const target = join(into, `${folder}.tgz`)
      cpSync(join(dir, "packed.tgz"), target)
      return [folder, target] as const
    })
    return new Map(files)
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}
