/**
 * Bundles the command into `dist/bin.mjs`: one file that starts in half the time. Native SQLite and WebAssembly stay outside and are
 * found beside the installed package. `dist/.bundle.json` keeps what the bundle was made of, so that `sandbox.mjs` can
 * tell whether it is still good.
 */
import { build } from "esbuild"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"

const dir = resolve(import.meta.dirname, "..")
const root = resolve(dir, "../..")
const target = join(dir, "dist/bin.mjs")

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
    const found: Manifest = JSON.parse(readFileSync(manifest, "utf8"))
    if (found.name !== undefined && found.version !== undefined) return found
  }
  return {}
}

const banner = [
  "#!/usr/bin/env node",
  "import { createRequire as createRequireOfBundle } from \"node:module\"",
  "const require = createRequireOfBundle(import.meta.url)"
].join("\n")

const { metafile, outputFiles } = await build({
  absWorkingDir: dir,
  entryPoints: ["src/cli/bin.ts"],
  outfile: target,
  bundle: true,
  write: false,
  platform: "node",
  format: "esm",
  target: "node20",
  external: ["libsql", "tiny-secp256k1"],
  banner: { js: banner },
  legalComments: "none",
  metafile: true,
  logLevel: "warning"
})

const inputs = Object.keys(metafile.inputs).map((file) => resolve(dir, file))
const foreign = inputs.filter((file) => file.includes("/node_modules/"))
const notices = new Set(foreign.map(packageOf).map((one) => `${one.name} ${one.version} (${one.license})`))
const notice = ["/* This file contains, besides its own code:", ...[...notices].sort(), "*/"].join("\n * ").replace(
  /\n \* \*\/$/,
  "\n */"
)

const hash = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex")
const watched = [
  ...inputs.filter((file) => !file.includes("/node_modules/")),
  join(root, "pnpm-lock.yaml"),
  join(dir, "scripts/bundle.ts")
]
const made = Object.fromEntries(watched.map((file) => [relative(root, file), hash(file)]))

/** Two bundlers at a time must not leave half a file. */
const replace = (file: string, text: string, mode?: number): void => {
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, text, { mode })
  renameSync(fresh, file)
}

mkdirSync(dirname(target), { recursive: true })
replace(target, `${outputFiles[0]?.text ?? ""}\n${notice}\n`, 0o755)
replace(join(dir, "dist/.bundle.json"), JSON.stringify(made, null, 2))
