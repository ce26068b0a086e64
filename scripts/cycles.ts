/**
 * `pnpm check:cycles` finds files that import each other in a circle, imports of types included, and imports that run against the
 * order of a package's folders, which scripts/folders.ts says. It counts them for each package and compares the page that draws
 * the folders, ARCHITECTURE.md of the package; `npx tsx scripts/cycles.ts --write` writes that page.
 *
 * A file belongs to its folder in `src/internal`, a public module to the folder that names it as a door. An import runs back up
 * if the imported file belongs to a later folder. A folder's files may import its own doors; these imports are counted apart.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import ts from "typescript"
import { circlesLeft, type Folder, folders, mostUp } from "./folders.js"
import { filesBelow, packages } from "./workspace.js"

/** The files that each file of a package imports, by their paths in `src`. */
type Imports = ReadonlyMap<string, ReadonlyArray<string>>

const importsOf = (src: string): Imports =>
  new Map(
    filesBelow(src, ".ts").map((file) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(file, "utf8"), true, true)
      const inside = importedFiles.filter(({ fileName }) => fileName.startsWith("."))
        .map(({ fileName }) => relative(src, join(dirname(file), fileName)).replace(/\.js$/, ".ts"))
      return [relative(src, file), [...new Set(inside)]]
    })
  )

/** The groups of files in which each imports all others, directly or through others. */
const circlesOf = (imports: Imports): ReadonlyArray<ReadonlyArray<string>> => {
  const reached = new Map<string, number>()
  const open: Array<string> = []
  const circles: Array<ReadonlyArray<string>> = []
  /** Returns the earliest file on the way here that `file` leads back to. */
  const visit = (file: string): number => {
    const place = reached.size
    reached.set(file, place)
    open.push(file)
    let earliest = place
    for (const next of imports.get(file) ?? []) {
      const known = reached.get(next)
      if (known === undefined) earliest = Math.min(earliest, visit(next))
      else if (open.includes(next)) earliest = Math.min(earliest, known)
    }
    if (earliest === place) {
      const group = open.splice(open.indexOf(file))
      if (group.length > 1) circles.push(group)
    }
    return earliest
  }
  for (const file of imports.keys()) if (!reached.has(file)) visit(file)
  return circles
}

const folderOf = (file: string, list: ReadonlyArray<Folder>): number => {
  const [first = "", second = ""] = file.split("/")
  return list.findIndex(({ doors, name }) =>
    first === "internal" ? name === second : doors.includes(basename(file, ".ts"))
  )
}

interface Link {
  readonly from: string
  readonly to: string
  readonly fromFolder: number
  readonly toFolder: number
}

/** The imports between files that have a folder. */
const linksOf = (imports: Imports, list: ReadonlyArray<Folder>): ReadonlyArray<Link> =>
  [...imports].flatMap(([from, targets]) => {
    const fromFolder = folderOf(from, list)
    return fromFolder < 0 ? [] : targets.filter((to) => imports.has(to))
      .map((to) => ({ from, to, fromFolder, toFolder: folderOf(to, list) }))
  })

/** Which folders a folder imports, without those that one of these imports already. */
const arrowsOf = (links: ReadonlyArray<Link>, count: number): ReadonlyArray<ReadonlyArray<number>> => {
  const direct = Array.from(
    { length: count },
    (_, at) =>
      [
        ...new Set(
          links.filter(({ fromFolder, toFolder }) => fromFolder === at && toFolder < at).map((one) => one.toFolder)
        )
      ]
        .sort((one, other) => other - one)
  )
  const below = (at: number): ReadonlyArray<number> => (direct[at] ?? []).flatMap((next) => [next, ...below(next)])
  return direct.map((nexts) => nexts.filter((next) => !nexts.some((other) => below(other).includes(next))))
}

/** The first sentence of a file's first comment. */
const sentenceOf = (file: string): string | undefined => {
  const comment = /^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(file, "utf8"))?.[1]?.replace(/^\s*\*/gm, "")
  return comment === undefined ? undefined : /^[\s\S]*?\.(?=\s|$)/.exec(comment)?.[0].trim().replace(/\s+/g, " ")
}

