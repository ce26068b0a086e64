/**
 * Private keys: 32 bytes, at least 1 and below the order of secp256k1.
 *
 * No error of this package repeats a private key. The values returned here are the secret itself: keep them out of
 * logs.
 */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { fromBytes, type Hex, toBytes } from "./Hex.js"
import * as PublicKey from "./PublicKey.js"
import { fail, flatMap, map, type Result, succeed } from "./Result.js"
import { noble, type Secp256k1 } from "./Secp256k1.js"
import { TransactionError } from "./TransactionError.js"

const invalid = (message: string) => fail(new TransactionError("InvalidKey", "privateKey", message))

/**
 * Checks a private key and returns its 32 bytes. Fails with `InvalidKey`.
 *
 * @category conversions
 */
export const toKeyBytes = (key: Hex | Uint8Array): Result<Uint8Array> => {
  const bytes = toBytes(key)
  if (!bytes.ok) return invalid("a private key is 32 bytes, as bytes or as 0x and 64 hexadecimal digits")
  return secp256k1.utils.isValidSecretKey(bytes.value)
    ? bytes
    : invalid("a private key is 32 bytes, not all zero, and below the order of the curve secp256k1")
}

/**
 * Generates a key from the runtime's cryptographic random source.
 *
 * @category constructors
 */
export const generate = (): Hex => fromBytes(secp256k1.utils.randomSecretKey())

const uncompressed = (key: Hex | Uint8Array, curve: Secp256k1): Result<Uint8Array> =>
  flatMap(toKeyBytes(key), (bytes) => {
    const refused = invalid("the curve back end refused this private key")
    try {
      const publicKey = curve.publicKey(bytes)
      return publicKey.length === 65 ? succeed(publicKey) : refused
    } catch {
      return refused
    }
  })

/**
 * The compressed public key of a private key. Fails with `InvalidKey`.
 *
 * @category conversions
 */
export const toPublicKey = (key: Hex | Uint8Array, curve: Secp256k1 = noble): Result<Hex> =>
  map(uncompressed(key, curve), PublicKey.compressedOf)

/**
 * The address of the account that a private key controls, as long as the account's key has never been changed. Fails
 * with `InvalidKey`.
 *
 * **Example** (a new account)
 *
 * ```ts
 * import * as PrivateKey from "@effect-klaytn/transaction/PrivateKey"
 *
 * const privateKey = PrivateKey.generate()
 * const address = PrivateKey.toAddress(privateKey)
 * console.log(address.ok && address.value)
 * ```
 *
 * @category conversions
 */
export const toAddress = (key: Hex | Uint8Array, curve: Secp256k1 = noble): Result<Hex> =>
  map(uncompressed(key, curve), PublicKey.addressOf)
