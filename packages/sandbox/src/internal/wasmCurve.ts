import { noble, nobleRandomized, type Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import { randomBytes } from "node:crypto"

/**
 * Curve operations from `tiny-secp256k1`: the reference library as WebAssembly. It makes signatures
 * with low S as the pure JavaScript ones do, three times as fast, and recovers signers ten times as fast.
 * Where WebAssembly cannot be loaded, the pure JavaScript ones take its place.
 *
 * Unless they are to be repeatable, signatures get random bytes of their own (RFC 6979, 3.6): signatures of
 * the service never repeat, and a program that relies on equal hashes should fail here too.
 */
export const loadWasmCurve = async ({ isRepeatable }: { readonly isRepeatable: boolean }): Promise<Secp256k1> => {
  try {
    const wasm = await import("tiny-secp256k1")
    return {
      sign: (digest, privateKey) => {
        const { recoveryId, signature } = wasm.signRecoverable(
          digest,
          privateKey,
          isRepeatable ? undefined : randomBytes(32)
        )
        return { rs: signature, recovery: recoveryId }
      },
      recover: (digest, { recovery, rs }) =>
        recovery === 0 || recovery === 1 ? wasm.recover(digest, rs, recovery, false) ?? undefined : undefined,
      publicKey: (privateKey) => {
        const key = wasm.pointFromScalar(privateKey, false)
        if (key === null) throw new RangeError("a private key is from 1 to below the order of the curve")
        return key
      }
    }
  } catch {
    return isRepeatable ? noble : nobleRandomized
  }
}
