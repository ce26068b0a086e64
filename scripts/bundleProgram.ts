/** Programs of drills, benches and examples as bundles, which start in a quarter of the time. */
import { build, type BuildOptions, type Plugin } from "esbuild"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { basename, dirname, join, relative, sep } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

/** Our modules name files that are beside their sources, and load native modules from there. */
const besideSources: Plugin = {
  name: "beside sources",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, ({ path }) =>
      path.includes("/node_modules/") ? undefined : {
        contents: readFileSync(path, "utf8").replaceAll(/import\.meta\.url/g, JSON.stringify(pathToFileURL(path).href)),
        loader: "ts"
      })
  }
}

const outdirs = new Set<string>()
process.once("exit", () => outdirs.forEach((outdir) => rmSync(outdir, { recursive: true, force: true })))

const bundle = async (
  entries: ReadonlyArray<string>,
  options: BuildOptions,
  [dir = ""]: ReadonlyArray<string> = entries.map((entry) => dirname(entry))
): Promise<ReadonlyArray<string>> => {
  const modules = [dir, dirname(dir)].map((place) => join(place, "node_modules")).find(existsSync) ?? dir
  const outdir = join(modules, ".drill", String(process.pid))
  outdirs.add(outdir)
  await build({
    entryPoints: [...entries],
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["libsql", "pg-native", "cloudflare:sockets", "tiny-secp256k1", "esbuild"],
    banner: {
      js:
        "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.filename);"
    },
    logLevel: "error",
    ...options
  })
  return entries.map((entry) => join(outdir, `${basename(entry, ".ts")}.mjs`))
}

/**
 * Bundles a program of a package and returns the file, which is there as long as this process is. It is inside the
 * package's `node_modules`, so that it finds native modules, and in a folder of its own, so that another drill at the
 * same time does not replace it. `owner` is a folder of the package with the native modules: that of the program by default.
 */
export const bundleProgram = async (
  program: URL,
  { owner = new URL(".", program), plugins = [] }: { readonly owner?: URL; readonly plugins?: Array<Plugin> } = {}
): Promise<string> => {
  const [file = ""] = await bundle([fileURLToPath(program)], { minify: true, plugins }, [fileURLToPath(owner)])
  return file
}

const packagesDir = fileURLToPath(new URL("../packages", import.meta.url))

/** Resolves our packages to the sources below a folder, and theirs as those of the same package here do. */
const fromSources = (sources: string): Plugin => ({
  name: "from sources",
  setup: ({ onResolve, resolve }) => {
    onResolve({ filter: /^@effect-klaytn\// }, ({ path }) => {
      const [, name = "", module = "index"] = path.split("/")
      return { path: join(sources, name, "src", `${module}.ts`) }
    })
    onResolve({ filter: /^[^./]/ }, ({ importer, kind, path, pluginData }) => {
      if (pluginData === fromSources || !importer.startsWith(sources)) return undefined
      const [name = ""] = relative(sources, importer).split(sep)
      return resolve(path, { kind, resolveDir: join(packagesDir, name), pluginData: fromSources })
    })
  }
})

/**
 * Bundles a program of a package, or of a folder beside the packages such as `../../drills/gateway`, as it was at a commit, with the
 * dependencies of today. Fails where the clone does not have the commit. The file is there as long as this process is.
 */
export const bundleOlder = async (commit: string, pack: string, program: string): Promise<string> => {
  const place = join(packagesDir, pack, "node_modules/.drill", `${commit}-${process.pid}`)
  mkdirSync(place, { recursive: true })
  process.once("exit", () => rmSync(place, { recursive: true, force: true }))
  const folders = program.startsWith("../../") ? program.split("/").slice(2, 3) : []
  const archive = execFileSync("git", ["archive", commit, "packages", "scripts", ...folders], {
    cwd: packagesDir.replace(/packages\/?$/, ""),
    maxBuffer: 2 ** 30
  })
  execFileSync("tar", ["-x", "-C", place], { input: archive })
  const sources = join(place, "packages")
  return bundleProgram(pathToFileURL(join(sources, pack, program)), { plugins: [fromSources(sources)] })
}

/** Bundles the programs of a folder, which share what they have in common, and returns the files in their order. */
export const bundlePrograms = (files: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
  bundle(files, { splitting: true, plugins: [besideSources] })
