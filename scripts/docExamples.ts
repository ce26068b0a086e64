/**
 * Type-checks every `@example` of the sources and every `ts` block of the README files and the site, in one program and in
 * memory, each as if it were beside the file it comes from. Findings point to lines of that file.
 */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import ts from "typescript"
import { filesBelow, packages, root } from "./workspace.js"

interface Example {
  readonly from: string
  /** Number of lines of `from` before the example. */
  readonly above: number
  readonly text: string
}

/**
 * Finds docstring lines that do not begin with a star: a tool that sorts imports or wraps lines took them for code and broke
 * the example around them. Comments inside template strings don't count.
 */
const strayLines = (file: string): ReadonlyArray<string> => {
  const text = readFileSync(file, "utf8")
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true)
  const docs: Array<ts.Node> = []
  const visit = (node: ts.Node): void => {
    docs.push(...ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return [...new Set(docs)].flatMap((doc) => {
    const first = source.getLineAndCharacterOfPosition(doc.getStart(source)).line + 1
    return doc.getText(source).split("\n").flatMap((line, i) =>
      i === 0 || /^\s*\*/.test(line)
        ? []
        : [
          `${relative(root, file)}:${first + i}: a line of a docstring begins without a star: ${
            line.trim().slice(0, 60)
          }`
        ]
    )
  })
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

const virtual = new Map(examples.map((example) => {
  const name = `${relative(dirname(example.from), example.from).replaceAll(".", "_")}_${example.above}.example.ts`
  return [join(dirname(example.from), name), example] as const
}))

const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
const settings: ts.CompilerOptions = {
  ...options,
  noUnusedLocals: false,
  noUnusedParameters: false,
  paths: Object.fromEntries(packages.flatMap(({ folder, manifest }) => [
    [manifest.name, [join(root, "packages", folder, "src", "index.ts")]],
    [`${manifest.name}/*`, [join(root, "packages", folder, "src", "*.ts")]]
  ]))
}

const host = ts.createCompilerHost(settings)
const original = { fileExists: host.fileExists, readFile: host.readFile, getSourceFile: host.getSourceFile }
host.fileExists = (file) => virtual.has(file) || original.fileExists(file)
host.readFile = (file) => virtual.get(file)?.text ?? original.readFile(file)
host.getSourceFile = (file, target, ...rest) => {
  const example = virtual.get(file)
  return example === undefined
    ? original.getSourceFile(file, target, ...rest)
    : ts.createSourceFile(file, example.text, target)
}

const program = ts.createProgram({ rootNames: [...virtual.keys()], options: settings, host })
const stray = packages.flatMap((one) => filesBelow(join(one.dir, "src"), ".ts").flatMap(strayLines))
stray.forEach((finding) => console.log(finding))
let wrong = stray.length
for (const [file, example] of virtual) {
  const source = program.getSourceFile(file)
  for (const one of [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]) {
    const line = example.above + 1 + (source?.getLineAndCharacterOfPosition(one.start ?? 0).line ?? 0)
    console.log(`${relative(root, example.from)}:${line}: ${ts.flattenDiagnosticMessageText(one.messageText, "\n")}`)
    wrong++
  }
}
console.log(`${examples.length} examples, ${wrong} findings`)
process.exit(wrong === 0 ? 0 : 1)
