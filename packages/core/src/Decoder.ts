/**
 * Reading values by a schema, the way `Schema.decodeUnknownEither` does, in a fraction of its time.
 *
 * **Details**
 *
 * Most answers are what they should be. A decoder looks through its schema once, when it is made, and then reads each
 * value in one pass that keeps no account of what it saw. Only when a value is not what it should be, or the schema
 * holds something that is not read this way, `effect/Schema` reads it again, and tells what is wrong. What comes out is
 * the same: values, errors and their order. A decoder never throws: where the schema would, the value is refused.
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
 * The type of {@link unread}.
 *
 * @since 0.1.0
 * @category models
 */
export interface Unread {
  readonly _tag: "@effect-klaytn/core/Unread"
}

/**
 * What a reader of {@link withReader} gives for a value that it does not take at once.
 *
 * @since 0.1.0
 * @category readers
 */
export const unread: Unread = internal.unread

/**
 * Brings a reader of its own along with a schema. What it gives must be what the schema gives; whatever it does not take
 * at once it leaves to the schema, as {@link unread}.
 *
 * **Example** (a flag that is written as a letter)
 *
 * ```ts
 * import * as Decoder from "@effect-klaytn/core/Decoder"
 * import * as Schema from "effect/Schema"
 *
 * export const Flag = Decoder.withReader(
 *   Schema.transformLiterals(["y", true], ["n", false]),
 *   (value) => value === "y" ? true : value === "n" ? false : Decoder.unread
 * )
 * ```
 *
 * @since 0.1.0
 * @category readers
 */
export const withReader: <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  read: (value: unknown) => A | Unread
) => Schema.Schema<A, I, R> = internal.withReader

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