const mainOf = (src: string, { main, name }: Folder): string =>
  [join(src, "internal", name, `${main}.ts`), join(src, `${main}.ts`)].find((file) => existsSync(file)) ?? ""

const pageOf = (name: string, src: string, links: ReadonlyArray<Link>, list: ReadonlyArray<Folder>): string => {
  const arrows = arrowsOf(links, list.length)
  const graph = list.flatMap((folder, at) =>
    (arrows[at] ?? []).length === 0
      ? [`  ${folder.name}`]
      : (arrows[at] ?? []).map((to) => `  ${folder.name} --> ${list[to]?.name}`)
  ).reverse()
  const items = [...list].reverse().map((folder) => {
    const doors = folder.doors.map((door) => `\`${door}\``).join(", ")
    return `- **${folder.name}.** ${sentenceOf(mainOf(src, folder)) ?? ""}${doors === "" ? "" : ` Public: ${doors}.`}`
  })
  return [
    `# The folders of ${name}`,
    "",
    "<!-- made by scripts/cycles.ts -->",
    "",
    "An arrow points to what a folder imports; what another arrow's target imports anyway has no arrow of its own. A folder has its",
    "files in `src/internal`, and its public modules in `src`.",
    "",
    "```mermaid",
    "graph TD",
    ...graph,
    "```",
    "",
    "From the top:",
    "",
    ...items,
    ""
  ].join("\n")
}

const asked = process.argv.slice(2)
const findings: Array<string> = []
const lines: Array<string> = []

/** Compares a package with its folders and its page; returns what is to be said of its imports. */
const compareFolders = (dir: string, folder: string, imports: Imports, list: ReadonlyArray<Folder>): string => {
  const src = join(dir, "src")
  const links = linksOf(imports, list)
  for (const file of [...imports.keys()].filter((one) => one !== "index.ts" && folderOf(one, list) < 0)) {
    findings.push(`packages/${folder}/src/${file}: belongs to no folder of scripts/folders.ts`)
  }
  for (const one of list) {
    for (const door of one.doors.filter((name) => !imports.has(`${name}.ts`))) {
      findings.push(`scripts/folders.ts: ${folder} has no module ${door}`)
    }
    if (mainOf(src, one) === "" || sentenceOf(mainOf(src, one)) === undefined) {
      findings.push(`scripts/folders.ts: ${one.main} of ${folder} does not begin with a sentence`)
    }
  }
  const up = links.filter(({ fromFolder, toFolder }) => toFolder > fromFolder)
  if (up.length > mostUp) {
    for (const { from, to } of up) {
      findings.push(`packages/${folder}/src/${from}: imports ${to}, of a folder above its own`)
    }
  }
  const ownDoors = links.filter(({ from, fromFolder, to, toFolder }) =>
    toFolder === fromFolder && from.startsWith("internal/") && !to.startsWith("internal/")
  )
  const page = join(dir, "ARCHITECTURE.md")
  const text = pageOf(folder, src, links, list)
  if (asked.includes("--write")) writeFileSync(page, text)
  else if (!existsSync(page) || readFileSync(page, "utf8") !== text) {
    findings.push(
      `packages/${folder}/ARCHITECTURE.md: is not as the imports are; npx tsx scripts/cycles.ts --write writes it`
    )
  }
  return `, ${list.length} folders, ${up.length} imports back up, ${ownDoors.length} of a folder's own doors`
}

for (const { dir, folder } of packages) {
  const imports = importsOf(join(dir, "src"))
  const circles = circlesOf(imports)
  const list = folders[folder]
  const more = list === undefined ? "" : compareFolders(dir, folder, imports, list)
  lines.push(`${folder}: ${imports.size} files, ${circles.length} circles${more}`)
  if (circles.length > (circlesLeft[folder] ?? 0)) {
    for (const group of circles) {
      findings.push(`packages/${folder}/src: a circle of imports: ${[...group].sort().join(", ")}`)
    }
  }
}

lines.forEach((line) => console.log(line))
findings.forEach((finding) => console.log(finding))
process.exit(findings.length === 0 ? 0 : 1)
