/**
 * Finds names in prose that nothing has. Code in backticks that looks like ours is looked up: `Module.member`, a path such as
 * `@effect-klaytn/core/Amount`, a `KLAYTN_` variable, a command of `pnpm`, and words in camelCase or PascalCase.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { modules } from "./apiPages.js"
import { filesBelow, packages, readJson, root } from "./workspace.js"

const sources = packages.flatMap((one) => filesBelow(join(one.dir, "src"), ".ts")).map((file) =>
  readFileSync(file, "utf8")
)
const written = new Set(sources.flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? []))
// A method of a node is also named without its namespace.
const words = new Set([...written, ...[...written].map((word) => word.replace(/^[a-z]+_/, ""))])
const commands = new Set(Object.keys(readJson<{ readonly scripts: object }>(join(root, "package.json")).scripts))

/** The modules of Effect and of its platform, and what they export. */
const effects = ["node_modules/effect", "node_modules/@effect/platform"].flatMap((dir) => {
  const types = join(root, dir, "dist/dts")
  return readdirSync(types).filter((name) => name.endsWith(".d.ts")).flatMap((name) => [
    name.replace(/\.d\.ts$/, ""),
    ...[...readFileSync(join(types, name), "utf8").matchAll(/^export declare (?:const|function|class) (\w+)/gm)]
      .map((match) => match[1] ?? "")
  ])
})
// Options of the compiler, which pages name and sources don't.
const known = new Set([...words, ...effects, "skipLibCheck"])

const problemOf = (code: string, page: ReadonlySet<string>): string | undefined => {
  const path = /^@effect-klaytn\/(\w+)(?:\/(\w+))?$/.exec(code)
  if (path !== null) {
    const [, folder = "", name] = path
    const exists = name === undefined
      ? packages.some((one) => one.folder === folder)
      : modules.some((one) => one.package.folder === folder && one.name === name)
    return exists ? undefined : "no such module"
  }
  if (/^KLAYTN_[A-Z_]+$/.test(code)) return words.has(code) ? undefined : "no such variable"
  const command = /pnpm@[\d.]+ (?:run )?([\w:]+)/.exec(code)?.[1]
  if (command !== undefined) return commands.has(command) || command === "changeset" ? undefined : "no such command"
  const member = code.endsWith(".ts") ? null : /^([A-Z]\w+)\.(\w+)/.exec(code)
  if (member !== null) {
    const [, module = "", name = ""] = member
    const found = modules.filter((one) => one.name === module)
    const inside = new RegExp(`\\b${name}\\b`)
    const has = found.some((one) =>
      one.entries.some((entry) =>
        entry.name === name || entry.signatures.some((text) => inside.test(text))
      )
    ) || page.has(code)
    return found.length === 0 || has ? undefined : `${module} has no ${name}`
  }
  const isName = /^(?:[a-z]+(?:[A-Z]\w*)+|(?:[A-Z][a-z0-9]+){2,})$/.test(code)
  return !isName || known.has(code) || page.has(code) ? undefined : "nothing has this name"
}

/** What is wrong with the names of pages: file, line, name. */
export const strangeNames = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
  files.flatMap((file) => {
    const text = readFileSync(file, "utf8")
    // Names that the code of the page uses are checked by the compiler.
    const page = new Set(
      [...text.matchAll(/^```[\s\S]*?^```/gm)].flatMap(([block]) => block.match(/\w+(?:\.\w+)?/g) ?? [])
        .flatMap((name) => [name, ...name.split(".")])
    )
    const lines = text.replaceAll(/^```[\s\S]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, "")).split("\n")
    // The pages for those who come from elsewhere have the others' names in the first column.
    const theirs = file.includes("/docs/moving/") ? /^\|[^|]*\|/ : /^$/
    return lines.flatMap((line, i) =>
      [...line.replace(theirs, "").matchAll(/`([^`]+)`/g)].flatMap(([, code = ""]) => {
        const problem = problemOf(code, page)
        return problem === undefined ? [] : [`${relative(root, file)}:${i + 1}: \`${code}\`: ${problem}`]
      })
    )
  })
