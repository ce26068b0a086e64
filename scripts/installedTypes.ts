/**
 * Type-checks files in installed projects as an application with the strictest settings would: a process of its own, which
 * `check:install` sends one task after another, so that the compiler is warm and npm works beside it.
 *
 * Ours is checked in every project. A declaration of another author's package is checked once for each way in which its
 * imports resolve: `effect` is the same in all projects, and takes most of the time.
 */
import { existsSync } from "node:fs"
import { join, relative } from "node:path"
import ts from "typescript"
import { readJson } from "./workspace.js"

/** What to check. */
export interface TypeCheck {
  readonly dir: string
  readonly files: ReadonlyArray<string>
  /** Where the files are compiled to, with declarations; without it nothing is written. */
  readonly outDir?: string
}

/** What is sent back for a task: the problems. */
export type Problems = ReadonlyArray<string>

const optionsOf = ({ dir, outDir }: TypeCheck): ts.CompilerOptions => ({
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  ...(outDir === undefined ? { noEmit: true } : { declaration: true, outDir: join(dir, outDir) }),
  types: existsSync(join(dir, "node_modules/@types/node")) ? ["node"] : [],
  typeRoots: [join(dir, "node_modules/@types")]
})

/** Names files and what their imports resolve to, in the same words in every project. */
const namesIn = (dir: string, options: ts.CompilerOptions) => {
  const host = ts.createCompilerHost(options)
  const cache = ts.createModuleResolutionCache(dir, (name) => name, options)
  const versions = new Map<string, string>()
  const versionOf = (folder: string): string => {
    const known = versions.get(folder)
    if (known !== undefined) return known
    const { version } = readJson<{ readonly version: string }>(join(folder, "package.json"))
    versions.set(folder, version)
    return version
  }
  /** A file of an installed package, with the version of the package. */
  const nameOf = (file: string): string => {
    const found = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\/(.*)$/.exec(file)
    const [, folder = "", name = "", path = ""] = found ?? []
    return found === null ? relative(dir, file) : `${name}@${versionOf(folder)}/${path}`
  }
  const keyOf = (file: ts.SourceFile): string => {
    const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(file.text, true, true)
    const imports = importedFiles.map(({ fileName }) => {
      const { resolvedModule } = ts.resolveModuleName(
        fileName,
        file.fileName,
        options,
        host,
        cache,
        undefined,
        file.impliedNodeFormat
      )
      return `${fileName}=${resolvedModule === undefined ? "nothing" : nameOf(resolvedModule.resolvedFileName)}`
    })
    const references = typeReferenceDirectives.map(({ fileName }) => fileName)
    return [nameOf(file.fileName), options.types?.join() ?? "", ...references, ...imports].join(" ")
  }
  return { nameOf, keyOf }
}

const isOurs = (dir: string, file: string): boolean => {
  const path = relative(dir, file)
  return !path.startsWith("..") && !/^node_modules\/(?!@effect-klaytn\/|library\/)/.test(path)
}

/** The declarations of other authors that were checked, each with what its imports resolved to. */
const checked = new Set<string>()

const check = (task: TypeCheck): Problems => {
  const { dir, files, outDir } = task
  const options = optionsOf(task)
  const program = ts.createProgram(files.map((file) => join(dir, file)), options)
  const { keyOf } = namesIn(dir, options)
  const found: Array<ts.Diagnostic> = [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()]
  for (const file of program.getSourceFiles()) {
    const key = isOurs(dir, file.fileName) ? undefined : keyOf(file)
    if (key !== undefined && checked.has(key)) continue
    if (key !== undefined) checked.add(key)
    found.push(...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file))
    if (outDir !== undefined && key === undefined) found.push(...program.getDeclarationDiagnostics(file))
  }
  if (outDir !== undefined) found.push(...program.emit().diagnostics)
  return [
    ...new Set(found.map((one) => {
      const where = one.file === undefined ? "" : `${relative(dir, one.file.fileName)}: `
      return `types: ${where}${ts.flattenDiagnosticMessageText(one.messageText, " ")}`
    }))
  ]
}

process.on("message", (task: TypeCheck) => process.send?.(check(task)))
