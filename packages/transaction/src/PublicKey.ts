/**
 * Public keys: 33 bytes compressed (first byte 2 or 3) or 65 bytes uncompressed (first byte 4), and their addresses.
 *
 * The service returns new keys uncompressed; account keys on the chain contain them compressed.
 */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { fromBytes, type Hex, toBytes } from "./Hex.js"
import { fail, map, type Result, succeed } from "./Result.js"
import { TransactionError } from "./TransactionError.js"

const invalid = (message: string): Result<never> => fail(new TransactionError("InvalidKey", "", message))

const parse = (key: Hex | Uint8Array, compressed: boolean): Result<Uint8Array> => {
  const bytes = toBytes(key)
  if (!bytes.ok) return bytes
  if (bytes.value.length !== 33 && bytes.value.length !== 65) {
    return invalid(`a public key has 33 bytes (compressed) or 65 (uncompressed), not ${bytes.value.length}`)
  }
  try {
    return succeed(secp256k1.Point.fromBytes(bytes.value).toBytes(compressed))
  } catch {
    return invalid("not a public key: these bytes are not a point on the curve secp256k1")
  }
}

/**
 * The compressed form of a key in either form. Fails with `NotHex` or `InvalidKey`.
 *
 * **Example** (a key as the service returns it)
 *
 * ```ts
 * import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
 *
 * const key = PublicKey.compress(
 *   "0x04dbac81e8486d68eac4e6ef9db617f7fbd79a04a3b323c982a09cdfc61f0ae0e8906d7170ba349c86879fb8006134cbf57bda9db9214a90b607b6b4ab57fc026e"
 * )
 * console.log(key.ok && key.value) // 0x02dbac81e8486d68eac4e6ef9db617f7fbd79a04a3b323c982a09cdfc61f0ae0e8
 * ```
 *
 * @category conversions
 */
export const compress = (key: Hex | Uint8Array): Result<Hex> => map(parse(key, true), fromBytes)

/**
 * The uncompressed form of a key in either form. Fails with `NotHex` or `InvalidKey`.
 *
 * @category conversions
 */
export const uncompress = (key: Hex | Uint8Array): Result<Hex> => map(parse(key, false), fromBytes)

/**
 * The address that belongs to a key: the last 20 bytes of the Keccak-256 hash of its 64 coordinate bytes.
 *
 * An account whose key was changed keeps its address, so this is the account's address only while its key is
 * `AccountKeyLegacy`. Fails with `NotHex` or `InvalidKey`.
 *
 * @category conversions
 */
export const toAddress = (key: Hex | Uint8Array): Result<Hex> => map(parse(key, false), addressOf)

/**
 * Like `toAddress`, for 65 bytes that are known to be a key, such as one that a curve back end recovered. Not checked.
 *
 * @category conversions
 */
export const addressOf = (uncompressed: Uint8Array): Hex => fromBytes(keccak_256(uncompressed.subarray(1)).subarray(12))

/**
 * Like `compress`, for 65 bytes that are known to be a key, such as one that a curve back end recovered. Not checked.
 *
 * @category conversions
 */
export const compressedOf = (uncompressed: Uint8Array): Hex => {
  const bytes = uncompressed.slice(0, 33)
  bytes[0] = 2 + ((uncompressed[64] ?? 0) & 1)
  return fromBytes(bytes)
}
