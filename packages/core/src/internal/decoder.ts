/** Schemas put together into functions that read a good value in one pass, and give up on any other. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import type { Unread } from "../Decoder.js"
import { deepest, isDeeperThan } from "./foreign.js"

/** What a reader gives for a value that is not what it should be, or that it can't tell about. */
export const unread: Unread = { _tag: "@effect-klaytn/core/Unread" }

type Read = (value: unknown) => unknown

/** The annotation of a schema that brings its reader along. */
const readerId = Symbol.for("@effect-klaytn/core/Decoder/reader")

const brought = AST.getAnnotation<Read>(readerId)

/** A schema with a reader of its own. */
export const withReader = <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  read: (value: unknown) => A | Unread
): Schema.Schema<A, I, R> => schema.annotations({ [readerId]: read })

/** A field that is missing, null or, where the schema does not take it, an empty text when there is none. */
export const optional = <A, I>(
  schema: Schema.Schema<A, I>
): Schema.PropertySignature<"?:", A | undefined, never, "?:", I | null | "" | undefined, false> =>
  Schema.optionalToOptional(
    Schema.Union(schema, Schema.Null, Schema.transformLiteral("", null), Schema.Undefined),
    Schema.UndefinedOr(Schema.typeSchema(schema)),
    { decode: Option.filter((value): value is A | undefined => value !== null), encode: (value) => value }
  )

const options: AST.ParseOptions = {}

/** What a part of a schema gave, if it gave it at once. */
const given = (result: unknown): unknown => Either.isEither(result) && Either.isRight(result) ? result.right : unread

const is = (test: (value: unknown) => boolean): Read => (value) => test(value) ? value : unread

/** Leaves a part to `effect/Schema`. */
const bySchema = (ast: AST.AST): Read => {
  const decode = ParseResult.decodeUnknownEither(Schema.make<unknown, unknown>(ast))
  return (value) => given(decode(value))
}

/** Annotations that change how a part is read. */
const isSpecial = (ast: AST.AST): boolean =>
  Option.isSome(AST.getParseOptionsAnnotation(ast)) || Option.isSome(AST.getDecodingFallbackAnnotation(ast))

const refinement = (ast: AST.Refinement): Read => {
  const from = reader(ast.from)
  return (input) => {
    const value = from(input)
    return value === unread || Option.isSome(ast.filter(value, options, ast)) ? unread : value
  }
}

interface Field {
  readonly name: PropertyKey
  readonly isOptional: boolean
  readonly read: Read
  readonly type: AST.AST
}

const isRecord = (ast: AST.AST): ast is AST.TypeLiteral =>
  AST.isTypeLiteral(ast) && ast.indexSignatures.length === 0 && ast.propertySignatures.length > 0 && !isSpecial(ast)

const fieldsOf = (ast: AST.TypeLiteral): ReadonlyArray<Field> =>
  ast.propertySignatures.map(({ isOptional, name, type }) => ({ name, isOptional, type, read: reader(type) }))

/** The value of a field; nothing if it is not there and need not be. */
const fieldIn = (input: { readonly [name: PropertyKey]: unknown }, { isOptional, name, read }: Field): unknown => {
  const value = input[name]
  return value === undefined && isOptional && !Object.hasOwn(input, name) ? nothing : read(value)
}

/** Stands for a field that is not there. */
const nothing: unique symbol = Symbol("@effect-klaytn/core/nothing")

const record = (ast: AST.TypeLiteral): Read => {
  const [index, ...others] = ast.indexSignatures
  if (others.length > 0 || (index === undefined && ast.propertySignatures.length === 0)) return bySchema(ast)
  if (index !== undefined && !AST.isStringKeyword(index.parameter)) return bySchema(ast)
  const fields = fieldsOf(ast)
  const names = new Set(ast.propertySignatures.map(({ name }) => name))
  const rest = index === undefined ? undefined : reader(index.type)
  return (input) => {
    if (!Predicate.isRecord(input)) return unread
    const output: { [name: PropertyKey]: unknown } = {}
    for (const field of fields) {
      const value = fieldIn(input, field)
      if (value === unread) return unread
      if (value !== nothing) output[field.name] = value
    }
    if (rest === undefined) return output
    for (const name of Object.keys(input)) {
      const value = rest(input[name])
      if (value === unread) return unread
      if (!names.has(name)) output[name] = value
    }
    return output
  }
}

