/**
 * Bundles a package's command into its `dist/bin.mjs`, which starts in half the time. What it imports while it runs is in
 * files of its own beside it. `dist/.bundle.json` keeps what the bundle was made of, so that `freshBundle.mjs` can tell
 * whether it is still good.
 */
import { build } from "esbuild"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { readJson, root } from "./workspace.js"

interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly license?: string
}

/** The package that a bundled file of others belongs to. */
const packageOf = (file: string): Manifest => {
  for (let at = dirname(file); at !== dirname(at); at = dirname(at)) {
    const manifest = join(at, "package.json")
    if (!existsSync(manifest)) continue
    const found = readJson<Manifest>(manifest)
    if (found.name !== undefined && found.version !== undefined) return found
  }
  return {}
}

const banner = [
  "#!/usr/bin/env node",
  "import { createRequire as createRequireOfBundle } from \"node:module\"",
  "const require = createRequireOfBundle(import.meta.url)"
].join("\n")

const hash = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex")

/** Two bundlers at a time must not leave half a file. */
const replace = (file: string, text: string, mode?: number): void => {
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, text, { mode })
  renameSync(fresh, file)
}

/** Files of `dist`, without `.mjs`, and the modules that they are bundled from. */
type Entries = Readonly<Record<string, string>>

/** Bundles a command without writing it. `isReadable` keeps its lines, and the comments that name modules. */
export const bundleOf = (dir: string, entries: Entries, external: ReadonlyArray<string>, isReadable = false) =>
  build({
    absWorkingDir: dir,
    entryPoints: entries,
    outdir: join(dir, "dist"),
    outExtension: { ".js": ".mjs" },
    chunkNames: "chunk-[hash]",
    splitting: true,
    bundle: true,
    minifyWhitespace: !isReadable,
    minifyIdentifiers: !isReadable,
    minifySyntax: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
    external: [...external],
    banner: { js: banner },
    legalComments: "none",
    metafile: true,
    logLevel: "warning"
  })

/** `external` are packages that stay outside and are found beside the installed package. */
export const bundleCommand = async (options: {
  readonly dir: string
  readonly entries: Entries
  readonly external: ReadonlyArray<string>
}): Promise<void> => {
  const { dir, entries, external } = options
  const dist = join(dir, "dist")
  const { metafile, outputFiles } = await bundleOf(dir, entries, external)

  const inputs = Object.keys(metafile.inputs).map((file) => resolve(dir, file))
  const foreign = inputs.filter((file) => file.includes("/node_modules/"))
  const notices = new Set(foreign.map(packageOf).map((one) => `${one.name} ${one.version} (${one.license})`))
  const notice = ["/* This file contains, besides its own code:", ...[...notices].sort()].join("\n * ")

  const watched = [
    ...inputs.filter((file) => !file.includes("/node_modules/")),
    join(root, "pnpm-lock.yaml"),
    join(root, "scripts/bundleCommand.ts"),
    ...readdirSync(join(dir, "scripts")).filter((name) => name.endsWith(".ts")).map((name) =>
      join(dir, "scripts", name)
    )
  ]
  mkdirSync(dist, { recursive: true })
  for (const { path, text } of outputFiles) {
    replace(path, basename(path) === "bin.mjs" ? `${text}\n${notice}\n */\n` : text, 0o755)
  }
  const written = new Set(outputFiles.map(({ path }) => basename(path)))
  for (const name of readdirSync(dist)) {
    if (/^chunk-\w+\.mjs$/.test(name) && !written.has(name)) rmSync(join(dist, name), { force: true })
  }
  replace(
    join(dist, ".bundle.json"),
    JSON.stringify(Object.fromEntries(watched.map((file) => [relative(root, file), hash(file)])), null, 2)
  )
}
