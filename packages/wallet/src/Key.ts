/**
 * Keys that the service created and no account uses yet: the first step of migrating an account.
 *
 * @since 0.1.0
 */
import * as Hex from "@effect-klaytn/core/Hex"
import * as KeyId from "@effect-klaytn/core/KeyId"
import * as Krn from "@effect-klaytn/core/Krn"
import * as Schema from "effect/Schema"

/**
 * A created key, as the document describes it.
 *
 * **Details**
 *
 * `blob` is the encrypted secret key: opaque. `publicKey` is uncompressed, 65 bytes (seen). The pool in `krn` has the
 * type `key-pool` or `account-pool`; both were seen.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Key = Schema.Struct({
  blob: Hex.HexDataFromWire,
  keyId: KeyId.FromString,
  krn: Krn.FromString,
  publicKey: Hex.HexDataFromWire
}).annotations({ identifier: "Key" })

/**
 * A created key, as the document describes it.
 *
 * @since 0.1.0
 * @category models
 */
export type Key = typeof Key.Type

/**
 * The most keys that one call creates. From the document.
 *
 * @since 0.1.0
 * @category constants
 */
export const mostInOneCall = 100
