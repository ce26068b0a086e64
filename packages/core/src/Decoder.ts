/**
 * Reading values by a schema, the way `Schema.decodeUnknownEither` does, in a fraction of its time.
 *
 * **Details**
 *
 * Most answers are what they should be. At its first value a decoder compiles its schema to a function that reads a good
 * value in one pass and keeps no account of what it saw, in less time than the `JSON.parse` before it. Only when a value
 * is not what it should be, `effect/Schema` reads it again, and tells what is wrong. What comes out is the same: values,
 * errors and their order. A decoder never throws: where the schema would, the value is refused.
 *
 * **Gotchas**
 *
 * The function is made of text, by `new Function`. Where that is forbidden, as in Workers, `effect/Schema` reads every
 * value, which takes some twenty times the time of its `JSON.parse`.
 *
 * @since 0.1.0
 */
import type * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import type * as Schema from "effect/Schema"
import * as internal from "./internal/decoder.js"

/**
 * Reads unknown values.
 *
 * @since 0.1.0
 * @category models
 */
export type Decoder<A> = (value: unknown) => Either.Either<A, ParseResult.ParseError>

/**
 * Makes the decoder of a schema. Excess properties are left out, and the first error is told, as by default in
 * `effect/Schema`.
 *
 * **Example** (reading an answer)
 *
 * ```ts
 * import * as Decoder from "@effect-klaytn/core/Decoder"
 * import { BigIntFromQuantity } from "@effect-klaytn/core/Hex"
 * import * as Schema from "effect/Schema"
 *
 * const decode = Decoder.make(Schema.Struct({ number: BigIntFromQuantity }))
 *
 * export const block = decode({ number: "0x10" }) // right({ number: 16n })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: <A, I>(schema: Schema.Schema<A, I>) => Decoder<A> = internal.make

/**
 * The type of {@link fallback}.
 *
 * @since 0.1.0
 * @category models
 */
export interface Fallback {
  readonly _tag: "@effect-klaytn/core/Fallback"
}

/**
 * What a custom reader gives for a value that its schema does not take: the schema tells then what is wrong.
 *
 * @since 0.1.0
 * @category readers
 */
export const fallback: Fallback = internal.fallback

/**
 * A schema with a custom reader, a plain function that is quicker than what the schema says in general. It has to give
 * what the schema gives for every value that the schema takes, and {@link fallback} for every other one: a member of a
 * union that does not take a value is followed by the next. It holds for the schema itself; one that is derived from it,
 * as by `annotations`, has none.
 *
 * **Example** (a flag that is written as a letter)
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
 * @since 0.1.0
 * @category readers
 */
export const withCustomReader: <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  read: (value: unknown) => A | Fallback
) => Schema.Schema<A, I, R> = internal.withCustomReader

/**
 * A field of a record that may be missing: null reads as missing, and so does an empty text, unless the schema takes one.
 *
 * **Example** (a time that older records lack)
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
 * @since 0.1.0
 * @category fields
 */
export const optional: <A, I>(
  schema: Schema.Schema<A, I>
) => Schema.PropertySignature<"?:", A | undefined, never, "?:", I | null | "" | undefined, false> = internal.optional

/**
 * A field of a record that is left out, or null, when there is nothing in it.
 *
 * **Details**
 *
 * It reads what `Schema.optionalWith(schema, { exact: true, nullable: true })` does, and is read at once.
 *
 * @since 0.1.0
 * @category fields
 */
export const nullable: <A, I>(
  schema: Schema.Schema<A, I>
) => Schema.PropertySignature<"?:", A, never, "?:", I | null, false> = internal.nullable

/**
 * Says of the schema of a record that whatever else stands in the record is kept under one more name: it has to read
 * `{ a: 1, b: 2 }` with the one field `a` as `{ a: 1, others: { b: 2 } }`, and give an empty object if there is nothing
 * else. Then it is read at once. Nothing of what the schema means changes.
 *
 * @since 0.1.0
 * @category readers
 */
export const keepsOthers: <A, I, R>(schema: Schema.Schema<A, I, R>, under: string) => Schema.Schema<A, I, R> =
  internal.keepsOthers

/**
 * Says of the schema of a transformation that whatever its `decode` makes out of a valid value is valid: then it is not
 * checked once more. Nothing of what the schema means changes.
 *
 * **Example** (null as none)
 *
 * ```ts
 * import * as Decoder from "@effect-klaytn/core/Decoder"
 * import * as Schema from "effect/Schema"
 *
 * export const Found = Decoder.trusted(Schema.OptionFromNullOr(Schema.Struct({ a: Schema.String })))
 * ```
 *
 * @since 0.1.0
 * @category readers
 */
export const trusted: <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.Schema<A, I, R> = internal.trusted
