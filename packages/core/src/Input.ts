/**
 * Validates a caller's input before anything is sent.
 */
import * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as parseIssue from "./internal/errors/parseIssue.js"
import { InvalidInput } from "./ServiceError.js"

// Only `any` matches every type of a field.
// oxlint-disable-next-line typescript/no-explicit-any
type OptionalField = Schema.PropertySignature<":" | "?:", any, PropertyKey, ":" | "?:", any, boolean, never>

/**
 * Fields of a struct whose schemas need no services.
 *
 * @category models
 */
export interface Fields {
  readonly [name: PropertyKey]: Schema.Schema.AnyNoContext | OptionalField
}

type Optional<Encoded> = { [Name in keyof Encoded]-?: {} extends Pick<Encoded, Name> ? Name : never }[keyof Encoded]

type Named<F, Encoded, Names> = { readonly [Name in keyof Pick<F, Names & keyof F>]: Encoded[Name & keyof Encoded] }

/**
 * The input that has these fields, as a caller passes it. Each property keeps the docs of its field, which
 * `Schema.Struct.Encoded` would lose.
 *
 * @category types
 */
export type Of<F extends Fields, Encoded = Schema.Struct.Encoded<F>> =
  & Named<F, Encoded, Exclude<keyof F, Optional<Encoded>>>
  & Partial<Named<F, Encoded, Optional<Encoded>>>

/**
 * Decodes the input of an operation at once. Bad input is the `InvalidInput` of {@link decode}, and `path` means the same.
 *
 * @category constructors
 */
export const decodeEither = <A, I>(
  operation: string,
  schema: Schema.Schema<A, I>,
  path?: ReadonlyArray<string | number>
): (input: unknown) => Either.Either<A, InvalidInput> => {
  const read = Option.liftThrowable(Schema.decodeUnknownEither(schema, { onExcessProperty: "error" }))
  // A getter or proxy of the caller threw, or the input is nested too deep.
  const unreadable = (input: unknown) =>
    Either.left(ParseResult.parseError(new ParseResult.Type(schema.ast, input, "it can't be read")))
  return (input) =>
    Either.mapLeft(Option.getOrElse(read(input), () => unreadable(input)), (error) => refuse(operation, error, path))
}

/**
 * Decodes the input of an operation. Bad input fails as `InvalidInput` with the operation's name, the path to the bad
 * value and what is wrong with it. Unknown fields are refused too, since one may be a misspelt option. It never throws,
 * and the error never shows a value that may be a key. `path` says where in the input the value is.
 *
 * @category constructors
 */
export const decode = <A, I>(
  operation: string,
  schema: Schema.Schema<A, I>,
  path?: ReadonlyArray<string | number>
): (input: unknown) => Effect.Effect<A, InvalidInput> => {
  const read = decodeEither(operation, schema, path)
  return (input) => Effect.suspend(() => read(input))
}

/**
 * Makes the `InvalidInput` of an operation from a schema's parse error. `path` says where in the input the value is.
 *
 * @category errors
 */
export const refuse = (
  operation: string,
  error: ParseResult.ParseError,
  path: ReadonlyArray<string | number> = []
): InvalidInput => {
  const found = parseIssue.problem(error)
  return InvalidInput.at(operation, [...path, ...found.path], found.problem)
}

/**
 * Gives a schema of literals one error text, `problem`, which lists the allowed values.
 *
 * @category schemas
 */
export const oneOf = <A, I>(words: Schema.Schema<A, I>, problem: string): Schema.Schema<A, I> =>
  words.annotations({ message: () => ({ message: problem, override: true }) })

/**
 * A non-empty list. `problem` is the error text for an empty one.
 *
 * @category schemas
 */
export const atLeastOne = <A, I>(item: Schema.Schema<A, I>, problem: string) =>
  Schema.Array(item).pipe(
    Schema.filter((items) => Arr.isNonEmptyReadonlyArray(items), { message: () => problem })
  )

/**
 * A non-empty list that a query holds as comma-separated items.
 *
 * @category schemas
 */
export const CommaSeparated = <A, I extends string>(item: Schema.Schema<A, I>) =>
  Schema.transform(Schema.String, Schema.NonEmptyArray(item), {
    // The parts are checked by the schema of an item.
    strict: false,
    decode: (text) => text.split(",").map((part) => part.trim()),
    encode: (parts) => parts.join(",")
  })

/**
 * A whole number from `least` to `most`, by default 0 or more. `problem` is the error text for anything else.
 *
 * @category schemas
 */
export const wholeNumber = (problem: string, least = 0, most: number = Number.MAX_SAFE_INTEGER) =>
  Schema.Number.pipe(
    Schema.filter((value) => Number.isSafeInteger(value) && value >= least && value <= most, { message: () => problem })
  )

/**
 * An option that counts something: a whole number of at least 1. Anything else is refused.
 *
 * @category schemas
 */
export const Count = wholeNumber("expected a whole number of at least 1", 1)

/**
 * An option that limits something, or does not: a whole number of at least 1, or `Infinity`. Anything else is refused.
 *
 * @category schemas
 */
export const CountOrInfinity = Schema.Number.pipe(
  Schema.filter((value) => value === Number.POSITIVE_INFINITY || Number.isSafeInteger(value) && value >= 1, {
    message: () => "expected a whole number of at least 1, or Infinity"
  })
)

/** Whether a duration is written as less than nothing, or as none. Effect makes 0 of it. */
const isNegative = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(isNegative)
    : typeof value === "number"
    ? !(value >= 0)
    : typeof value === "bigint"
    ? value < 0n
    : typeof value === "string" && value.startsWith("-")

/**
 * Reads a duration in any form that Effect reads, such as `"10 seconds"`. Returns none for anything else, and for a
 * negative duration and `NaN`, of which Effect makes 0.
 *
 * @category constructors
 */
export const readDuration = (value: unknown): Option.Option<Duration.Duration> =>
  isNegative(value) ? Option.none() : Duration.decodeUnknown(value)

/**
 * A duration that {@link readDuration} reads, for which `isValid` holds; by default every duration. `problem` is the
 * error text for anything else.
 *
 * @category schemas
 */
export const duration = (problem: string, isValid: (duration: Duration.Duration) => boolean = () => true) =>
  Schema.transform(
    Schema.declare(
      (value: unknown): value is Duration.DurationInput => Option.exists(readDuration(value), isValid),
      { message: () => problem }
    ),
    Schema.DurationFromSelf,
    { strict: true, decode: (value) => Duration.decode(value), encode: identity }
  )
