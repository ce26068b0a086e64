/** Schemas as functions that read a good value in one pass, and have any other told by the schema. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import type { Fallback } from "../Decoder.js"
import * as compiler from "./compiler.js"
import { deepest, isDeeperThan } from "./foreign.js"
import { keepers, trusted as known } from "./readingPlan.js"

export const fallback: Fallback = compiler.fallback

/** The same schema once more: annotations leave out the name of what they are put on. */
const copy = <A, I, R>(schema: Schema.Schema<A, I, R>): Schema.Schema<A, I, R> =>
  schema.annotations(Option.match(AST.getIdentifierAnnotation(schema.ast), {
    onNone: () => ({}),
    onSome: (identifier) => ({ identifier })
  }))

/** A schema with a reader of its own. */
export const withCustomReader = <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  read: (value: unknown) => A | Fallback
): Schema.Schema<A, I, R> => {
  const made = copy(schema)
  compiler.customReaders.set(made.ast, read)
  return made
}

/** Says of a record that what stands beside its fields is kept, as it came, under one more name. */
export const keepsOthers = <A, I, R>(schema: Schema.Schema<A, I, R>, under: string): Schema.Schema<A, I, R> => {
  const made = copy(schema)
  keepers.set(made.ast, under)
  return made
}

/** Says of a transformation that what it makes is valid. */
export const trusted = <A, I, R>(schema: Schema.Schema<A, I, R>): Schema.Schema<A, I, R> => {
  const made = copy(schema)
  known.add(made.ast)
  return made
}

/** A field that is missing, null or, where the schema does not take it, an empty text when there is none. */
export const optional = <A, I>(
  schema: Schema.Schema<A, I>
): Schema.PropertySignature<"?:", A | undefined, never, "?:", I | null | "" | undefined, false> =>
  Schema.optionalToOptional(
    Schema.Union(schema, Schema.Null, Schema.transformLiteral("", null), Schema.Undefined),
    Schema.UndefinedOr(Schema.typeSchema(schema)),
    { decode: compiler.dropNull, encode: (value) => value }
  )

/** A field that is missing or null when there is nothing in it. */
export const nullable = <A, I>(
  schema: Schema.Schema<A, I>
): Schema.PropertySignature<"?:", A, never, "?:", I | null, false> =>
  Schema.optionalToOptional(Schema.NullOr(schema), Schema.typeSchema(schema), {
    decode: compiler.dropNull,
    encode: (value) => value
  })

const tooDeep = `expected a value whose lists and objects are nested at most ${deepest} deep`

/**
 * Reads a value as its schema does; whatever is not read at once is left to the schema, which tells what is wrong. One
 * that throws, as unions do for a tag that can't become a text, does not take the value either.
 */
export const make = <A, I>(schema: Schema.Schema<A, I>) => {
  const refused = (value: unknown, message?: string): Either.Either<A, ParseResult.ParseError> =>
    Either.left(ParseResult.parseError(new ParseResult.Type(schema.ast, value, message)))
  const slowly = (value: unknown): Either.Either<A, ParseResult.ParseError> => {
    try {
      return isDeeperThan(value, deepest) ? refused(value, tooDeep) : Schema.decodeUnknownEither(schema)(value)
    } catch {
      return refused(value)
    }
  }
  let read: compiler.Read | undefined
  return (value: unknown): Either.Either<A, ParseResult.ParseError> => {
    let made: unknown
    try {
      read ??= compiler.reader(schema.ast)
      made = read(value)
    } catch {
      return slowly(value)
    }
    // The reader of a schema gives what the schema gives.
    return made === fallback ? slowly(value) : Either.right(made as A)
  }
}
