/**
 * Type-checks every `@example` of the sources and every `ts` block of the README files and the site, in one program, each as
 * if it were beside the file it comes from. Findings point to lines of that file. With `--all` the program is that of
 * `tsconfig.json` with the examples: the examples use every source, which a program of their own would check again.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import ts from "typescript"
import { compiler } from "./compiler.js"
import { filesBelow, packages, root, run } from "./workspace.js"

interface Example {
  readonly from: string
  /** Number of lines of `from` before the example. */
  readonly above: number
  readonly text: string
}

/** The `ts` blocks of a file; `margin` matches what precedes the text of a line, such as the star of a docstring. */
const blocks = (from: string, margin: RegExp): ReadonlyArray<Example> => {
  const lines = readFileSync(from, "utf8").split("\n")
  const rest = (at: number): string => (lines[at] ?? "").replace(margin, "")
  const found: Array<Example> = []
  for (let i = 0; i < lines.length; i++) {
    if (!margin.test(lines[i] ?? "") || !/^```ts\b/.test(rest(i))) continue
    let end = i + 1
    while (end < lines.length && !rest(end).startsWith("```")) end++
    const text = Array.from({ length: end - i - 1 }, (_, line) => rest(i + 1 + line)).join("\n")
    found.push({ from, above: i + 1, text })
    i = end
  }
  return found
}

const ofSource = (file: string): ReadonlyArray<Example> => blocks(file, /^\s*\* ?/)
const ofReadme = (file: string): ReadonlyArray<Example> => existsSync(file) ? blocks(file, /^/) : []

const examples = [
  ...ofReadme(join(root, "README.md")),
  // What is generated there comes from the sources and the README files.
  ...filesBelow(join(root, "docs"), ".md").filter((file) => !/\/docs\/(api|packages)\//.test(file)).flatMap(ofReadme),
  ...packages.flatMap((one) => [
    ...ofReadme(join(one.dir, "README.md")),
    ...filesBelow(join(one.dir, "docs"), ".md").flatMap(ofReadme),
    ...filesBelow(join(one.dir, "src"), ".ts").flatMap(ofSource)
  ])
]

/** A folder of its own, so that nothing else takes an example for a source. */
const folder = join(root, ".reports/examples")
rmSync(folder, { recursive: true, force: true })

/** Examples by the file each is written to, relative to `folder` as its source is to the workspace. */
const written = new Map(examples.map((example) => {
  const name = `${basename(example.from).replaceAll(".", "_")}_${example.above}.example.ts`
  const file = join(dirname(relative(root, example.from)), name)
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), example.text)
  return [file, example] as const
}))
/** Links what is installed for a folder beside the examples from there. */
const link = (at: string): void => {
  const modules = join(root, at, "node_modules")
  if (existsSync(modules)) symlinkSync(modules, join(folder, at, "node_modules"))
}
for (const at of ["docs", ...packages.map(({ folder }) => join("packages", folder))]) link(at)
// An example may import each of our packages, as their users do, wherever the example is.
mkdirSync(join(folder, "node_modules/@effect-klaytn"), { recursive: true })
for (const { dir, folder: name } of packages) symlinkSync(dir, join(folder, "node_modules/@effect-klaytn", name))
for (const name of readdirSync(join(root, "node_modules"))) {
  const place = join(folder, "node_modules", name)
  if (!existsSync(place)) symlinkSync(join(root, "node_modules", name), place)
}

const all = process.argv.includes("--all")
const { include } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile).config as {
  readonly include: ReadonlyArray<string>
}
writeFileSync(
  join(folder, "tsconfig.json"),
  JSON.stringify({
    extends: "../../tsconfig.json",
    // What an example imports from beside it is beside its source.
    compilerOptions: { rootDirs: [".", "../.."] },
    include: [".", ...all ? include.map((one) => `../../${one}`) : []]
  })
)
const incremental = all ? ["--incremental", "--tsBuildInfoFile", join(root, ".reports/types")] : []
const [program = "", ...args] = compiler(["-p", join(folder, "tsconfig.json"), "--pretty", "false", ...incremental])
const { code, output } = await run(program, args)
// An example may declare what it does not use.
const unused = /^.+\.example\.ts\(.+\): error TS(6133|6138|6192|6196|6198|6199|6205): .*\n?/gm
const kept = output.replace(unused, "")
const findings = kept.replace(/^(.+\.example\.ts)\((\d+),/gm, (found, file: string, line: string) => {
  const example = written.get(relative(folder, resolve(root, file)))
  return example === undefined ? found : `${relative(root, example.from)}(${example.above + Number(line)},`
})
const isOk = code === 0 || kept.trim() === "" && output.trim() !== ""
console.log(`${findings}${examples.length} examples: ${isOk ? "ok" : "FAILED"}`)
process.exit(isOk ? 0 : code)
