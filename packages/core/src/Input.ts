/**
 * Reading what a caller gives, before anything is sent, and writing it as a query has it.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { invalidInput } from "./internal/request.js"
import type { InvalidInput } from "./ServiceError.js"

/**
 * Decodes the input of an operation; a value that does not fit fails as `InvalidInput` with the operation's name, the
 * path to the value and what is wrong with it. A field that the schema does not know is refused as well: it may be an
 * option that is misspelt. It never throws, whatever it is given, and shows nothing of it that may be a key.
 *
 * @since 0.1.0
 * @category constructors
 */
export const decode = <A, I>(
  operation: string,
  schema: Schema.Schema<A, I>
): (input: unknown) => Effect.Effect<A, InvalidInput> => {
  const read = Schema.decodeUnknownEither(schema, { onExcessProperty: "error" })
  const total = (input: unknown): Either.Either<A, ParseResult.ParseError> => {
    try {
      return read(input)
    } catch {
      // A getter or a proxy of the caller's threw, or what it gave is nested too deep.
      return Either.left(ParseResult.parseError(new ParseResult.Type(schema.ast, input, "it can't be read")))
    }
  }
  return (input) => Effect.suspend(() => Effect.mapError(total(input), (error) => refuse(operation, error)))
}

/**
 * The `InvalidInput` of an operation for a value that a schema did not take. `path` is where the value stands in the
 * input.
 *
 * @since 0.1.0
 * @category errors
 */
export const refuse = (
  operation: string,
  error: ParseResult.ParseError,
  path: ReadonlyArray<string | number> = []
): InvalidInput => invalidInput({ name: operation }, path, error)

/**
 * A schema of words that tells which ones there are, in `problem`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const oneOf = <A, I>(words: Schema.Schema<A, I>, problem: string): Schema.Schema<A, I> =>
  words.annotations({ message: () => ({ message: problem, override: true }) })

/**
 * A list that is not empty; `problem` says what to do instead.
 *
 * @since 0.1.0
 * @category schemas
 */
export const atLeastOne = <A, I>(item: Schema.Schema<A, I>, problem: string) =>
  Schema.Array(item).pipe(
    Schema.filter((items) => Arr.isNonEmptyReadonlyArray(items), { message: () => problem })
  )

/**
 * A list that stands in a query as its items with commas between them, at least one.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CommaSeparated = <A, I extends string>(item: Schema.Schema<A, I>) =>
  Schema.compose(
    Schema.transform(Schema.String, Schema.Array(Schema.String), {
      strict: true,
      decode: (text) => text.split(",").map((part) => part.trim()),
      encode: (parts) => parts.join(",")
    }),
    Schema.NonEmptyArray(item),
    { strict: false }
  )
