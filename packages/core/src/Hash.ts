/**
 * Hashes of 32 bytes: of transactions, blocks and keys.
 */
import type * as Brand from "effect/Brand"
import type * as Schema from "effect/Schema"
import { isHex } from "./internal/values/digits.js"
import { inAnyCase, matching, parser } from "./internal/values/encoding.js"

/**
 * A hash of 32 bytes: `0x` and 64 lower-case hexadecimal digits.
 *
 * @category models
 */
export type Hash = `0x${string}` & Brand.Brand<"@effect-klaytn/core/Hash">

const canonical = /^0x[0-9a-f]{64}$/

/**
 * The canonical, lower-case form. {@link FromWire} accepts any letter case.
 *
 * @category schemas
 */
export const Hash: Schema.Schema<Hash, string> = matching(canonical, {
  identifier: "Hash",
  description: "a hash of 32 bytes, 0x and 64 hexadecimal digits",
  expected: "expected a hash as 0x and 64 lower-case hexadecimal digits"
})

/**
 * A hash in any letter case, decoded to lower case. Encodes to lower case.
 *
 * @category schemas
 */
export const FromWire: Schema.Schema<Hash, string> = inAnyCase(Hash, /^0x[0-9a-fA-F]{64}$/, {
  identifier: "HashFromWire",
  expected: "expected a hash as 0x and 64 hexadecimal digits"
})

/**
 * Checks whether a value is a hash in the canonical, lower-case form.
 *
 * @category guards
 */
export const is = (value: unknown): value is Hash => typeof value === "string" && value.length === 66 && isHex(value)

/**
 * Parses a hash from text in any letter case.
 *
 * @example
 * ```ts
 * import * as Hash from "@effect-klaytn/core/Hash"
 *
 * console.log(Hash.make("0x6F1FAC08ED53CEDABA49E95DE1F1A31B3A1B2FB0A3F1D2B3C4D5E6F708192A3B"))
 * // right("0x6f1fac08ed53cedaba49e95de1f1a31b3a1b2fb0a3f1d2b3c4d5e6f708192a3b")
 * ```
 *
 * @category constructors
 */
export const make = parser(FromWire)
