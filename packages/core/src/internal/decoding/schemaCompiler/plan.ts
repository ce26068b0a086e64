/**
 * What is known about a schema before code is generated: what was declared about it, the order in which members of a
 * union are tried, where each field of a record comes from, and which results need no second check.
 */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as AST from "effect/SchemaAST"

/** Decodes a value, or returns {@link fallback} for one that the schema would refuse. */
export type Reader = (value: unknown) => unknown

/** The type of {@link fallback}. */
export interface Fallback {
  readonly _tag: "@effect-klaytn/core/Fallback"
}

/** What a reader returns for an invalid value; `no` in generated code. */
export const fallback: Fallback = { _tag: "@effect-klaytn/core/Fallback" }

/** Compiles a schema, or finds what it was compiled to. */
export type Compile = (ast: AST.AST) => Reader

/** Readers that replace generated code, by the schema they belong to; a schema derived from it has none. */
export const customReaders = new WeakMap<AST.AST, Reader>()

/** For records that keep their unknown fields: the name of the field that holds them. */
export const restFields = new WeakMap<AST.AST, string>()

/** Transformations whose output is always valid, so that no code checks it. */
export const alwaysValid = new WeakSet<AST.AST>()

/** Treats `null` as missing: a field transformation that the generated code does without a call. */
export const dropNull = <A>(found: Option.Option<A>): Option.Option<Exclude<A, null>> =>
  Option.filter(found, (value): value is Exclude<A, null> => value !== null)

/** The deepest nesting that is decoded: more than any answer of the service has, and little enough for recursion. */
export const maxDepth = 1000

/** Whether a value is small, as most are; checked without a set of the objects seen. */
const isSmall = (value: unknown, levels: number, looks: { left: number }): boolean => {
  const isList = Array.isArray(value)
  if (!isList && !Predicate.isRecord(value)) return true
  if (levels === 0) return false
  if (isList) return value.every((one) => looks.left-- > 0 && isSmall(one, levels - 1, looks))
  for (const name in value) {
    if (looks.left-- === 0 || !isSmall(value[name], levels - 1, looks)) return false
  }
  return true
}

/** Whether lists and objects are nested deeper than {@link maxDepth}. */
export const isTooDeep = (value: unknown): boolean => {
  if (isSmall(value, 10, { left: 200 })) return false
  let level = new Set<object>(typeof value === "object" && value !== null ? [value] : [])
  for (let depth = 0; level.size > 0; depth++) {
    if (depth > maxDepth) return true
    const next = new Set<object>()
    for (const one of level) {
      for (const inner of Object.values(one)) if (typeof inner === "object" && inner !== null) next.add(inner)
    }
    level = next
  }
  return false
}

/** Whether a part has annotations that change how it is decoded. */
export const isSpecial = (ast: AST.AST): boolean =>
  Option.isSome(AST.getParseOptionsAnnotation(ast)) || Option.isSome(AST.getDecodingFallbackAnnotation(ast))

/** The part of a schema that reads the value first, before any refinement or transformation. */
const firstPart = (ast: AST.AST): AST.AST => {
  switch (ast._tag) {
    case "Refinement":
    case "Transformation":
      return firstPart(ast.from)
    case "Suspend":
      return firstPart(ast.f())
    default:
      return ast
  }
}

/** Whether union members like this one are tried in the same order as in `effect/Schema`. */
const keepsMemberOrder = (ast: AST.AST): boolean => {
  const first = firstPart(ast)
  return AST.isTupleType(first) ? first.elements.length === 0 : !AST.isDeclaration(first)
}

/** The fields of a record that always have the same value, by which it can be recognised. */
const literalFields = (ast: AST.AST) => {
  const first = firstPart(ast)
  if (!AST.isTypeLiteral(first)) return []
  return first.propertySignatures.flatMap(({ isOptional, name, type }) => {
    const encoded = AST.encodedAST(type)
    return AST.isLiteral(encoded) && !isOptional ? [{ name, literal: encoded.literal }] : []
  })
}

/** The members of a union, in the order in which they are tried. */
export interface UnionPlan {
  /** Members with a literal in one field that tells them apart: they come first, as in `effect/Schema`. */
  readonly byLiteral: ReadonlyMap<AST.LiteralValue, ReadonlyArray<AST.AST>>
  readonly field: string | undefined
  readonly others: ReadonlyArray<AST.AST>
}

