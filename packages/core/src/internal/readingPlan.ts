/** What a schema says, as far as code has to know it: the order of things, and what need not be looked at twice. */
import * as Option from "effect/Option"
import * as AST from "effect/SchemaAST"

/** The name under which a record keeps what stands beside its fields, for those that do. */
export const keepers = new WeakMap<AST.AST, string>()

/** Transformations whose results are valid because of how they are made. */
export const trusted = new WeakSet<AST.AST>()

/** Annotations that change how a part is read. */
export const isSpecial = (ast: AST.AST): boolean =>
  Option.isSome(AST.getParseOptionsAnnotation(ast)) || Option.isSome(AST.getDecodingFallbackAnnotation(ast))

/** Whether the members of a union that are like this one are tried in the order that `effect/Schema` has. */
const keepsMemberOrder = (ast: AST.AST): boolean => {
  switch (ast._tag) {
    case "Declaration":
      return false
    case "TupleType":
      return ast.elements.length === 0
    case "Refinement":
    case "Transformation":
      return keepsMemberOrder(ast.from)
    case "Suspend":
      return keepsMemberOrder(ast.f())
    default:
      return true
  }
}

interface Mark {
  readonly name: PropertyKey
  readonly literal: AST.LiteralValue
}

/** The literals that the fields of a record are known by. */
const marksOf = (ast: AST.AST): ReadonlyArray<Mark> => {
  switch (ast._tag) {
    case "Refinement":
    case "Transformation":
      return marksOf(ast.from)
    case "Suspend":
      return marksOf(ast.f())
    case "TypeLiteral":
      return ast.propertySignatures.flatMap(({ isOptional, name, type }) => {
        const encoded = AST.encodedAST(type)
        return AST.isLiteral(encoded) && !isOptional ? [{ name, literal: encoded.literal }] : []
      })
    default:
      return []
  }
}

/** The members of a union in the order in which they are tried. */
export interface UnionPlan {
  /** Members that are known by a text, or by another literal, in one field: they come first, as in `effect/Schema`. */
  readonly marked: ReadonlyMap<AST.LiteralValue, ReadonlyArray<AST.AST>>
  readonly field: string | undefined
  readonly others: ReadonlyArray<AST.AST>
}

/** How a union is read, if it is one that has code. */
export const unionPlan = (ast: AST.Union): UnionPlan | undefined => {
  if (!ast.types.every(keepsMemberOrder)) return undefined
  const marked = new Map<AST.LiteralValue, Array<AST.AST>>()
  const others: Array<AST.AST> = []
  let field: string | undefined
  for (const type of ast.types) {
    const marks = marksOf(type)
    const [mark] = marks
    if (mark === undefined) {
      others.push(type)
      continue
    }
    if (!isOrdinary(mark) || typeof mark.name !== "string" || mark.literal === "__proto__") return undefined
    field ??= mark.name
    const alike = marked.get(mark.literal) ?? []
    // Those that are alike in one field may be told apart by the next: `effect/Schema` knows how.
    if (mark.name !== field || (alike.length > 0 && marks.length > 1)) return undefined
    marked.set(mark.literal, [...alike, type])
  }
  return { marked, field, others }
}

/** Whether this is any value at all, however deep. */
export const isAny = (ast: AST.AST): boolean => AST.isUnknownKeyword(ast) && !isSpecial(ast)

const isNull = (ast: AST.AST): boolean => AST.isLiteral(ast) && ast.literal === null

/** Whether two descriptions of values are the same, though they are not one. */
const isSame = (one: AST.AST, other: AST.AST): boolean => {
  if (one === other) return true
  if (isSpecial(other)) return false
  if (AST.isUnion(other)) {
    return AST.isUnion(one)
      ? areSame(one.types.map(described), other.types.map(described))
      : other.types.some((type) => isSame(one, type)) &&
        other.types.every((type) => isSame(one, type) || isScalar(type))
  }
  if (AST.isLiteral(one)) return AST.isLiteral(other) && one.literal === other.literal
  if (AST.isRefinement(one)) {
    return AST.isRefinement(other) && one.filter === other.filter && isSame(one.from, other.from)
  }
  if (AST.isTupleType(one)) {
    return AST.isTupleType(other) && areSame(one.elements, other.elements) && areSame(one.rest, other.rest)
  }
  return AST.isTypeLiteral(one) && AST.isTypeLiteral(other) &&
    areSame(one.propertySignatures, other.propertySignatures) &&
    areSame(one.indexSignatures, other.indexSignatures)
}

