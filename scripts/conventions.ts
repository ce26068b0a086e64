/** Conventions that no other tool checks. Each finding is one line: file, line, what to do. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import ts from "typescript"
import { architectureFindings } from "./architecture.js"
import { folders } from "./folders.js"
import { registryFindings } from "./registryNames.js"
import { differing } from "./repository.js"
import { notShown } from "./shown.js"
import { inventoryFindings } from "./stored.js"
import { filesBelow, packages, readJson, root } from "./workspace.js"

const longest = 600
const findings: Array<string> = []

const parse = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ES2022, true)

const report = (source: ts.SourceFile, node: ts.Node, message: string): void => {
  const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
  findings.push(`${relative(root, source.fileName)}:${line}: ${message}`)
}

/** `effect` and the packages of its family are imported module by module: `effect/Effect`. */
const noBarrels = (source: ts.SourceFile): void => {
  const barrel = /^(effect|@effect\/(?!vitest$|language-service$)[a-z-]+|@effect-klaytn\/[a-z]+)$/
  for (const statement of source.statements) {
    const from = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)
      ? statement.moduleSpecifier
      : undefined
    if (from !== undefined && ts.isStringLiteral(from) && barrel.test(from.text)) {
      report(source, statement, `import a module of "${from.text}", not its index`)
    }
  }
}

/** A cast has a comment that says why the types don't suffice. */
const noBareCasts = (source: ts.SourceFile): void => {
  const text = source.getFullText()
  const lines = text.split("\n")
  const isComment = (line: string): boolean => /^(\/\/|\/\*|\*)/.test(line.trim())
  const explained = (node: ts.Node): boolean => {
    const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line
    const last = source.getLineAndCharacterOfPosition(node.getEnd()).line
    if (lines.slice(first, last + 1).some((line) => /\/\/|\/\*/.test(line))) return true
    let at: ts.Node = node
    while (true) {
      const line = source.getLineAndCharacterOfPosition(at.getStart(source)).line
      if (line > 0 && isComment(lines[line - 1] ?? "")) return true
      if (ts.isStatement(at) || at.parent === undefined) return false
      at = at.parent
    }
  }
  const visit = (node: ts.Node): void => {
    if (ts.isTypeAssertionExpression(node) || ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)) {
      if (!explained(node)) report(source, node, "a cast needs a comment on its line or above it that says why")
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
}

/** A docstring line without a star: a tool that sorts imports or wraps lines took it for code and broke the example around it. */
const stars = (source: ts.SourceFile): void => {
  const docs = new Set<ts.Node>()
  const visit = (node: ts.Node): void => {
    ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).forEach((doc) => docs.add(doc))
    ts.forEachChild(node, visit)
  }
  visit(source)
  for (const doc of docs) {
    const lines = doc.getText(source).split("\n")
    const stray = lines.find((line, i) => i > 0 && !/^\s*\*/.test(line))
    if (stray !== undefined) report(source, doc, `a line of this docstring begins without a star: ${stray.trim()}`)
  }
}

const isGenerated = (file: string): boolean =>
  file.includes("/generated/") || file.endsWith(".generated.ts") ||
  /^\/\*[\s\S]{0,400}?@generated/.test(readFileSync(file, "utf8"))

const notTooLong = (source: ts.SourceFile): void => {
  const lines = source.getFullText().trimEnd().split("\n").length
  if (lines > longest && !isGenerated(source.fileName)) {
    findings.push(`${relative(root, source.fileName)}: ${lines} lines: one concept fits in ${longest}`)
  }
}

const longestFunction = 120
const longFunctionsFrom = 80
const mostLongFunctions = 8
const longFunctions: Array<string> = []

/** Collects long functions. A function that holds others counts with all their lines: they share its variables. */
const functionsNotTooLong = (source: ts.SourceFile): void => {
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) {
      const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line
      const lines = source.getLineAndCharacterOfPosition(node.getEnd()).line - first + 1
      const place = `${relative(root, source.fileName)}:${first + 1}`
      if (lines > longestFunction) {
        findings.push(`${place}: a function of ${lines} lines: split it, ${longestFunction} are the most`)
      }
      if (lines > longFunctionsFrom) longFunctions.push(`${place} (${lines})`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
}

const isExported = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) &&
  ts.getModifiers(node)?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword) === true

const namesOf = (statement: ts.Statement): ReadonlyArray<string> => {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map((declaration) => declaration.name.getText())
  }
  const named = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement) || ts.isModuleDeclaration(statement)
  return named && statement.name !== undefined ? [statement.name.getText()] : []
}

