/**
 * The two hexadecimal forms on the wire: bytes ({@link HexData}) and numbers ({@link HexQuantity}).
 *
 * They look alike but differ: `0x01` is one byte and not a quantity, `0x1` is a quantity and not bytes.
 */
import * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import { isHex } from "./internal/values/digits.js"
import { inAnyCase, matching, parser } from "./internal/values/encoding.js"

/**
 * Bytes as text: `0x` and an even number of lower-case hexadecimal digits. Empty data is `0x`.
 *
 * @category models
 */
export type HexData = `0x${string}` & Brand.Brand<"@effect-klaytn/core/HexData">

/**
 * Empty data: `0x`.
 *
 * @category constants
 */
export const noData: HexData = Brand.nominal<HexData>()("0x")

/**
 * The canonical, lower-case form of {@link HexData}. {@link HexDataFromWire} accepts any letter case.
 *
 * @category schemas
 */
export const HexData: Schema.Schema<HexData, string> = matching(/^0x(?:[0-9a-f]{2})*$/, {
  identifier: "HexData",
  description: "bytes, 0x and an even number of hexadecimal digits",
  expected: "expected bytes as 0x and an even number of lower-case hexadecimal digits"
})

/**
 * Bytes in any letter case, decoded to lower case. Encodes to lower case.
 *
 * @category schemas
 */
export const HexDataFromWire: Schema.Schema<HexData, string> = inAnyCase(HexData, /^0x(?:[0-9a-fA-F]{2})*$/, {
  identifier: "HexDataFromWire",
  expected: "expected bytes as 0x and an even number of hexadecimal digits"
})

/**
 * Checks whether a value is bytes in the canonical, lower-case form.
 *
 * @category guards
 */
export const isData = (value: unknown): value is HexData =>
  typeof value === "string" && value.length % 2 === 0 && isHex(value)

/**
 * Parses bytes from text in any letter case.
 *
 * @example
 * ```ts
 * import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
 *
 * console.log(HexEncoding.makeData("0xCAFE")) // right("0xcafe")
 * console.log(HexEncoding.makeData("0xCAF")) // left: an odd number of digits
 * ```
 *
 * @category constructors
 */
export const makeData = parser(HexDataFromWire)

/**
 * A whole number as text: `0x` and the fewest lower-case hexadecimal digits. Zero is `0x0`.
 *
 * @category models
 */
export type HexQuantity = `0x${string}` & Brand.Brand<"@effect-klaytn/core/HexQuantity">

/**
 * The canonical form of {@link HexQuantity}. {@link BigIntFromQuantity} accepts the other spellings.
 *
 * @category schemas
 */
export const HexQuantity: Schema.Schema<HexQuantity, string> = matching(/^0x(?:0|[1-9a-f][0-9a-f]*)$/, {
  identifier: "HexQuantity",
  description: "a whole number, 0x and the fewest hexadecimal digits",
  expected: "expected a whole number as 0x and the fewest lower-case hexadecimal digits"
})

/** Smaller in a bundle than the filters of `effect/Schema`, which bring along those of both bounds. */
const NonNegative = Schema.BigIntFromSelf.pipe(
  Schema.filter((value) => value >= 0n, {
    description: "a non-negative bigint",
    arbitrary: () => (fc) => fc.bigInt({ min: 0n })
  })
)

/**
 * A non-negative whole number: a `bigint` in the program, a {@link HexQuantity} on the wire.
 *
 * **Details**
 *
 * Decoding accepts either letter case, any number of digits and leading zeros. Encoding always writes the fewest digits
 * and fails for a negative number. A JSON number, a fraction, a missing `0x` and a bare `0x` are refused, so a value
 * never passes through floating point. The encoded form is a string and safe in JSON.
 *
 * @example
 * ```ts
 * import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeSync(HexEncoding.BigIntFromQuantity)("0x1dd7c1681d000")) // 525000000000000n
 * console.log(Schema.encodeSync(HexEncoding.BigIntFromQuantity)(0n)) // "0x0"
 * ```
 *
 * @category schemas
 */
export const BigIntFromQuantity: Schema.Schema<bigint, string> = Schema.transform(
  Schema.String.pipe(Schema.pattern(/^0x[0-9a-fA-F]+$/, {
    message: () => "expected a whole number as 0x and at least one hexadecimal digit"
  })),
  NonNegative,
  { strict: true, decode: (text) => BigInt(text), encode: (value) => `0x${value.toString(16)}` }
).annotations({ identifier: "BigIntFromQuantity", description: "a whole number in hexadecimal" })
