import type * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/** Makes the function that parses values with a schema. */
export const parser: <A, I>(schema: Schema.Schema<A, I>) => (input: I) => Either.Either<A, ParseResult.ParseError> =
  Schema.decodeUnknownEither
