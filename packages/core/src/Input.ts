/**
 * Reading what a caller gives, before anything is sent.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { invalidInput } from "./internal/request.js"
import type { InvalidInput } from "./ServiceError.js"

/**
 * Decodes the input of an operation; a value that does not fit fails as `InvalidInput` with the operation's name, the
 * path to the value and what is wrong with it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const decode = <A, I>(
  operation: string,
  schema: Schema.Schema<A, I>
): (input: unknown) => Effect.Effect<A, InvalidInput> => {
  const read = Schema.decodeUnknownEither(schema)
  return (input) => Effect.mapError(read(input), (error) => refuse(operation, error))
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