/** Whether a value that a reader of the one gave is one of the other, if it is neither null nor undefined. */
const gives = (from: AST.AST, to: AST.AST): boolean => {
  if (AST.isUnion(from)) {
    return from.types.every((type) => gives(type, to) || AST.isUndefinedKeyword(type) || isNull(AST.typeAST(type)))
  }
  if (AST.isUnion(to)) return to.types.some((type) => gives(from, type))
  return AST.typeAST(from) === to
}

const isNull = (ast: AST.AST): boolean => AST.isLiteral(ast) && ast.literal === null

/** Where a field of a record comes from. */
interface Source {
  /** The place of the field that it is made from; -1 if there is none. */
  readonly place: number
  readonly change: ((found: Option.Option<unknown>) => Option.Option<unknown>) | undefined
  readonly to: Field
  readonly isSure: boolean
}

const sourcesOf = (
  from: ReadonlyArray<Field>,
  to: ReadonlyArray<Field>,
  changes: AST.TypeLiteralTransformation["propertySignatureTransformations"]
): ReadonlyArray<Source> | undefined => {
  const taken = new Set(changes.map(({ from }) => from))
  const isCrossed = changes.some(({ from, to }) => from !== to && taken.has(to))
  if (isCrossed || taken.size < changes.length) return undefined
  return to.map((field) => {
    const change = changes.find(({ to }) => to === field.name)
    const name = change?.from ?? field.name
    const place = change === undefined && taken.has(name) ? -1 : from.findIndex((other) => other.name === name)
    const source = from[place]
    return { place, change: change?.decode, to: field, isSure: source !== undefined && gives(source.type, field.type) }
  })
}

/** A record whose fields have other names, or are there at other times, than those that it is made from. */
const renamed = (
  fromAst: AST.TypeLiteral,
  toAst: AST.TypeLiteral,
  { propertySignatureTransformations }: AST.TypeLiteralTransformation
): Read | undefined => {
  const from = fieldsOf(fromAst)
  const sources = sourcesOf(from, fieldsOf(toAst), propertySignatureTransformations)
  if (sources === undefined) return undefined
  const none = Option.none()
  return (input) => {
    if (!Predicate.isRecord(input)) return unread
    const found: Array<unknown> = []
    for (const field of from) {
      const value = fieldIn(input, field)
      if (value === unread) return unread
      found.push(value)
    }
    const output: { [name: PropertyKey]: unknown } = {}
    for (const { change, isSure, place, to } of sources) {
      let value = place < 0 ? nothing : found[place]
      let isChanged = false
      if (change !== undefined) {
        const changed = change(value === nothing ? none : Option.some(value))
        const next = Option.isSome(changed) ? changed.value : nothing
        isChanged = next !== value
        value = next
      }
      if (value === nothing) {
        if (to.isOptional) continue
        value = undefined
      }
      const made = isSure && !isChanged && value !== undefined && value !== null ? value : to.read(value)
      if (made === unread) return unread
      output[to.name] = made
    }
    return output
  }
}

const transformed = (ast: AST.Transformation): Read => {
  const { transformation } = ast
  if (transformation._tag === "TypeLiteralTransformation") {
    const read = isRecord(ast.from) && isRecord(ast.to) ? renamed(ast.from, ast.to, transformation) : undefined
    return read ?? bySchema(ast)
  }
  const from = reader(ast.from)
  const to = reader(ast.to)
  const change = transformation._tag === "ComposeTransformation"
    ? (value: unknown): unknown => value
    : (value: unknown, input: unknown): unknown => given(transformation.decode(value, options, ast, input))
  return (input) => {
    const value = from(input)
    const made = value === unread ? unread : change(value, input)
    return made === unread ? unread : to(made)
  }
}

const list = (ast: AST.TupleType): Read => {
  const [rest, ...others] = ast.rest
  if (ast.elements.length > 0 || rest === undefined || others.length > 0) return bySchema(ast)
  const read = reader(rest.type)
  return (input) => {
    if (!Array.isArray(input)) return unread
    const output: Array<unknown> = []
    for (let i = 0; i < input.length; i++) {
      const value = read(input[i])
      if (value === unread) return unread
      output.push(value)
    }
    return output
  }
}

