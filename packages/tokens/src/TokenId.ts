/**
 * The ID of a token within its contract.
 *
 * A token ID is a `bigint` from 0 to 2^256 - 1 in the program and a hexadecimal quantity (`0x1c2`) on the wire, both in
 * paths and in records. It is never a JSON number: IDs above 2^53 are common and would be rounded.
 */
import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
import * as Schema from "effect/Schema"

/**
 * The largest ID that a token can have: 2^256 - 1.
 *
 * @category constants
 */
export const max = 2n ** 256n - 1n

/**
 * A token ID as a `bigint`.
 *
 * @category schemas
 */
export const TokenId: Schema.Schema<bigint> = Schema.BigIntFromSelf.annotations({
  message: () => "a token ID is a bigint, such as 1n: a number would be rounded above 2^53"
}).pipe(
  Schema.filter((id) => id >= 0n && id <= max, { message: () => "a token ID is a bigint from 0 to 2^256 - 1" })
).annotations({ identifier: "TokenId", description: "a token ID, from 0 to 2^256 - 1" })

/**
 * A token ID as a `bigint`.
 *
 * @category models
 */
export type TokenId = typeof TokenId.Type

/**
 * A token ID on the wire: `0x` and hexadecimal digits (seen). Decoding accepts any letter case and leading zeros;
 * encoding writes the fewest lower-case digits.
 *
 * @category schemas
 */
export const FromQuantity: Schema.Schema<bigint, string> = Schema.compose(BigIntFromQuantity, TokenId).annotations({
  identifier: "TokenIdFromQuantity",
  description: "a token ID in hexadecimal"
})
