/**
 * `pnpm site` builds the site into docs/.vitepress/dist: the reference from the docstrings, the pages of the packages from
 * their READMEs, the OpenAPI document, an index for language models. Then it checks what was built: every
 * link and anchor leads somewhere, every error has its entry, names of ours exist. `pnpm check:pages` runs the code of the pages.
 * `pnpm site dev` serves it while it is written, `pnpm site preview` as it was built.
 */
import { spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { guides, moving, reference } from "../docs/pages.js"
import { modules, writeApi } from "./apiPages.js"
import { strangeNames } from "./names.js"
import { searchProblems } from "./siteSearch.js"
import { counted, filesBelow, packages, readJson, root, run, seconds } from "./workspace.js"

const since = performance.now()
const docs = join(root, "docs")
const built = join(docs, ".vitepress/dist")
const vitepress = join(docs, "node_modules/.bin/vitepress")

const title = (page: string): string => /^# (.+)$/m.exec(page)?.[1] ?? ""

writeApi(join(docs, "api"))

// The pages of a package keep their places to each other, so that their links stay right.
rmSync(join(docs, "packages"), { recursive: true, force: true })
for (const { dir, folder } of packages) {
  const into = join(docs, "packages", folder)
  for (const file of filesBelow(dir, ".md")) {
    const name = relative(dir, file)
    if (!/^([A-Z]+|docs\/\w+)\.md$/.test(name) || name === "CHANGELOG.md") continue
    mkdirSync(dirname(join(into, name)), { recursive: true })
    const text = readFileSync(file, "utf8").replaceAll(/\]\((\.\/)?README\.md/g, "](./index.md")
    writeFileSync(join(into, name === "README.md" ? "index.md" : name), text)
  }
}

cpSync(join(root, "packages/sandbox/openapi.json"), join(docs, "public/openapi.json"))

// Its tables need the whole width.
writeFileSync(
  join(docs, "figures.md"),
  "---\naside: false\n---\n\n" + readFileSync(join(root, "benchmarks/FIGURES.md"), "utf8")
    .replace("[README.md](./README.md) explains", "The README of `benchmarks` explains")
)

const [mode = "build"] = process.argv.slice(2)
if (mode !== "build") {
  spawn(vitepress, [mode, docs, ...mode === "preview" ? ["--host", "127.0.0.1"] : []], { stdio: "inherit" }).on(
    "exit",
    (code) => process.exit(code ?? 1)
  )
  await new Promise(() => {})
}

console.log("building, and checking links: about 2 minutes, more on a busy machine")
const site = await run(vitepress, ["build", docs])
if (site.code !== 0) {
  console.log(site.output)
  process.exit(1)
}

/** Files that are read by no link: for language models, and for search engines. */
const pages = [
  ...[...guides, ...moving, ...reference].map(([path]) => path.endsWith("/") ? `${path}index` : path),
  ...packages.map(({ folder }) => `packages/${folder}/index`)
]
const lead = (text: string): string =>
  text.replace(/^---[\s\S]*?---\n/, "").replace(/^# .*$/m, "").trim().split("\n\n")[0]?.replaceAll("\n", " ") ?? ""
const llms = pages.filter((page) => page !== "api/index").map((page) => {
  const text = readFileSync(join(docs, `${page}.md`), "utf8")
  const target = join(built, `${page}.md`)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(
    target,
    text.replaceAll(
      /^<<< \.\.\/(\S+)\.(\w+)$/gm,
      (_, file: string, ending: string) =>
        `\`\`\`${ending}\n${readFileSync(join(root, `${file}.${ending}`), "utf8")}\`\`\``
    )
  )
  return `- [${title(text)}](${page}.md): ${lead(text)}`
})
writeFileSync(
  join(built, "llms.txt"),
  [
    "# effect-klaytn",
    "",
    `> ${lead(readFileSync(join(root, "README.md"), "utf8"))}`,
    "",
    "## Pages",
    "",
    ...llms,
    "",
    "## Modules",
    "",
    ...modules.map((one) => `- [${one.package.manifest.name}/${one.name}](api/${one.package.folder}/${one.name}.html)`),
    ""
  ].join("\n")
)

const htmlFiles = filesBelow(built, ".html")
const published = process.env["SITE_URL"] ?? ""
writeFileSync(
  join(built, "sitemap.txt"),
  htmlFiles.map((file) => relative(built, file)).filter((file) => file !== "404.html")
    .map((file) => `${published}${file}\n`).join("")
)

// Every link of every page, with its anchor.
const problems: Array<string> = []
const base = published === "" ? "/" : new URL(published).pathname
const html = new Map(htmlFiles.map((file) => [file, readFileSync(file, "utf8")]))
const anchors = new Map([...html].map(([file, text]) => [
  file,
  new Set([...text.matchAll(/\sid="([^"]+)"/g)].map((match) => match[1]))
]))
for (const [file, text] of html) {
  for (const [, link = ""] of text.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
    if (/^(mailto:|data:|https?:)/.test(link)) continue
    const [path = "", hash] = link.replaceAll("&amp;", "&").split("#")
    const absolute = path.startsWith(base) ? join(built, path.slice(base.length)) : join(dirname(file), path)
    const target = path === "" ? file : path.endsWith("/") ? join(absolute, "index.html") : absolute
    if (!existsSync(target)) problems.push(`${relative(built, file)}: ${link} leads nowhere`)
    else if (hash !== undefined && hash !== "" && anchors.get(target)?.has(decodeURIComponent(hash)) === false) {
      problems.push(`${relative(built, file)}: ${link} has no such anchor`)
    }
  }
}

for (const [file, text] of html) {
  if (/\{@link\b/.test(text)) problems.push(`${relative(built, file)}: a link between docstrings was not replaced`)
}
problems.push(...await searchProblems(built))

// Every error that a program can meet has an entry.
const explained = anchors.get(join(built, "errors.html")) ?? new Set()
interface Names {
  readonly package: string
  readonly module: string
  readonly errors: ReadonlyArray<string>
}
for (const one of readJson<ReadonlyArray<Names>>(join(docs, "api/names.json"))) {
  for (const error of one.errors) {
    if (!explained.has(error.toLowerCase())) problems.push(`docs/errors.md: ${one.module}.${error} has no entry`)
  }
}

problems.push(...strangeNames([
  join(root, "README.md"),
  ...filesBelow(docs, ".md").filter((file) => !file.startsWith(join(docs, "api")))
]))

problems.forEach((problem) => console.log(problem))
const size = readdirSync(join(built, "assets")).length
console.log(`${html.size} pages, ${size} assets, ${counted(problems.length, "problem")} (${seconds(since)})`)
console.log(`in ${relative(process.cwd(), built)}; to open it: npx -y pnpm@10.34.9 site preview`)
process.exit(problems.length === 0 ? 0 : 1)
