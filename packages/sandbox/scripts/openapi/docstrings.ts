/** Reads what the docstrings of the contracts say, so that the OpenAPI document says the same. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** The docs of one constant: its own, and those of the fields in it. */
export interface Docs {
  readonly text: string
  readonly fields: ReadonlyMap<string, string>
}

const packages = join(import.meta.dirname, "../../..")

const folders = ["core/src", "history/src", "tokens/src", "wallet/src", "wallet/src/internal"]

/** A comment as running text: its lead and its details, without tags, examples and links. */
const plain = (comment: string): string =>
  comment
    .replace(/\n\s*\* ?/g, "\n")
    .split(/\n\s*\n?@(?:since|category|example)|\n\*\*(?:Example|Gotchas)/)[0]
    ?.replace(/\*\*Details\*\*\n/g, "")
    .replace(/\{@link\s+([^}]+)\}/g, "`$1`")
    .split(/\n{2,}/)
    // Tables and lists keep their lines.
    .map((part) => /^\s*[|-]/m.test(part) ? part.trim() : part.replace(/\s+/g, " ").trim())
    .filter((part) => part !== "")
    .join("\n\n") ?? ""

const documented = (text: string): string => plain(text.replace(/\s*$/, ""))

const declaration = /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n(?:\/\/.*\n)*)?(?:export )?(?:const|class) (\w+)\b(?! = <)/g

const docsOfFile = (source: string): ReadonlyMap<string, Docs> => {
  const found = [...source.matchAll(declaration)].filter(({ index }) => index === 0 || source[index - 1] === "\n")
  const docs = new Map<string, Docs>()
  for (const [i, match] of found.entries()) {
    const body = source.slice(match.index + match[0].length, found[i + 1]?.index)
    const fields = new Map<string, string>()
    for (const [, spread = ""] of body.matchAll(/\.\.\.(\w+)/g)) {
      for (const [name, text] of docs.get(spread)?.fields ?? []) fields.set(name, text)
    }
    for (const [, comment = "", name = ""] of body.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*"?([\w-]+)"?:/g)) {
      fields.set(name, documented(comment))
    }
    docs.set(match[2] ?? "", { text: documented(match[1] ?? ""), fields })
  }
  return docs
}

/** The docs of all documented constants of the contracts, by name. Of two with one name, the first that says something. */
export const docstrings: ReadonlyMap<string, Docs> = (() => {
  const all = new Map<string, Docs>()
  for (const folder of folders) {
    for (const file of readdirSync(join(packages, folder)).filter((name) => name.endsWith(".ts")).sort()) {
      for (const [name, docs] of docsOfFile(readFileSync(join(packages, folder, file), "utf8"))) {
        if (docs.text === "" && docs.fields.size === 0) continue
        if (!all.has(name)) all.set(name, docs)
      }
    }
  }
  return all
})()
