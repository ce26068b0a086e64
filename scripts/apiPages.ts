/**
 * The API reference: one page for each public module, from its docstrings and types. A type and a value of one name share
 * an entry. Declared types are shown as written; inferred ones and the fields of classes as the compiler sees them.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import ts from "typescript"
import { type Package, packages, root } from "./workspace.js"

interface Entry {
  readonly name: string
  readonly docs: string
  readonly tags: ReadonlyMap<string, string>
  readonly signatures: ReadonlyArray<string>
}

export interface Module {
  readonly package: Package
  readonly name: string
  readonly docs: string
  readonly entries: ReadonlyArray<Entry>
}

const filesOf = (one: Package): ReadonlyArray<string> =>
  readdirSync(join(one.dir, "src"))
    .filter((file) => file.endsWith(".ts") && file !== "index.ts" && !file.endsWith(".generated.ts"))
    .map((file) => join(one.dir, "src", file))

const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
const program = ts.createProgram(packages.flatMap(filesOf), options)
const checker = program.getTypeChecker()
const printer = ts.createPrinter({ removeComments: true })

/** Text and tags of a docstring. Its lines come without their stars, links as the text that they had. */
const read = (docs: ReadonlyArray<ts.JSDoc>) => {
  const tags = new Map<string, string>()
  const texts = docs.map((doc) => {
    const lines = doc.getText().replace(/^\/\*\*\s?|\s*\*\/$/g, "").split("\n")
      .map((line) => line.replace(/^\s*\* ?/, ""))
    const end = lines.findIndex((line) => /^@(since|category|example|see|deprecated)\b/.test(line))
    for (const line of end < 0 ? [] : lines.slice(end)) {
      const [, tag = "", text = ""] = /^@(\w+)\s*(.*)$/.exec(line) ?? []
      if (tag !== "") tags.set(tag, text)
    }
    return (end < 0 ? lines : lines.slice(0, end)).join("\n").trim()
  })
  return { docs: texts.filter((text) => text !== "").join("\n\n"), tags }
}

const docsOf = (node: ts.Node): ReadonlyArray<ts.JSDoc> => ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)

/** The docstring of a member, to be shown above it. */
const comment = (node: ts.Node | undefined): string => {
  const text = node === undefined ? "" : read(docsOf(node)).docs
  return text === "" ? "" : `  /** ${text.replaceAll("\n", "\n   * ")} */\n`
}

const flags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope |
  ts.TypeFormatFlags.WriteArrowStyleSignature | ts.TypeFormatFlags.UseFullyQualifiedType