/** A public export has a description and a `@category`. A type and a value of one name share them. */
const documented = (source: ts.SourceFile): void => {
  const tagsOf = new Map<string, { readonly node: ts.Statement; readonly docs: Array<string> }>()
  for (const statement of source.statements) {
    if (!isExported(statement)) continue
    const docs = ts.getJSDocCommentsAndTags(statement).filter(ts.isJSDoc).map((doc) => doc.getText())
    for (const name of namesOf(statement)) {
      const known = tagsOf.get(name)
      if (known === undefined) tagsOf.set(name, { node: statement, docs: [...docs] })
      else known.docs.push(...docs)
    }
  }
  for (const [name, { docs, node }] of tagsOf) {
    const doc = docs.join("\n")
    if (!doc.includes("@category")) report(source, node, `${name} has no @category`)
    if (/@category\s+(utils|misc)/.test(doc)) report(source, node, `${name} needs a category that says something`)
    if (!/^\s*(\/\*)?\*+\s*[^\s@*/]/m.test(doc)) report(source, node, `${name} has no text that says what it means`)
  }
}

/** `tsconfig.build.json` builds the packages that `package.json` names, before this one. */
const references = (dir: string, needs: ReadonlyArray<string>): void => {
  interface BuildConfig {
    readonly references?: ReadonlyArray<{ readonly path: string }>
  }
  const file = join(dir, "tsconfig.build.json")
  if (!existsSync(file)) {
    findings.push(`${relative(root, file)}: missing`)
    return
  }
  const has = (readJson<BuildConfig>(file).references ?? []).map((reference) => reference.path).sort()
  const wants = needs.map((folder) => `../${folder}/tsconfig.build.json`).sort()
  if (has.join() !== wants.join()) {
    findings.push(`${relative(root, file)}: references must be ${JSON.stringify(wants)}, as package.json depends`)
  }
}

/** The layers of the sandbox's folders, lowest first: a folder may import those of lower layers but none of its own. */
const layers: ReadonlyArray<ReadonlyArray<string>> = [
  ["store", "contracts"],
  ["wallet", "http"],
  ["rpc"],
  ["control", "devRpc", "explorer", "openapi"]
]

const importsLowerLayers = (file: string, source: ts.SourceFile): void => {
  const inside = join(root, "packages/sandbox/src/internal")
  const folderOf = (path: string): string => relative(inside, path).split("/")[0] ?? ""
  const layerOf = (folder: string): number => layers.findIndex((folders) => folders.includes(folder))
  const folder = folderOf(file)
  if (!file.startsWith(inside) || layerOf(folder) < 0) return
  for (const statement of source.statements) {
    const from = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)
      ? statement.moduleSpecifier
      : undefined
    if (from === undefined || !ts.isStringLiteral(from) || !from.text.startsWith(".")) continue
    const other = folderOf(join(dirname(file), from.text))
    if (other !== folder && layerOf(other) >= layerOf(folder)) {
      report(source, statement, `${folder} is not above ${other}: what both need belongs in a lower layer`)
    }
  }
}

/** A package's pages are read without the repository, on the registry or in `node_modules`, so links must stay inside it. */
const linksInside = (dir: string): void => {
  for (const file of readdirSync(dir).filter((name) => name.endsWith(".md"))) {
    const lines = readFileSync(join(dir, file), "utf8").split("\n")
    for (const [i, line] of lines.entries()) {
      for (const [, target = ""] of line.matchAll(/\]\(([^)\s]+)\)/g)) {
        const path = target.replace(/#.*$/, "")
        const inside = path === "" || /^https?:/.test(path) ||
          !relative(dir, join(dir, path)).startsWith("..") && existsSync(join(dir, path))
        if (!inside) findings.push(`${relative(root, join(dir, file))}:${i + 1}: ${target} is no page of this package`)
      }
    }
  }
}

/** A README whose first column of a table is `Module` names every public one there, and no other; node has a table of parts. */
const modulesListed = (dir: string): void => {
  const readme = readFileSync(join(dir, "README.md"), "utf8")
  const [table] = /^\| Modules? [\s\S]*?(?=^(?!\|))/m.exec(readme) ?? []
  if (table === undefined || dir.endsWith("/node")) return
  const listed = new Set(
    table.split("\n").flatMap((row) =>
      Array.from((row.split("|")[1] ?? "").matchAll(/`([A-Z]\w+)`/g), ([, name = ""]) => name)
    )
  )
  const modules = readdirSync(join(dir, "src")).flatMap((file) => /^([A-Z]\w+)\.ts$/.exec(file)?.[1] ?? [])
  const missing = modules.filter((name) => !listed.has(name))
  const strange = [...listed].filter((name) => !modules.includes(name))
  const place = relative(root, join(dir, "README.md"))
  if (missing.length > 0) findings.push(`${place}: its table of modules lacks ${missing.join(", ")}`)
  if (strange.length > 0) {
    findings.push(`${place}: its table of modules names ${strange.join(", ")}, which it does not have`)
  }
}

