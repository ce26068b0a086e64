/**
 * The three curve operations that this package needs, as a replaceable record.
 *
 * `noble`, in plain JavaScript, is the default everywhere. A program that recovers many signers may pass a faster
 * back end; all functions that touch the curve take it as their option `curve`.
 */
import { secp256k1 } from "@noble/curves/secp256k1.js"

/**
 * A signature over a 32-byte digest: R and S as 32 bytes each in one array, and the recovery bit.
 *
 * @category models
 */
export interface RecoverableSignature {
  readonly rs: Uint8Array
  readonly recovery: number
}

/**
 * Curve operations. An implementation may throw or return `undefined`; both become a typed error.
 *
 * **Details**
 *
 * - `sign`: S in the lower half, over a 32-byte digest that is not hashed again; `noble` and most others sign
 *   deterministically (RFC 6979)
 * - `recover`: the uncompressed public key (65 bytes, first byte 4) of a signature, `undefined` if there is none
 * - `publicKey`: the uncompressed public key of a 32-byte private key
 *
 * @category models
 */
export interface Secp256k1 {
  readonly sign: (digest: Uint8Array, privateKey: Uint8Array) => RecoverableSignature
  readonly recover: (digest: Uint8Array, signature: RecoverableSignature) => Uint8Array | undefined
  readonly publicKey: (privateKey: Uint8Array) => Uint8Array
}

const nobleSign = (extraEntropy: boolean | Uint8Array): Secp256k1["sign"] => (digest, privateKey) => {
  const options = { prehash: false, format: "recovered", extraEntropy } as const
  const bytes = secp256k1.sign(digest, privateKey, options)
  return { rs: bytes.subarray(1), recovery: bytes[0] ?? 0 }
}

/**
 * The default: `@noble/curves`.
 *
 * @category implementations
 */
export const noble: Secp256k1 = {
  sign: nobleSign(false),
  recover: (digest, signature) =>
    secp256k1.Signature.fromBytes(signature.rs, "compact").addRecoveryBit(signature.recovery).recoverPublicKey(digest)
      .toBytes(false),
  publicKey: (privateKey) => secp256k1.getPublicKey(privateKey, false)
}

/**
 * Like `noble`, but with random bytes in each signature (RFC 6979, 3.6): signing again makes a different signature and
 * so a different transaction hash.
 *
 * @category implementations
 */
export const nobleRandomized: Secp256k1 = { ...noble, sign: nobleSign(true) }

/**
 * Like `noble`, but with 32 given bytes in each signature (RFC 6979, 3.6): the same bytes make the same signature, and
 * other bytes another one.
 *
 * @category implementations
 */
export const nobleWithEntropy = (entropy: Uint8Array): Secp256k1 => ({ ...noble, sign: nobleSign(entropy) })
