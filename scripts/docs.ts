/** `pnpm run docs`: the API pages in docs/api, one for each public module, after every example in them type-checked. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { packages, root, run, seconds } from "./workspace.js"

const since = performance.now()
const out = join(root, "docs/api")
rmSync(out, { recursive: true, force: true })

// The examples are checked by our own pass, which needs no copies of them on the disk and does not run them.
const [examples, pages] = await Promise.all([
  run("tsx", ["scripts/docExamples.ts"]),
  run("docgen", [], { env: { DOCGEN_RUN_EXAMPLES: "false" } })
])
console.log(examples.output.trim())
if (pages.code !== 0) console.log(pages.output.trim())
if (examples.code !== 0 || pages.code !== 0) process.exit(1)

// The generator keeps the path of a source: modules/core/src/Address.ts.md becomes core/Address.md.
const index = ["# API", ""]
for (const { folder, manifest } of packages) {
  const from = join(out, "modules", folder, "src")
  if (!existsSync(from)) continue
  const files = readdirSync(from, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts.md"))
    .sort()
  mkdirSync(join(out, folder), { recursive: true })
  index.push(`## ${manifest.name}`, "")
  for (const name of files) {
    const module = basename(name, ".ts.md")
    const page = readFileSync(join(from, name), "utf8").replace(/^---\n[\s\S]*?\n---\n\s*/, "")
    writeFileSync(join(out, folder, `${module}.md`), page)
    index.push(`- [${module}](./${folder}/${module}.md)`)
  }
  index.push("")
}
rmSync(join(out, "modules"), { recursive: true })
rmSync(join(out, "_config.yml"))
writeFileSync(join(out, "index.md"), index.join("\n"))
console.log(`docs/api has the pages of ${packages.length} packages (${seconds(since)})`)
