/**
 * Lists what an installation of each package brings: its own and its peers' production dependencies, with versions and
 * licences, and what its command was bundled from. `npx tsx scripts/dependencies.ts` writes DEPENDENCIES.md from the installed
 * packages and the built commands; `check:packages` compares it, so that it changes only when somebody means it.
 */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type Package, published, readJson, root } from "./workspace.js"

interface Installed {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** Licences that let anybody use, change and pass on what is under them; MPL-2.0 asks for changes of its own files only. */
const permissive = new Set([
  "MIT",
  "ISC",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "MPL-2.0",
  "CC0-1.0",
  "Unlicense",
  "BlueOak-1.0.0"
])

/** The folder of a dependency as Node finds it. */
const findFrom = (dir: string, name: string): string | undefined => {
  for (let at = dir; at !== dirname(at); at = dirname(at)) {
    const found = join(at, "node_modules", name)
    if (existsSync(join(found, "package.json"))) return found
  }
  return undefined
}

const needsOf = (
  { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }: Installed
): ReadonlyArray<string> =>
  [...new Set([...Object.keys(dependencies), ...Object.keys(peerDependencies)])]
    .filter((name) => peerDependenciesMeta[name]?.optional !== true)

/** Bytes of the files below a folder, without what is installed there. */
const bytesOf = (dir: string): number =>
  readdirSync(dir, { withFileTypes: true }).reduce((sum, entry) => {
    if (entry.name === "node_modules" || entry.isSymbolicLink()) return sum
    const path = join(dir, entry.name)
    return sum + (entry.isDirectory() ? bytesOf(path) : statSync(path).size)
  }, 0)

interface Reached {
  readonly license: string
  readonly dir: string
}

/** All that a package needs, by name and version; its own family is not listed. */
const reachedFrom = (dir: string): ReadonlyMap<string, Reached> => {
  const found = new Map<string, Reached>()
  const seen = new Set<string>()
  const visit = (at: string): void => {
    if (seen.has(at)) return
    seen.add(at)
    const manifest = readJson<Installed>(join(at, "package.json"))
    if (!manifest.name.startsWith("@effect-klaytn/")) {
      found.set(`${manifest.name} ${manifest.version}`, { license: manifest.license ?? "none", dir: at })
    }
    for (const name of needsOf(manifest)) {
      // The real path: pnpm puts what a package needs beside it.
      const next = findFrom(at, name)
      if (next !== undefined) visit(realpathSync(next))
      // Binaries for other systems are not installed.
      else if (manifest.dependencies?.[name] !== undefined) {
        throw new Error(`${manifest.name} needs ${name}: not installed`)
      }
    }
  }
  visit(dir)
  return found
}

const megabytes = (bytes: number): string => bytes < 1e6 ? "under 1" : (bytes / 1e6).toFixed(0)

/** What an installation weighs: all of it, and the largest parts. */
const weightOf = (name: string, dir: string): string => {
  const parts = [...reachedFrom(dir)].map(([part, reached]) => ({
    part: part.split(" ")[0] ?? "",
    bytes: bytesOf(reached.dir)
  }))
    .toSorted((a, b) => b.bytes - a.bytes)
  const all = parts.reduce((sum, { bytes }) => sum + bytes, 0)
  const largest = parts.slice(0, 4).filter(({ bytes }) => bytes >= 1e6).map(({ bytes, part }) =>
    `${part} ${megabytes(bytes)}`
  )
  return `| ${name} | ${parts.length} | ${megabytes(all)} | ${largest.join(", ")} |`
}

const others = join(root, "docs")

/** The weight of each package beside that of other libraries. Binaries for this platform count, so it differs elsewhere. */
const weights = (): string =>
  [
    "## Weight",
    "",
    "What each brings from the registry, in megabytes on disk (Linux, x64); packages of one program share what they have in common. Those that open SQLite also bring the binary of libsql (19 on Linux). " +
    "The last rows are other libraries.",
    "",
    "| Package | Packages | MB | The largest |",
    "| --- | --: | --: | --- |",
    ...published.map(({ dir, manifest }) => weightOf(manifest.name, dir)),
    ...["viem", "ethers"].flatMap((name) => {
      const dir = findFrom(others, name)
      return dir === undefined ? [] : [weightOf(name, realpathSync(dir))]
    })
  ].join("\n")

/** The notice at the end of a bundled command. */
const bundledIn = ({ dir }: Package): ReadonlyMap<string, string> => {
  const file = join(dir, "dist/bin.mjs")
  if (!existsSync(file)) return new Map()
  const [, notice = ""] = readFileSync(file, "utf8").split("/* This file contains, besides its own code:")
  return new Map(
    [...notice.matchAll(/^ \* (\S+ \S+) \((.+)\)$/gm)]
      .map(([, name = "", licence = ""]) => [name, licence] as const)
      .filter(([name]) => !name.startsWith("@effect-klaytn/"))
  )
}

const table = (found: ReadonlyMap<string, string>): string =>
  found.size === 0
    ? "Nothing."
    : [
      "| Package | Licence |",
      "| --- | --- |",
      ...[...found].sort().map(([name, licence]) => `| ${name} | ${licence} |`)
    ]
      .join("\n")

/** The whole page. */
export const page = (): string =>
  [
    "# Dependencies",
    "What an installation of each package brings: dependencies and peers, with theirs, but not what is optional. A command is " +
    "bundled, and its tarball contains what is listed for it. Generated by `npx tsx scripts/dependencies.ts` after a build; " +
    "`check:packages` compares it.",
    weights(),
    ...published.flatMap((one) => {
      const bundled = bundledIn(one)
      return [
        `## ${one.manifest.name}`,
        table(new Map([...reachedFrom(one.dir)].map(([name, { license }]) => [name, license]))),
        ...(bundled.size === 0 ? [] : ["Bundled into its command:", table(bundled)])
      ]
    })
  ].join("\n\n") + "\n"

/** Without the weights, which differ by platform. */
const squeezed = (text: string): string =>
  text.replace(/^## Weight[\s\S]*?(?=^## @)/m, "").replace(/ +/g, " ").replace(/-{3,}/g, "---")

/** What differs from DEPENDENCIES.md, and licences that are not permissive. */
export const problems = (): ReadonlyArray<string> => {
  const now = page()
  const file = join(root, "DEPENDENCIES.md")
  const others = [...now.matchAll(/^\| (\S+ \S+) \| (.+) \|$/gm)]
    .filter(([, , licence = ""]) => !licence.replace(/[()]/g, "").split(" OR ").some((one) => permissive.has(one)))
  return [
    ...(existsSync(file) && squeezed(readFileSync(file, "utf8")) === squeezed(now)
      ? []
      : ["DEPENDENCIES.md is not what is installed: npx tsx scripts/dependencies.ts writes it, if that is meant"]),
    ...new Set(others.map(([, name, licence]) => `${name} is under ${licence}, which is not known to be permissive`))
  ]
}

if (process.argv[1] === import.meta.filename) writeFileSync(join(root, "DEPENDENCIES.md"), page())
