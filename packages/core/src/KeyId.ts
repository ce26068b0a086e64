/**
 * Key IDs of the wallet: the resource name of the pool that holds a key, a colon, and a hash that identifies the key.
 */
import type * as Brand from "effect/Brand"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Hash from "./Hash.js"
import { parser } from "./internal/values/encoding.js"
import * as Krn from "./Krn.js"

/**
 * A key ID, split into its parts.
 *
 * **Details**
 *
 * `pool` is what the service calls `krn` in the same record. Its type is `account-pool` for the key of an account,
 * `feepayer-pool` for the key of a fee payer, and `key-pool` or `account-pool` for a created key (seen in public
 * clients). `hash` is opaque: it is not one of the usual hashes of the public key.
 *
 * `Equal.equals` compares key IDs by their parts.
 *
 * @category models
 */
export type KeyId = Parts & Brand.Brand<"@effect-klaytn/core/KeyId">

/**
 * The parts of a key ID.
 *
 * @category models
 */
export interface Parts {
  readonly pool: Krn.Krn
  readonly hash: Hash.Hash
}

/**
 * A key ID as a struct of two fields.
 *
 * @category schemas
 */
export const KeyId: Schema.Schema<KeyId, { readonly pool: string; readonly hash: string }> = Schema.Data(
  Schema.Struct({ pool: Krn.FromString, hash: Hash.FromWire })
).pipe(Schema.brand("@effect-klaytn/core/KeyId")).annotations({ identifier: "KeyId" })

/**
 * A key ID as text, its form on the wire. It has seven parts, so it is no resource name; it is split at the last colon.
 *
 * @category schemas
 */
export const FromString: Schema.Schema<KeyId, string> = Schema.transformOrFail(Schema.String, KeyId, {
  strict: true,
  decode: (text, _, ast) => {
    const border = text.lastIndexOf(":")
    return border < 0
      ? ParseResult.fail(new ParseResult.Type(ast, text, "expected the resource name of a pool, a colon and a hash"))
      : ParseResult.succeed({ pool: text.slice(0, border), hash: text.slice(border + 1) })
  },
  encode: (parts) => ParseResult.succeed(`${parts.pool}:${parts.hash}`)
}).annotations({ identifier: "KeyIdFromString" })

/**
 * Checks whether a value is a {@link KeyId}.
 *
 * @category guards
 */
export const is: (value: unknown) => value is KeyId = Schema.is(KeyId)

/**
 * Parses a key ID.
 *
 * @example
 * ```ts
 * import * as KeyId from "@effect-klaytn/core/KeyId"
 *
 * const keyId = KeyId.make(
 *   "krn:1001:wallet:local:account-pool:default:0x6f1fac08ed53cedaba49e95de1f1a31b3a1b2fb0a3f1d2b3c4d5e6f708192a3b"
 * )
 * ```
 *
 * @category constructors
 */
export const make = parser(FromString)

/**
 * Formats a key ID as text.
 *
 * @category formatting
 */
export const format = (keyId: KeyId): string => `${Krn.format(keyId.pool)}:${keyId.hash}`