const first = (reads: ReadonlyArray<Read>): Read => (input) => {
  for (const read of reads) {
    const value = read(input)
    if (value !== unread) return value
  }
  return unread
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

/** Whether the members of a union that are like this one are tried in the order that `effect/Schema` has. */
const isPlain = (ast: AST.AST): boolean => {
  switch (ast._tag) {
    case "Declaration":
      return false
    case "TupleType":
      return ast.elements.length === 0
    case "Refinement":
    case "Transformation":
      return isPlain(ast.from)
    case "Suspend":
      return isPlain(ast.f())
    default:
      return true
  }
}

/** Members that are known by a literal in one field come first, as in `effect/Schema`. */
const union = (ast: AST.Union): Read => {
  if (!ast.types.every(isPlain)) return bySchema(ast)
  const marked = new Map<unknown, Array<Read>>()
  const others: Array<Read> = []
  let field: PropertyKey | undefined
  for (const type of ast.types) {
    const marks = marksOf(type)
    const [mark] = marks
    if (mark === undefined) {
      others.push(reader(type))
      continue
    }
    field ??= mark.name
    const alike = marked.get(mark.literal) ?? []
    // Those that are alike in one field may be told apart by the next: `effect/Schema` knows how.
    if (mark.name !== field || (alike.length > 0 && marks.length > 1)) return bySchema(ast)
    marked.set(mark.literal, [...alike, reader(type)])
  }
  const rest = first(others)
  if (field === undefined) return rest
  const name = field
  const byMark = new Map(Array.from(marked, ([literal, reads]) => [literal, first(reads)]))
  return (input) => {
    const read = Predicate.isRecord(input) ? byMark.get(input[name]) : undefined
    const value = read === undefined ? unread : read(input)
    return value === unread ? rest(input) : value
  }
}

const suspended = (ast: AST.Suspend): Read => {
  let made: Read | undefined
  return (input) => (made ??= reader(ast.f()))(input)
}

const compiled = (ast: AST.AST): Read => {
  switch (ast._tag) {
    case "UnknownKeyword":
    case "AnyKeyword":
    case "VoidKeyword":
      return (value) => isDeeperThan(value, deepest) ? unread : value
    case "StringKeyword":
      return is(Predicate.isString)
    case "NumberKeyword":
      return is(Predicate.isNumber)
    case "BooleanKeyword":
      return is(Predicate.isBoolean)
    case "BigIntKeyword":
      return is(Predicate.isBigInt)
    case "UndefinedKeyword":
      return is(Predicate.isUndefined)
    case "Literal":
      return is((value) => value === ast.literal)
    case "Refinement":
      return refinement(ast)
    case "Transformation":
      return transformed(ast)
    case "TypeLiteral":
      return record(ast)
    case "TupleType":
      return list(ast)
    case "Union":
      return union(ast)
    case "Suspend":
      return suspended(ast)
    case "Declaration": {
      const parse = ast.decodeUnknown(...ast.typeParameters)
      return (value) => given(parse(value, options, ast))
    }
    default:
      return bySchema(ast)
  }
}

const tooDeep = `expected a value whose lists and objects are nested at most ${deepest} deep`

const readers = new WeakMap<AST.AST, Read>()

const reader = (ast: AST.AST): Read => {
  const known = readers.get(ast)
  if (known !== undefined) return known
  const made = Option.getOrElse(brought(ast), () => isSpecial(ast) ? bySchema(ast) : compiled(ast))
  readers.set(ast, made)
  return made
}

/**
 * Reads a value as its schema does; whatever is not read at once is left to the schema, which tells what is wrong. One
 * that throws, as unions do for a tag that can't become a text, does not take the value either.
 */
export const make = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownEither(schema)
  const read = reader(schema.ast)
  const refused = (value: unknown, message?: string): Either.Either<A, ParseResult.ParseError> =>
    Either.left(ParseResult.parseError(new ParseResult.Type(schema.ast, value, message)))
  const slowly = (value: unknown): Either.Either<A, ParseResult.ParseError> => {
    try {
      return isDeeperThan(value, deepest) ? refused(value, tooDeep) : decode(value)
    } catch {
      return refused(value)
    }
  }
  return (value: unknown): Either.Either<A, ParseResult.ParseError> => {
    let made: unknown
    try {
      made = read(value)
    } catch {
      return slowly(value)
    }
    // The readers of a schema give what the schema gives.
    return made === unread ? slowly(value) : Either.right(made as A)
  }
}
