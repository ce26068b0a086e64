/**
 * Reading what a caller gives, before anything is sent.
 *
 * @since 0.1.0
 */
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