/** A module whose name differs from that of a public one only in letter case would be mistaken for it. */
const namesOfTheirOwn = (dir: string): void => {
  const files = filesBelow(join(dir, "src"), ".ts")
  const isInternal = (file: string): boolean => relative(dir, file).startsWith("src/internal/")
  const known = new Map(files.filter((file) => !isInternal(file)).map((file) => [basename(file).toLowerCase(), file]))
  for (const file of files.filter(isInternal)) {
    const other = known.get(basename(file).toLowerCase())
    if (other !== undefined) {
      findings.push(`${relative(root, file)}: give it another name than ${relative(root, other)}`)
    }
  }
}

/** Names of types that say only that something was done to a value, and not what the value is. */
const participles = new Set(["Asked", "Begun", "Sought", "Wanted"])

/** The dialect of CONTRIBUTING.md, as far as a program can tell. `isPublic`: the file is a public module. */
const inDialect = (source: ts.SourceFile, isPublic: boolean): void => {
  const visit = (node: ts.Node): void => {
    const isType = ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)
    if (isType && node.name !== undefined && participles.has(node.name.text)) {
      report(source, node, `name the type ${node.name.text} after what its values are`)
    }
    if (
      ts.isClassElement(node) && !ts.isConstructorDeclaration(node) && ts.canHaveModifiers(node) &&
      ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) === true
    ) report(source, node, "a private member is written #name")
    if (
      ts.isVariableDeclaration(node) && node.type === undefined && node.initializer !== undefined &&
      ts.isArrowFunction(node.initializer) &&
      node.initializer.typeParameters === undefined && !(isPublic && isExported(node.parent.parent))
    ) {
      const { body } = node.initializer
      const isGenerator = ts.isCallExpression(body) && body.expression.getText(source) === "Effect.gen" &&
        body.arguments.length === 1
      if (isGenerator) report(source, node, "a function that is one generator is made with Effect.fnUntraced")
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
}

/** What a session that may only connect to Postgres, or read, could hold, and a statement would wait for. */
const waitsForStrangers = /pg_advisory_(xact_)?lock|\bTRUNCATE [^)]/

/** Statements of Postgres don't wait for strangers. */
const waitsForNobody = (source: ts.SourceFile): void => {
  const visit = (node: ts.Node): void => {
    const text = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)
      ? node.text
      : ""
    if (waitsForStrangers.test(text)) report(source, node, "others could hold this lock: use Locks of packages/store")
    ts.forEachChild(node, visit)
  }
  visit(source)
}

/** Rows of `@effect/sql` are read by the names of their columns: `values` of a statement gives them in the order of a query that may change. */
const rowsByName = (source: ts.SourceFile): void => {
  if (!/from "@effect\/sql\//.test(source.getFullText())) return
  const visit = (node: ts.Node): void => {
    const isCalled = ts.isCallExpression(node.parent) && node.parent.expression === node
    if (ts.isPropertyAccessExpression(node) && node.name.text === "values" && !isCalled) {
      report(source, node, "read rows by the names of their columns: Rows of packages/store")
    }
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(source, visit)
}

for (const { dir, folder, needs } of packages) {
  namesOfTheirOwn(dir)
  references(dir, needs)
  linksInside(dir)
  modulesListed(dir)
  for (const file of filesBelow(join(dir, "src"), ".ts").filter((file) => !isGenerated(file))) {
    const source = parse(file)
    noBarrels(source)
    noBareCasts(source)
    stars(source)
    notTooLong(source)
    functionsNotTooLong(source)
    waitsForNobody(source)
    rowsByName(source)
    importsLowerLayers(file, source)
    if (folders[folder] !== undefined) inDialect(source, !relative(dir, file).startsWith("src/internal/"))
    if (!relative(dir, file).startsWith("src/internal/")) documented(source)
  }
  for (const file of ["test", "dtslint"].flatMap((part) => filesBelow(join(dir, part), ".ts"))) noBarrels(parse(file))
  if (!existsSync(join(dir, "LICENSE"))) findings.push(`packages/${folder}/LICENSE: missing`)
}
// The first program has to be short: it imports packages by their names.
for (const file of filesBelow(join(root, "examples"), ".ts").filter((file) => basename(file) !== "first.ts")) {
  noBarrels(parse(file))
}

findings.push(...differing(), ...notShown(), ...inventoryFindings(), ...registryFindings(), ...architectureFindings())

if (longFunctions.length > mostLongFunctions) {
  findings.push(
    `${longFunctions.length} functions have more than ${longFunctionsFrom} lines, ${mostLongFunctions} may: ` +
      `split some of ${longFunctions.join(", ")}`
  )
}

findings.forEach((finding) => console.log(finding))
process.exit(findings.length === 0 ? 0 : 1)