/** How to decode a union, if it can be compiled. */
export const unionPlan = (ast: AST.Union): UnionPlan | undefined => {
  if (!ast.types.every(keepsMemberOrder)) return undefined
  const byLiteral = new Map<AST.LiteralValue, Array<AST.AST>>()
  const others: Array<AST.AST> = []
  let field: string | undefined
  for (const type of ast.types) {
    const fields = literalFields(type)
    const [first] = fields
    if (first === undefined) {
      others.push(type)
      continue
    }
    if (!isOrdinary(first) || typeof first.name !== "string" || first.literal === "__proto__") return undefined
    field ??= first.name
    const alike = byLiteral.get(first.literal) ?? []
    // Members that are equal in one field may differ in the next: this is left to `effect/Schema`.
    if (first.name !== field || (alike.length > 0 && fields.length > 1)) return undefined
    byLiteral.set(first.literal, [...alike, type])
  }
  return { byLiteral, field, others }
}

/** Whether a schema accepts any value, however deep. */
export const isAny = (ast: AST.AST): boolean => AST.isUnknownKeyword(ast) && !isSpecial(ast)

const isNull = (ast: AST.AST): boolean => AST.isLiteral(ast) && ast.literal === null

/** Whether two schemas describe the same values, even if they are different objects. */
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

/** Whether a schema only checks a value and leaves it unchanged. */
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

/** Whether every result of one schema is valid for the other, apart from `null` and `undefined`. */
export const isResultValidFor = (from: AST.AST, to: AST.AST): boolean =>
  isSame(AST.typeAST(from), to) || (AST.isUnion(from) &&
    from.types.every((type) => isResultValidFor(type, to) || AST.isUndefinedKeyword(type) || isNull(AST.typeAST(type))))

/** A field of a record: its name and its schema. */
export interface Field {
  readonly name: PropertyKey
  readonly isOptional: boolean
  readonly type: AST.AST
}

/** A field of the result, and what it is made from. */
export interface Target extends Field {
  readonly from: Field | undefined
  readonly change: ((found: Option.Option<unknown>) => Option.Option<unknown>) | undefined
}

/** A record: its fields on the wire and in the program, and what to do with all others. */
export interface RecordPlan {
  readonly from: ReadonlyArray<Field>
  readonly to: ReadonlyArray<Target>
  /** The name of the field that holds all other fields, if they are kept. */
  readonly restField: string | undefined
}

/** Whether a name can be used in an object literal or an assignment: a string other than `__proto__`. */
const isOrdinary = ({ name }: { readonly name: PropertyKey }): boolean =>
  typeof name === "string" && name !== "__proto__"

/** Whether a schema is a record with only its named fields or, if `isOpen`, with any others as well. */
const hasFields = (ast: AST.AST, isOpen: boolean): ast is AST.TypeLiteral =>
  AST.isTypeLiteral(ast) && ast.propertySignatures.length > 0 && ast.propertySignatures.every(isOrdinary) &&
  ast.indexSignatures.length === (isOpen ? 1 : 0) && !isSpecial(ast) &&
  ast.indexSignatures.every(({ parameter, type }) => AST.isStringKeyword(parameter) && isAny(type))

/** How each field of one record is made from those of another: most keep their names, some are renamed or new. */
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

/** How to decode a record, if it can be compiled. An open record may have any other fields too. */
export const recordPlan = (ast: AST.AST, isOpen = false): RecordPlan | undefined => {
  if (hasFields(ast, isOpen)) {
    const from = ast.propertySignatures
    return { from, to: from.map((field) => ({ ...field, from: field, change: undefined })), restField: undefined }
  }
  if (!AST.isTransformation(ast) || isSpecial(ast)) return undefined
  const { from, to, transformation } = ast
  const restField = restFields.get(ast)
  if (restField !== undefined) {
    const inner = recordPlan(from, true)
    return inner === undefined ? undefined : { ...inner, restField }
  }
  if (transformation._tag !== "TypeLiteralTransformation") return undefined
  if (!hasFields(from, isOpen) || !hasFields(to, isOpen)) return undefined
  const targets = targetsOf(
    from.propertySignatures,
    to.propertySignatures,
    transformation.propertySignatureTransformations
  )
  return targets === undefined ? undefined : { from: from.propertySignatures, to: targets, restField: undefined }
}