const typeText = (type: ts.Type, at: ts.Node): string =>
  checker.typeToString(type, at, flags).replaceAll(/import\("[^"]*"\)\./g, "")

const isOurs = (node: ts.Node | undefined): boolean =>
  node !== undefined && /\/packages\/\w+\/src\//.test(node.getSourceFile().fileName)

/** The members that this project declares, wherever a schema or a function put them, each in a line with its docs. */
const membersText = (node: ts.ClassDeclaration | ts.InterfaceDeclaration, name: string): string =>
  checker.getPropertiesOfType(
    checker.getDeclaredTypeOfSymbol(checker.getSymbolAtLocation(node.name ?? node) ?? fail(name))
  )
    .filter((member) => !/^(_tag|message|name|stack|cause)$|^__/.test(member.name) || ts.isInterfaceDeclaration(node))
    .map((member) => ({ member, at: member.valueDeclaration ?? member.declarations?.[0] }))
    .filter(({ at }) => isOurs(at))
    .sort((a, b) => position(a.at) - position(b.at))
    .map(({ at, member }) => {
      const optional = (member.flags & ts.SymbolFlags.Optional) === 0 ? "" : "?"
      return `${comment(at)}  readonly ${member.name}${optional}: ${typeText(checker.getTypeOfSymbol(member), node)}\n`
    })
    .join("")

const classText = (node: ts.ClassDeclaration, name: string): string => {
  const base = node.heritageClauses?.[0]?.types[0]
  const members = membersText(node, name)
  const head = base === undefined ? "" : ` extends ${members === "" ? base.getText() : nameOf(base.expression)}`
  return `class ${name}${head} {${members === "" ? "" : `\n${members}`}}`
}

/** An interface as it is written, unless it only extends types that are made of other declarations. */
const interfaceText = (node: ts.InterfaceDeclaration): string => {
  const name = node.name.text
  const members = node.members.length === 0 ? membersText(node, name) : ""
  return members === "" ? declarationText(node) : `interface ${name} {\n${members}}`
}

/** The members of a class in the order of its source; those that come from elsewhere last. */
const position = (node: ts.Node | undefined): number => node?.getStart() ?? Number.MAX_SAFE_INTEGER

const nameOf = (node: ts.Expression): string => ts.isCallExpression(node) ? nameOf(node.expression) : node.getText()

const fail = (name: string): never => {
  throw new Error(`${name} has no symbol`)
}

const longest = 1200

const constText = (node: ts.VariableDeclaration, name: string): string => {
  if (node.type !== undefined) return `const ${name}: ${node.type.getText()}`
  const type = typeText(checker.getTypeAtLocation(node), node)
  const source = node.initializer?.getText() ?? ""
  const isShorter = !ts.isArrowFunction(node.initializer ?? node) && source.length < type.length
  return isShorter || type.length > longest ? `const ${name} = ${source}` : `const ${name}: ${type}`
}

/** Without the docstring above it and the word `export`; the docstrings of its members stay. */
const declarationText = (node: ts.Statement): string => node.getText().replace(/^export (declare )?/, "")

const isExported = (node: ts.Statement): boolean =>
  ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true

const declared = (node: ts.Statement): ReadonlyArray<readonly [string, string]> => {
  if (!isExported(node)) return []
  if (ts.isVariableStatement(node)) {
    return node.declarationList.declarations.map((one) => [one.name.getText(), constText(one, one.name.getText())])
  }
  if (ts.isClassDeclaration(node)) {
    const name = node.name?.text ?? fail("a class")
    return [[name, classText(node, name)]]
  }
  if (ts.isInterfaceDeclaration(node)) return [[node.name.text, interfaceText(node)]]
  if (ts.isTypeAliasDeclaration(node)) return [[node.name.text, declarationText(node)]]
  throw new Error(
    `${node.getSourceFile().fileName}: an export of a kind that the reference does not know: ${
      printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()).slice(0, 80)
    }`
  )
}

const moduleOf = (one: Package, file: string): Module => {
  const source = program.getSourceFile(file) ?? fail(file)
  const entries = new Map<string, Entry>()
  for (const node of source.statements) {
    for (const [name, signature] of declared(node)) {
      const { docs, tags } = read(docsOf(node))
      const known = entries.get(name)
      entries.set(name, {
        name,
        docs: [known?.docs ?? "", docs].filter((text) => text !== "").join("\n\n"),
        tags: new Map([...known?.tags ?? [], ...tags]),
        signatures: [...known?.signatures ?? [], signature]
      })
    }
  }
  const first = /^\/\*\*[\s\S]*?\*\//.exec(source.text)?.[0] ?? ""
  const doc = ts.createSourceFile("doc.ts", `${first}\nlet x`, ts.ScriptTarget.ES2022, true).statements[0]
  return {
    package: one,
    name: basename(file, ".ts"),
    docs: doc === undefined ? "" : read(docsOf(doc)).docs,
    entries: [...entries.values()]
  }
}

/** Every public module, packages in alphabetical order. */
export const modules: ReadonlyArray<Module> = packages.flatMap((one) =>
  filesOf(one).map((file) => moduleOf(one, file)).filter(({ entries }) => entries.length > 0)
)

const anchor = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")

/** Whether an entry is a class of errors. */
const isError = ({ signatures }: Entry): boolean =>
  signatures.some((text) => /^class \w+ extends [\w.]*Error\b/.test(text))

/** Replaces links between docstrings: names of the module lead to its page, which is this one if `path` is empty. */
const withLinks = (one: Module, text: string, path: string): string =>
  text.replaceAll(
    /\{@link\s+([\w.]+)\}/g,
    (_, name: string) =>
      one.entries.some((entry) => entry.name === name) ? `[\`${name}\`](${path}#${anchor(name)})` : `\`${name}\``
  )

const page = (one: Module): string => {
  const linked = (text: string): string => withLinks(one, text, "")
  return [
    `---\ntitle: ${one.name}\noutline: [2, 3]\n---\n\n# ${one.name}\n`,
    `\`\`\`ts\nimport * as ${one.name} from "${one.package.manifest.name}/${one.name}"\n\`\`\`\n`,
    linked(one.docs),
    ...[...groups(one.entries)].map(([category, entries]) =>
      [
        `## ${category.charAt(0).toUpperCase()}${category.slice(1)} {#category-${anchor(category)}}`,
        ...entries.map((entry) =>
          [
            `### ${entry.name}`,
            linked(entry.docs),
            ...isError(entry) ? [`[What to do about it](../../errors.md#${anchor(entry.name)})`] : [],
            `\`\`\`ts\n${entry.signatures.join("\n\n")}\n\`\`\``
          ].join("\n\n")
        )
      ].join("\n\n")
    )
  ].join("\n")
}

const groups = (entries: ReadonlyArray<Entry>): ReadonlyMap<string, ReadonlyArray<Entry>> => {
  const found = new Map<string, Array<Entry>>()
  for (const entry of entries) {
    const category = entry.tags.get("category") ?? "other"
    const known = found.get(category)
    if (known === undefined) found.set(category, [entry])
    else known.push(entry)
  }
  return found
}

/** Writes the pages, an index of them, and for the site's links the names in each module. */
export const writeApi = (into: string): void => {
  rmSync(into, { recursive: true, force: true })
  // Its tables need the whole width.
  const index = ["---", "title: API", "aside: false", "---", "", "# API", ""]
  for (const one of packages) {
    const own = modules.filter((module) => module.package === one)
    if (own.length === 0) continue
    mkdirSync(join(into, one.folder), { recursive: true })
    index.push(`## ${one.manifest.name} {#${one.folder}}`, "", "| Module | |", "| --- | --- |")
    for (const module of own) {
      writeFileSync(join(into, one.folder, `${module.name}.md`), `${page(module)}\n`)
      const path = `./${one.folder}/${module.name}.md`
      const lead =
        withLinks(module, module.docs, path).split("\n\n")[0]?.replaceAll("\n", " ").replaceAll("|", "\\|") ?? ""
      index.push(`| [\`${module.name}\`](${path}) | ${lead} |`)
    }
    index.push("")
  }
  writeFileSync(join(into, "index.md"), index.join("\n"))
  writeFileSync(
    join(into, "names.json"),
    JSON.stringify(modules.map((one) => ({
      package: one.package.folder,
      module: one.name,
      names: one.entries.map(({ name }) => name),
      errors: one.entries.filter(isError).map(({ name }) => name)
    })))
  )
}
