/**
 * The contract of keys: listing, getting, deleting, and signing with them. `WalletApi` creates them.
 *
 * **Not in the API document**: everything here was seen in public clients of the service, which may answer differently,
 * or not at all. "Not found" is HTTP 400 with code 1061010.
 */
import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as KeyId from "@effect-klaytn/core/KeyId"
import * as Krn from "@effect-klaytn/core/Krn"
import * as Operation from "@effect-klaytn/core/Operation"
import * as Paged from "@effect-klaytn/core/Paged"
import * as Schema from "effect/Schema"
import { Deleted, Key } from "./Account.js"
import * as fields from "./internal/contract/fields.js"

const { get, post, del } = Operation.of("wallet", [ErrorBody.BadRequest])

const keyId = {
  /** The ID of the key. */
  keyId: KeyId.FromString
}

/**
 * A key as lists return it: without its `blob`.
 *
 * @category schemas
 */
export const ListedKey = Schema.Struct(fields.key).annotations({ identifier: "ListedKey" })

/**
 * A key as lists return it: without its `blob`.
 *
 * @category models
 */
export type ListedKey = typeof ListedKey.Type

/**
 * Lists the keys of a pool.
 *
 * @category endpoints
 */
export const getKeys = get("getKeys", "/v2/key", {
  urlParams: {
    /** The pool whose keys are listed. */
    krn: Krn.FromString,
    ...Paged.query
  },
  success: Paged.schema(ListedKey)
})

/**
 * Gets one key.
 *
 * @category endpoints
 */
export const getKey = get("getKey", "/v2/key/:keyId", { path: keyId, success: Key })

/**
 * Deletes a key.
 *
 * @category endpoints
 */
export const deleteKey = del("deleteKey", "/v2/key/:keyId", {
  path: keyId,
  urlParams: fields.deletion,
  success: Deleted
})

/**
 * Signs 32 bytes. Another signature over the same bytes has the same effect, so the call may be repeated.
 *
 * @category endpoints
 */
export const sign = post("sign", "/v2/key/:keyId/sign", {
  path: keyId,
  payload: Schema.Struct({
    /** The 32 bytes to sign. */
    data: HexEncoding.HexDataFromWire
  }),
  success: Schema.Struct({
    /** The signature: r, s and v, 65 bytes. */
    signedData: HexEncoding.HexDataFromWire
  }),
  safety: "safe"
})