const described = (type: AST.AST): Described => ({ type })

/** Whether what is taken is only looked at, and stays as it is. */
const isScalar = (ast: AST.AST): boolean => AST.isUndefinedKeyword(ast) || AST.isLiteral(ast)

interface Described {
  readonly type: AST.AST
  readonly name?: PropertyKey
  readonly isOptional?: boolean
  readonly parameter?: AST.AST
}

const areSame = (ones: ReadonlyArray<Described>, others: ReadonlyArray<Described>): boolean =>
  ones.length === others.length && ones.every((one, i) => {
    const other = others[i]
    return other !== undefined && one.name === other.name && one.isOptional === other.isOptional &&
      one.parameter === other.parameter && isSame(one.type, other.type)
  })

/** Whether what the one gives is always one of the other, nulls and undefined apart. */
export const gives = (from: AST.AST, to: AST.AST): boolean =>
  isSame(AST.typeAST(from), to) || (AST.isUnion(from) &&
    from.types.every((type) => gives(type, to) || AST.isUndefinedKeyword(type) || isNull(AST.typeAST(type))))

/** A field of a record: where it stands, and how it is read. */
export interface Field {
  readonly name: PropertyKey
  readonly isOptional: boolean
  readonly type: AST.AST
}

/** A field as it goes out, and what it is made from. */
export interface Target extends Field {
  readonly from: Field | undefined
  readonly change: ((found: Option.Option<unknown>) => Option.Option<unknown>) | undefined
}

/** A record: its fields on the wire and in the program, and what becomes of all others. */
export interface RecordPlan {
  readonly from: ReadonlyArray<Field>
  readonly to: ReadonlyArray<Target>
  /** The name under which all other fields are kept. */
  readonly under: string | undefined
}

/** Names that an object literal or an assignment would not take as they are, and those that are no text. */
const isOrdinary = ({ name }: { readonly name: PropertyKey }): boolean =>
  typeof name === "string" && name !== "__proto__"

/** Whether a record has the fields that it names, and no others, or any others if it is an open one. */
const hasFields = (ast: AST.AST, isOpen: boolean): ast is AST.TypeLiteral =>
  AST.isTypeLiteral(ast) && ast.propertySignatures.length > 0 && ast.propertySignatures.every(isOrdinary) &&
  ast.indexSignatures.length === (isOpen ? 1 : 0) && !isSpecial(ast) &&
  ast.indexSignatures.every(({ parameter, type }) => AST.isStringKeyword(parameter) && isAny(type))

/** Each field of one record from that of another: most keep their names, some have one changed, or are made anew. */
const targetsOf = (
  from: ReadonlyArray<Field>,
  to: ReadonlyArray<Field>,
  changes: AST.TypeLiteralTransformation["propertySignatureTransformations"]
): ReadonlyArray<Target> | undefined => {
  const taken = new Set(changes.map(({ from }) => from))
  const isCrossed = changes.some(({ from, to }) => from !== to && taken.has(to))
  if (isCrossed || taken.size < changes.length) return undefined
  return to.map((field) => {
    const change = changes.find(({ to }) => to === field.name)
    const name = change?.from ?? field.name
    const source = change === undefined && taken.has(name) ? undefined : from.find((other) => other.name === name)
    return { ...field, from: source, change: change?.decode }
  })
}

/** How a record is read, if it is one that has code. An open one has any other fields too. */
export const recordPlan = (ast: AST.AST, isOpen = false): RecordPlan | undefined => {
  if (hasFields(ast, isOpen)) {
    const from = ast.propertySignatures
    return { from, to: from.map((field) => ({ ...field, from: field, change: undefined })), under: undefined }
  }
  if (!AST.isTransformation(ast) || isSpecial(ast)) return undefined
  const { from, to, transformation } = ast
  const kept = keepers.get(ast)
  if (kept !== undefined) {
    const inner = recordPlan(from, true)
    return inner === undefined ? undefined : { ...inner, under: kept }
  }
  if (transformation._tag !== "TypeLiteralTransformation") return undefined
  if (!hasFields(from, isOpen) || !hasFields(to, isOpen)) return undefined
  const targets = targetsOf(
    from.propertySignatures,
    to.propertySignatures,
    transformation.propertySignatureTransformations
  )
  return targets === undefined ? undefined : { from: from.propertySignatures, to: targets, under: undefined }
}
