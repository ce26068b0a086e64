/**
 * Decodes values with a schema, as `Schema.decodeUnknownEither` does, in a fraction of the time.
 *
 * **Details**
 *
 * Most answers are valid. At its first value a decoder compiles its schema to a function that decodes a valid value in
 * one pass without collecting errors, in less time than the `JSON.parse` before it. Only if a value is invalid does
 * `effect/Schema` decode it again, to report what is wrong. The results are the same: values, errors and their order. A
 * decoder never throws: where the schema would throw, the value is refused.
 *
 * **Gotchas**
 *
 * The function is compiled with `new Function`. Where that is forbidden, as in Workers, `effect/Schema` decodes every
 * value, which takes about twenty times as long as its `JSON.parse`. A bundle made for browsers or Workers has no
 * compiler at all (the field `browser` of this package's manifest).
 */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as plan from "./internal/decoding/schemaCompiler/plan.js"
import { compile } from "./internal/decoding/valueReaders.js"

/**
 * A function that decodes unknown values.
 *
 * @category models
 */
export type Decoder<A> = (value: unknown) => Either.Either<A, ParseResult.ParseError>

/**
 * Makes the decoder of a schema. Excess properties are dropped and only the first error is reported, as by default in
 * `effect/Schema`.
 *
 * **Example** (decode an answer)
 *
 * ```ts
 * import * as Decoder from "@effect-klaytn/core/Decoder"
 * import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
 * import * as Schema from "effect/Schema"
 *
 * const decode = Decoder.make(Schema.Struct({ number: BigIntFromQuantity }))
 *
 * export const block = decode({ number: "0x10" }) // right({ number: 16n })
 * ```
 *
 * @category constructors
 */
export const make = <A, I>(schema: Schema.Schema<A, I>): Decoder<A> => {
  const refused = (value: unknown, message?: string): Either.Either<A, ParseResult.ParseError> =>
    Either.left(ParseResult.parseError(new ParseResult.Type(schema.ast, value, message)))
  // A schema that throws, as unions do for a tag that can't become a string, refuses the value too.
  const slowly: Decoder<A> = (value) => {
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

const tooDeep = `expected a value whose lists and objects are nested at most ${plan.maxDepth} deep`

/** Copies a schema with its identifier, which `annotations` would drop, and declares something about the copy. */
const declared = <A, I, R>(schema: Schema.Schema<A, I, R>, declare: (ast: AST.AST) => void) => {
  const identifier = Option.getOrUndefined(AST.getIdentifierAnnotation(schema.ast))
  const made = schema.annotations(identifier === undefined ? {} : { identifier })
  declare(made.ast)
  return made
}

/**
 * The type of {@link fallback}.
 *
 * @category models
 */
export interface Fallback extends plan.Fallback {}

/**
 * What a custom reader returns for a value that its schema refuses; the schema then reports what is wrong.
 *
 * @category readers
 */
export const fallback: Fallback = plan.fallback

/**
 * Gives a schema a custom reader: a plain function that is faster than the code compiled from the schema. It must
 * return what the schema returns for every value that the schema accepts, and {@link fallback} for every other value,
 * so that a union can try its next member. The reader belongs to this schema only: a schema derived from it, for
 * example with `annotations`, has none.
 *
 * **Example** (a flag written as a letter)
 *
 * ```ts
 * import * as Decoder from "@effect-klaytn/core/Decoder"
 * import * as Schema from "effect/Schema"
 *
 * export const Flag = Decoder.withCustomReader(
 *   Schema.transformLiterals(["y", true], ["n", false]),
 *   (value) => value === "y" ? true : value === "n" ? false : Decoder.fallback
 * )
 * ```
 *
 * @category readers
 */
export const withCustomReader = <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  read: (value: unknown) => A | Fallback
): Schema.Schema<A, I, R> => declared(schema, (ast) => plan.customReaders.set(ast, read))

/**
 * A field that may be missing: `null` decodes as missing, and so does an empty string unless the schema accepts one.
 *
 * **Example** (a time that older records don't have)
 *
 * ```ts
 * import * as Decoder from "@effect-klaytn/core/Decoder"
 * import { UnixTime } from "@effect-klaytn/core/UnixTime"
 * import * as Schema from "effect/Schema"
 *
 * export const Log = Schema.Struct({ text: Schema.String, at: Decoder.optional(UnixTime) })
 * // { text: "", at: null } reads as { text: "" }
 * ```
 *
 * @category fields
 */
export const optional = <A, I>(
  schema: Schema.Schema<A, I>
): Schema.PropertySignature<"?:", A | undefined, never, "?:", I | null | "" | undefined, false> =>
  Schema.optionalToOptional(
    Schema.Union(schema, Schema.Null, Schema.transformLiteral("", null), Schema.Undefined),
    Schema.UndefinedOr(Schema.typeSchema(schema)),
    { decode: plan.dropNull, encode: (value) => value }
  )

/**
 * A field that is left out or `null` when it has no value.
 *
 * **Details**
 *
 * It decodes like `Schema.optionalWith(schema, { exact: true, nullable: true })`, but compiles to fast code.
 *
 * @category fields
 */
export const nullable = <A, I>(
  schema: Schema.Schema<A, I>
): Schema.PropertySignature<"?:", A, never, "?:", I | null, false> =>
  Schema.optionalToOptional(Schema.NullOr(schema), Schema.typeSchema(schema), {
    decode: plan.dropNull,
    encode: (value) => value
  })

/**
 * Declares that a record schema collects its unknown fields under the name `under`: with the one field `a` it must
 * decode `{ a: 1, b: 2 }` as `{ a: 1, others: { b: 2 } }` (with `under` being `others`), and give an empty object if
 * there are no unknown fields. The compiler can then use fast code; the meaning of the schema does not change.
 *
 * @category readers
 */
export const keepsOthers = <A, I, R>(schema: Schema.Schema<A, I, R>, under: string): Schema.Schema<A, I, R> =>
  declared(schema, (ast) => plan.restFields.set(ast, under))

/**
 * Declares that the `decode` of a transformation schema always turns valid input into valid output, so that the output
 * is not checked again. The meaning of the schema does not change.
 *
 * **Example** (`null` as `None`)
 *
 * ```ts
 * import * as Decoder from "@effect-klaytn/core/Decoder"
 * import * as Schema from "effect/Schema"
 *
 * export const Found = Decoder.outputIsValid(Schema.OptionFromNullOr(Schema.Struct({ a: Schema.String })))
 * ```
 *
 * @category readers
 */
export const outputIsValid = <A, I, R>(schema: Schema.Schema<A, I, R>): Schema.Schema<A, I, R> =>
  declared(schema, (ast) => plan.alwaysValid.add(ast))
