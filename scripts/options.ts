/**
 * Prints the options of all public functions that are numbers or durations, found in the types. `examples/test/Options.test.ts` says
 * for each of them what is refused.
 */
import { basename, join, relative } from "node:path"
import ts from "typescript"
import { filesBelow, published, root } from "./workspace.js"

const configuration = (): ts.CompilerOptions => {
  const file = join(root, "tsconfig.json")
  const { config } = ts.readConfigFile(file, (name) => ts.sys.readFile(name))
  return ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, root, undefined, file).options
}

/** How deep options are nested at most, as `piece.first` of a range of logs. */
const deepest = 3

const lists = new Set(["Iterable", "ReadonlyArray", "Array", "ReadonlySet", "Set"])

/** Finds options from the parameters of functions. */
class Finder {
  /** Where an option is declared, by its name there. */
  readonly found = new Set<string>()
  readonly #seen = new Set<ts.Type>()

  constructor(private readonly checker: ts.TypeChecker) {}

  private placeOf({ declarations: [declaration] = [] }: ts.Symbol): ReadonlyArray<string> | undefined {
    if (declaration === undefined) return undefined
    const [, folder, source, ...rest] = relative(root, declaration.getSourceFile().fileName).split("/")
    return source === "src" && folder !== undefined ? [folder, ...rest] : undefined
  }

  /** The name of an option: its module, the type or function that it is declared in, and its own name. */
  private nameOf(property: ts.Symbol): string {
    const [folder, ...path] = this.placeOf(property) ?? []
    const names = [property.name]
    for (let at: ts.Node | undefined = property.declarations?.[0]?.parent; at !== undefined; at = at.parent) {
      if (
        ts.isInterfaceDeclaration(at) || ts.isTypeAliasDeclaration(at) || ts.isVariableDeclaration(at) ||
        ts.isPropertySignature(at) || ts.isPropertyAssignment(at)
      ) names.unshift(at.name.getText())
    }
    return `${folder}/${path.join("/").replace(/\.ts$/, "")}.${names.join(".")}`
  }

  private isOption(type: ts.Type): boolean {
    const parts = type.isUnion() ? type.types : [type]
    const isNumbers = (part: ts.Type): boolean => {
      if ((part.flags & ts.TypeFlags.Number) !== 0) return true
      if (part.symbol?.name === "Duration") return this.placeOf(part.symbol) === undefined
      if (!lists.has(part.symbol?.name)) return false
      // A list has type arguments.
      const [item] = this.checker.getTypeArguments(part as ts.TypeReference)
      return item !== undefined && (item.flags & ts.TypeFlags.Number) !== 0
    }
    return parts.some(isNumbers)
  }

  /** Looks for options in an object that a function gets. A value that must be given is data, unless it is so written. */
  private visit(type: ts.Type, depth: number): void {
    for (const part of type.isUnion() ? type.types : [type]) {
      const isObject = (part.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0
      if (!isObject || depth === 0 || this.#seen.has(part) || part.getCallSignatures().length > 0) continue
      this.#seen.add(part)
      for (const property of part.getProperties()) {
        if (this.placeOf(property) === undefined) continue
        const given = this.checker.getTypeOfSymbol(property)
        const { parent } = property.declarations?.[0] ?? {}
        const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0
        const isWritten = parent !== undefined && (ts.isTypeLiteralNode(parent) && ts.isParameter(parent.parent) ||
          ts.isInterfaceDeclaration(parent) && /(Options|Limits)$/.test(parent.name.text))
        if (this.isOption(given)) {
          if (isOptional || isWritten) this.found.add(this.nameOf(property))
        } else this.visit(given, depth - 1)
      }
    }
  }

  private functionsOf(type: ts.Type, name: string): void {
    for (const parameter of type.getCallSignatures().flatMap((one) => one.getParameters())) {
      const given = this.checker.getTypeOfSymbol(parameter)
      const isDuration = given.isUnion() && given.types.some(({ symbol }) => symbol?.name === "Duration")
      if (isDuration) this.found.add(`${name}(${parameter.name})`)
      else this.visit(given, deepest)
    }
  }

  /** The functions of a module: those that it exports, and those of the services that it declares. */
  module(symbol: ts.Symbol, name: string): void {
    for (const exported of this.checker.getExportsOfModule(symbol)) {
      const one = (exported.flags & ts.SymbolFlags.Alias) === 0 ? exported : this.checker.getAliasedSymbol(exported)
      if (this.placeOf(one) === undefined) continue
      if ((one.flags & ts.SymbolFlags.Value) !== 0) {
        this.functionsOf(this.checker.getTypeOfSymbol(one), `${name}.${exported.name}`)
      }
      if ((one.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) === 0) continue
      for (const member of this.checker.getDeclaredTypeOfSymbol(one).getProperties()) {
        const type = this.checker.getTypeOfSymbol(member)
        if (this.placeOf(member) !== undefined) this.functionsOf(type, `${name}.${exported.name}.${member.name}`)
        // A list has its streams as properties.
        for (const stream of type.getCallSignatures().length === 0 ? [] : type.getProperties()) {
          this.functionsOf(
            this.checker.getTypeOfSymbol(stream),
            `${name}.${exported.name}.${member.name}.${stream.name}`
          )
        }
      }
    }
  }
}

/** Every option, as `package/Module.Declaration.option`, in alphabetical order. */
const numericOptions = (): ReadonlyArray<string> => {
  const files = published.flatMap(({ dir, folder }) =>
    filesBelow(join(dir, "src"), ".ts")
      .filter((file) => !file.includes("/internal/") && basename(file) !== "index.ts")
      .map((file) => ({ file, name: `${folder}/${basename(file, ".ts")}` }))
  )
  const program = ts.createProgram(files.map(({ file }) => file), { ...configuration(), noEmit: true })
  const checker = program.getTypeChecker()
  const finder = new Finder(checker)
  for (const { file, name } of files) {
    const source = program.getSourceFile(file)
    const symbol = source && checker.getSymbolAtLocation(source)
    if (symbol !== undefined) finder.module(symbol, name)
  }
  return [...finder.found].toSorted()
}

console.log(numericOptions().join("\n"))
