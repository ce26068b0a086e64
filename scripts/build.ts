/**
 * `pnpm build`: TypeScript builds every package to its `dist`, in the order of its references, then calls at the top of a
 * module are marked pure, so that a bundler drops what an application does not use; a package's command is bundled into
 * one file. `pnpm check:types` finds errors of types, not the build. `pnpm clean` removes all of it.
 */
import { type BabelFileResult, transformAsync } from "@babel/core"
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { compiler } from "./compiler.js"
import { packages, readJson, run, seconds } from "./workspace.js"

const annotator = fileURLToPath(import.meta.resolve("babel-plugin-annotate-pure-calls"))

/** Written after the last pass: only what TypeScript emitted since then is annotated again. */
const stampOf = (dist: string): string => join(dist, ".annotated")

const annotate = async (file: string): Promise<void> => {
  const map = `${file}.map`
  const result: BabelFileResult | null = await transformAsync(readFileSync(file, "utf8"), {
    filename: file,
    babelrc: false,
    configFile: false,
    compact: false,
    plugins: [annotator],
    sourceMaps: true,
    inputSourceMap: readJson(map)
  })
  if (typeof result?.code !== "string" || !result.map) throw new Error(`${file}: nothing came out of the annotation`)
  writeFileSync(file, `${result.code}\n//# sourceMappingURL=${basename(map)}\n`)
  writeFileSync(map, JSON.stringify(result.map))
}

const annotateAll = async (dist: string): Promise<number> => {
  const stamp = stampOf(dist)
  const since = existsSync(stamp) ? statSync(stamp).mtimeMs : 0
  const emitted = readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".js"))
    .map((name) => join(dist, name))
    .filter((file) => statSync(file).mtimeMs > since)
  for (const file of emitted) await annotate(file)
  writeFileSync(stamp, "")
  return emitted.length
}

/** TypeScript leaves what it emitted for a source that is gone; a tarball must not carry it. */
const forgetGone = (dist: string): void => {
  for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    const source = join(dist, "..", "src", name.replace(/\.(d\.ts|js)(\.map)?$/, ".ts"))
    if (/\.(d\.ts|js)(\.map)?$/.test(name) && !existsSync(source)) rmSync(join(dist, name))
  }
}

const distOf = packages.map((one) => ({ name: one.folder, dist: join(one.dir, "dist") }))

if (process.argv.includes("--clean")) {
  for (const { dist } of distOf) rmSync(dist, { recursive: true, force: true })
  process.exit(0)
}

const since = performance.now()
for (const { dist } of distOf) {
  if (!existsSync(join(dist, ".tsbuildinfo"))) rmSync(dist, { recursive: true, force: true })
}
const [tsc = "", ...args] = compiler([
  ...["-b", "--noCheck"],
  ...packages.map((one) => join(one.dir, "tsconfig.build.json"))
])
const { code, output } = await run(tsc, args)
if (output.trim() !== "") console.log(output.trim())
if (code !== 0) process.exit(code)
console.log(`compiled ${packages.length} packages (${seconds(since)})`)
for (const { dist, name } of distOf) {
  const sinceThis = performance.now()
  forgetGone(dist)
  console.log(`annotated ${await annotateAll(dist)} modules of ${name} (${seconds(sinceThis)})`)
}
for (const { dir, folder } of packages) {
  const sinceThis = performance.now()
  const script = join(dir, "scripts/bundle.ts")
  if (!existsSync(script)) continue
  const { code, output } = await run("tsx", [script])
  if (output.trim() !== "") console.log(output.trim())
  if (code !== 0) process.exit(code)
  console.log(`bundled the command of ${folder} (${seconds(sinceThis)})`)
}
