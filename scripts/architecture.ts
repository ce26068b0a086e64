/** What the pages about the code say of files, modules and packages, compared with those that there are. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { filesBelow, type Package, packages, root } from "./workspace.js"

const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** Names that stand for any file. */
const placeholders = new Set(["src/Name.ts", ".tst.ts", ".generated.ts"])

/** Files that a page names, by their path or the end of it. */
const lostFiles = (page: string, files: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set([...read(page).matchAll(/[\w./-]*\w\.tsx?\b/g)].map(([name]) => name.replace(/^\.?\//, "")))]
    .filter((name) => !placeholders.has(name) && !files.some((file) => file.endsWith(`/${name}`)))
    .map((name) => `${page}: there is no file ${name}`)

/** A README that has a table of modules names each that is public. */
const lostModules = ({ dir, folder }: Package): ReadonlyArray<string> => {
  const page = `packages/${folder}/README.md`
  const table = /^\| Module\b.*\n(?:\|.*\n)+/m.exec(read(page))?.[0]
  if (table === undefined) return []
  return filesBelow(join(dir, "src"), ".ts")
    .map((file) => file.slice(join(dir, "src/").length, -".ts".length))
    .filter((name) => !name.includes("/") && name !== "index" && !table.includes(`\`${name}\``))
    .map((name) => `${page}: the table of modules lacks ${name}`)
}

/** The arrows of the graph, and the packages that a package installs. The command bundles the clients. */
const wrongArrows = ({ folder, manifest }: Package, drawn: ReadonlySet<string>): ReadonlyArray<string> => {
  const needed = Object.keys({
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...folder === "cli" ? manifest.devDependencies : {}
  })
    .filter((name) => manifest.peerDependenciesMeta?.[name]?.optional !== true)
    .flatMap((name) => /^@effect-klaytn\/(.+)$/.exec(name)?.[1] ?? [])
  // Loaded by name if they are installed beside it, which the graph draws dotted.
  const dotted = folder === "cli" ? ["sandbox", "gateway"] : []
  const arrows = new Set(needed.filter((name) => !dotted.includes(name)).map((name) => `${folder} --> ${name}`))
  return [
    ...[...arrows].filter((arrow) => !drawn.has(arrow)).map((arrow) => `ARCHITECTURE.md: the graph lacks ${arrow}`),
    ...[...drawn].filter((arrow) => arrow.startsWith(`${folder} --> `) && !arrows.has(arrow))
      .map((arrow) => `ARCHITECTURE.md: the graph has ${arrow}, which package.json has not`)
  ]
}

export const architectureFindings = (): ReadonlyArray<string> => {
  const files = filesBelow(root, ".ts")
  const drawn = new Set(
    [...read("ARCHITECTURE.md").matchAll(/^ {2}([\w-]+ --> [\w-]+)$/gm)].map(([, arrow = ""]) => arrow)
  )
  const pages = [
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    ...packages.map(({ folder }) => `packages/${folder}/ARCHITECTURE.md`).filter((page) => existsSync(join(root, page)))
  ]
  return [
    ...pages.flatMap((page) => lostFiles(page, files)),
    ...packages.flatMap(lostModules),
    ...packages.flatMap((one) => wrongArrows(one, drawn))
  ]
}
