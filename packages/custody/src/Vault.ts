/**
 * Seals secrets for a database.
 */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from "node:crypto"

const algorithm = "aes-256-gcm"
const nonceSize = 12
const tagSize = 16

/**
 * Seals secrets and opens them: a {@link Vault} with one key, or a `Keyring` with a data key for each secret.
 *
 * @category models
 */
export interface Sealer {
  /** Seals a secret for the record of this name. */
  readonly seal: (name: string, secret: Uint8Array) => Uint8Array
  /** The secret of a record; undefined if it was sealed with another key, for another name, or was changed. */
  readonly open: (name: string, sealed: Uint8Array) => Uint8Array | undefined
}

/**
 * Seals secret keys for the database: AES-256-GCM, a fresh nonce for each record, bound to the name of the record. What
 * it holds is out of reach of `console.log`, JSON and `inspect`.
 *
 * @category models
 */
export class Vault implements Sealer {
  readonly #key: KeyObject

  constructor(key: Uint8Array) {
    this.#key = createSecretKey(key)
  }

  /** Nonce, ciphertext and tag in one. */
  seal(name: string, secret: Uint8Array): Uint8Array {
    const nonce = randomBytes(nonceSize)
    const cipher = createCipheriv(algorithm, this.#key, nonce, { authTagLength: tagSize }).setAAD(Buffer.from(name))
    return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()])
  }

  /** The secret of a record; undefined if it was sealed with another key, for another name, or was changed. */
  open(name: string, sealed: Uint8Array): Uint8Array | undefined {
    const bytes = Buffer.from(sealed)
    if (bytes.length < nonceSize + tagSize) return undefined
    const decipher = createDecipheriv(algorithm, this.#key, bytes.subarray(0, nonceSize), { authTagLength: tagSize })
      .setAAD(Buffer.from(name))
      .setAuthTag(bytes.subarray(bytes.length - tagSize))
    const secret = decipher.update(bytes.subarray(nonceSize, bytes.length - tagSize))
    try {
      return Buffer.concat([secret, decipher.final()])
    } catch {
      return undefined
    }
  }
}
