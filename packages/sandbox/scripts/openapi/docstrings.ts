/**
 * What the docstrings of the contracts say of operations, records and fields. The compiler finds the declaration of each
 * field, also behind a spread, so its docstring in that one place is enough.
 */
import { join } from "node:path"
import ts from "typescript"

/** Something that a contract declares: its docstring as plain text, and the fields in it by their names in JSON. */
export interface Described {
  readonly text: string
  readonly fields: ReadonlyMap<string, Described>
}

/** What the contracts declare: operations by ID, records by identifier, and constants, such as `ServiceCode.gateway`. */
export interface Docstrings {
  readonly operations: ReadonlyMap<string, Described>
  readonly records: ReadonlyMap<string, Described>
  readonly constants: ReadonlyMap<string, Described>
}

const packages = join(import.meta.dirname, "../../..")

/** The lead and the details of a docstring, without examples and links. Tables and lists keep their lines. */
const plain = (comment: string): string =>
  comment
    .split(/\n\*\*(?:Example|Gotchas)/)[0]
    ?.replace(/\*\*Details\*\*\n/g, "")
    .replace(/\{@link\s+([^}]+)\}/g, "`$1`")
    .split(/\n{2,}/)
    .map((part) => /^\s*[|-]/m.test(part) ? part.trim() : part.replace(/\s+/g, " ").trim())
    .filter((part) => part !== "")
    .join("\n\n") ?? ""

const textOf = (node: ts.Node): string => {
  const docs = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).at(-1)
  return plain(ts.getTextOfJSDocComment(docs?.comment) ?? "")
}

const isText = (node: ts.Node | undefined): node is ts.StringLiteral => node !== undefined && ts.isStringLiteral(node)

const isReference = (type: ts.Type): type is ts.TypeReference => "target" in type

const described = (node: ts.Node, fields: () => Described["fields"]): Described => {
  let found: Described["fields"] | undefined
  return {
    text: textOf(node),
    get fields() {
      return found ??= fields()
    }
  }
}

const both = (one: Described, other: Described): Described => ({
  text: one.text === "" ? other.text : one.text,
  get fields() {
    return new Map([...other.fields, ...one.fields])
  }
})

const isPipe = (node: ts.Node): node is ts.CallExpression =>
  ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) &&
  ["annotations", "pipe"].includes(node.expression.name.text)

/** Follows declarations through the types of the program. */
class Declarations {
  constructor(private readonly checker: ts.TypeChecker) {}

  /** The type arguments of a type with this name. */
  private argumentsOf(type: ts.Type, name: string): ReadonlyArray<ts.Type> {
    return type.symbol?.name === name && isReference(type) ? this.checker.getTypeArguments(type) : []
  }

  /** The properties of a struct, of a record that keeps other fields, or of an object literal. */
  private propertiesOf(type: ts.Type): ReadonlyArray<ts.Symbol> | undefined {
    const fields = type.getProperty("fields")
    if (fields !== undefined) return this.checker.getTypeOfSymbol(fields).getProperties()
    const [kept] = this.argumentsOf(type, "WithExtra")
    if (kept !== undefined) return kept.getProperties()
    const isRecord = ((type.symbol?.flags ?? 0) & (ts.SymbolFlags.ObjectLiteral | ts.SymbolFlags.TypeLiteral)) !== 0
    return isRecord && type.getCallSignatures().length === 0 ? type.getProperties() : undefined
  }

  /** The properties of the records in an expression, such as the struct in an optional array of structs. */
  private propertiesIn(node: ts.Node): ReadonlyArray<ts.Symbol> {
    const own = ts.isExpression(node) ? this.propertiesOf(this.checker.getTypeAtLocation(node)) : undefined
    if (own !== undefined) return own
    const found: Array<ts.Symbol> = []
    ts.forEachChild(node, (child) => {
      // Not annotations and options.
      if (!ts.isObjectLiteralExpression(child)) found.push(...this.propertiesIn(child))
    })
    return found
  }

  /** Of fields with one name, as in the members of a union, the first docstring counts. */
  private fieldsOf(properties: ReadonlyArray<ts.Symbol>): ReadonlyMap<string, Described> {
    const fields = new Map<string, Described>()
    for (const property of properties) {
      const node = property.declarations?.[0]
      if (node === undefined) continue
      const type = this.checker.getTypeOfSymbol(property)
      // A property that is read from another key has that key in its type.
      const [, , key] = this.argumentsOf(type, "PropertySignature")
      const name = key?.isStringLiteral() === true ? key.value : property.name
      const value = ts.isPropertyAssignment(node) ? node.initializer : node
      const found = described(node, () => this.fieldsOf(this.propertiesOf(type) ?? this.propertiesIn(value)))
      const first = fields.get(name)
      fields.set(name, first === undefined ? found : both(first, found))
    }
    return fields
  }

  /** What the docstring of one node says, with the fields that another node declares. */
  describe(documented: ts.Node, declaring: ts.Node): Described {
    return described(documented, () => this.fieldsOf(this.propertiesIn(declaring)))
  }
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
  lib: ["lib.es2023.d.ts"],
  types: []
}

/** Reads the docstrings of everything that the contracts in these files are made of. */
export const readDocstrings = (contracts: ReadonlyArray<string>): Docstrings => {
  const program = ts.createProgram(contracts.map((file) => join(packages, file)), options)
  const declarations = new Declarations(program.getTypeChecker())
  const operations = new Map<string, Described>()
  const records = new Map<string, Described>()
  const constants = new Map<string, Described>()

  const addRecord = (name: string, record: Described): void => {
    if (record.text !== "" || !records.has(name)) records.set(name, record)
  }

  /** `holder` is the constant or the property that the node belongs to. */
  const visit = (node: ts.Node, holder: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const [name, path, declaration] = node.arguments
      if (isText(name) && isText(path) && declaration !== undefined) {
        operations.set(name.text, declarations.describe(holder, declaration))
      } else if (isText(name)) addRecord(name.text, declarations.describe(holder, node))
    }
    if (ts.isPropertyAssignment(node) && /^identifier$|JSONIdentifierAnnotationId/.test(node.name.getText())) {
      const annotated = ts.findAncestor(node, isPipe) ?? ts.findAncestor(node, ts.isCallExpression)
      if (isText(node.initializer) && annotated !== undefined) {
        const documented = annotated.parent === holder ? holder : annotated
        addRecord(node.initializer.text, declarations.describe(documented, annotated))
      }
    }
    ts.forEachChild(node, (child) => visit(child, ts.isPropertyAssignment(node) ? node : holder))
  }
  for (const source of program.getSourceFiles()) {
    const module = /\/packages\/[\w-]+\/src\/.*?(\w+)\.ts$/.exec(source.fileName)?.[1]
    if (module === undefined || source.fileName.includes("/node_modules/")) continue
    for (const statement of source.statements.filter(ts.isVariableStatement)) {
      for (const declaration of statement.declarationList.declarations) {
        const name = `${module}.${declaration.name.getText()}`
        constants.set(name, declarations.describe(declaration, declaration.name))
        visit(declaration, declaration)
      }
    }
  }
  return { operations, records, constants }
}
