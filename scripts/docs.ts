/**
 * `pnpm run docs`: type-checks all examples, then writes an API page for each public module and the OpenAPI document of
 * the service to docs/api. Every page begins with front matter, which site generators read.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { print } from "../packages/sandbox/src/internal/openapi/document.js"
import { packages, root, run, seconds } from "./workspace.js"

const since = performance.now()
const out = join(root, "docs/api")
rmSync(out, { recursive: true, force: true })

// Our own pass checks the examples without copying them to disk or running them.
const [examples, pages] = await Promise.all([
  run("tsx", ["scripts/docExamples.ts"]),
  run("docgen", [], { env: { DOCGEN_RUN_EXAMPLES: "false" } })
])
console.log(examples.output.trim())
if (pages.code !== 0) console.log(pages.output.trim())
if (examples.code !== 0 || pages.code !== 0) process.exit(1)

/** What the generator writes above a page; the rest must be a page. */
const ofGenerator = /^(?:---|\*\*\*)\n[\s\S]*?\n---\n\s*/

const front = (fields: Readonly<Record<string, string | number>>): string =>
  `---\n${Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`).join("")}---\n\n`

const isPage = /^---\n(?:[a-z_]+: (?:"[^"\n]+"|\d+)\n)+---\n\n(?!---|\*\*\*|title:)\S/

// The generator keeps the path of a source: modules/core/src/Address.ts.md becomes core/Address.md.
const index = ["# API", ""]
const broken: Array<string> = []
const write = (file: string, page: string): void => {
  if (!isPage.test(page)) broken.push(file)
  writeFileSync(file, page)
}
for (const { folder, manifest } of packages) {
  const from = join(out, "modules", folder, "src")
  if (!existsSync(from)) continue
  const files = readdirSync(from, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts.md"))
    .sort()
  mkdirSync(join(out, folder), { recursive: true })
  index.push(`## ${manifest.name}`, "")
  for (const [i, name] of files.entries()) {
    const module = basename(name, ".ts.md")
    const page = readFileSync(join(from, name), "utf8").replace(ofGenerator, "")
    write(
      join(out, folder, `${module}.md`),
      front({ title: module, parent: manifest.name, nav_order: i + 1 }) + page
    )
    index.push(`- [${module}](./${folder}/${module}.md)`)
  }
  index.push("")
}
writeFileSync(join(out, "openapi.json"), print())
index.push("[The service as OpenAPI](./openapi.json)", "")
rmSync(join(out, "modules"), { recursive: true })
rmSync(join(out, "_config.yml"))
write(join(out, "index.md"), front({ title: "API" }) + index.join("\n"))
if (broken.length > 0) {
  console.log(`no page with front matter came out for:\n${broken.join("\n")}`)
  process.exit(1)
}
console.log(`docs/api has the pages of ${packages.length} packages (${seconds(since)})`)
