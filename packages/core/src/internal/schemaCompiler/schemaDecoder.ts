/**
 * Decoders that read a valid value in one pass and let the schema report what is wrong with any other, and what can be
 * declared about a schema to make them faster.
 */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as plan from "./plan.js"

/** Copies a schema together with its identifier, which `annotations` would drop. */
const copy = <A, I, R>(schema: Schema.Schema<A, I, R>): Schema.Schema<A, I, R> =>
  schema.annotations(Option.match(AST.getIdentifierAnnotation(schema.ast), {
    onNone: () => ({}),
    onSome: (identifier) => ({ identifier })
  }))

/** Gives a schema a custom reader. */
export const withCustomReader = <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  read: (value: unknown) => A | plan.Fallback
): Schema.Schema<A, I, R> => {
  const made = copy(schema)
  plan.customReaders.set(made.ast, read)
  return made
}

/** Declares that a record keeps its unknown fields, unchanged, under the name `under`. */
export const keepsOthers = <A, I, R>(schema: Schema.Schema<A, I, R>, under: string): Schema.Schema<A, I, R> => {
  const made = copy(schema)
  plan.restFields.set(made.ast, under)
  return made
}

/** Declares that a transformation always returns a valid value. */
export const outputIsValid = <A, I, R>(schema: Schema.Schema<A, I, R>): Schema.Schema<A, I, R> => {
  const made = copy(schema)
  plan.alwaysValid.add(made.ast)
  return made
}

/** A field that may be missing, `null` or, unless the schema accepts one, an empty string. */
export const optional = <A, I>(
  schema: Schema.Schema<A, I>
): Schema.PropertySignature<"?:", A | undefined, never, "?:", I | null | "" | undefined, false> =>
  Schema.optionalToOptional(
    Schema.Union(schema, Schema.Null, Schema.transformLiteral("", null), Schema.Undefined),
    Schema.UndefinedOr(Schema.typeSchema(schema)),
    { decode: plan.dropNull, encode: (value) => value }
  )

/** A field that is missing or `null` when it has no value. */
export const nullable = <A, I>(
  schema: Schema.Schema<A, I>
): Schema.PropertySignature<"?:", A, never, "?:", I | null, false> =>
  Schema.optionalToOptional(Schema.NullOr(schema), Schema.typeSchema(schema), {
    decode: plan.dropNull,
    encode: (value) => value
  })

const tooDeep = `expected a value whose lists and objects are nested at most ${plan.maxDepth} deep`

/**
 * Decodes a value as its schema does. A value that the compiled code does not accept is left to the schema, which
 * reports what is wrong. A schema that throws, as unions do for a tag that can't become a string, refuses the value
 * too.
 */
export const make = <A, I>(
  schema: Schema.Schema<A, I>,
  compile: plan.Compile
): (value: unknown) => Either.Either<A, ParseResult.ParseError> => {
  const refused = (value: unknown, message?: string): Either.Either<A, ParseResult.ParseError> =>
    Either.left(ParseResult.parseError(new ParseResult.Type(schema.ast, value, message)))
  const slowly = (value: unknown): Either.Either<A, ParseResult.ParseError> => {
    try {
      return plan.isTooDeep(value) ? refused(value, tooDeep) : Schema.decodeUnknownEither(schema)(value)
    } catch {
      return refused(value)
    }
  }
  let read: plan.Reader | undefined
  return (value) => {
    let made: unknown
    try {
      read ??= compile(schema.ast)
      made = read(value)
    } catch {
      return slowly(value)
    }
    // A reader is untyped; it returns what its schema returns.
    return made === plan.fallback ? slowly(value) : Either.right(made as A)
  }
}
