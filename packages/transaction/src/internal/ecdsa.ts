/** Signatures of digests on the curve: what the signatures of transactions and authorizations have in common. */
import { concatBytes } from "@noble/hashes/utils.js"
import { fromBytes, type Hex } from "../Hex.js"
import * as PrivateKey from "../PrivateKey.js"
import * as PublicKey from "../PublicKey.js"
import { fail, flatMap, type Result, succeed } from "../Result.js"
import { noble, type Secp256k1 } from "../Secp256k1.js"
import type { Signer } from "../Signature.js"
import { TransactionError } from "../TransactionError.js"
import { wordBytes } from "./fields.js"

export interface Recoverable {
  readonly r: bigint
  readonly s: bigint
  readonly recovery: number
}

export interface Key {
  readonly privateKey: Hex | Uint8Array
  readonly curve?: Secp256k1 | undefined
}

export const sign = (digest: Uint8Array, { curve = noble, privateKey }: Key): Result<Recoverable> =>
  flatMap(PrivateKey.toKeyBytes(privateKey), (key) => {
    try {
      const { recovery, rs } = curve.sign(digest, key)
      const [r, s] = [rs.subarray(0, 32), rs.subarray(32, 64)]
      return succeed({ recovery, r: BigInt(fromBytes(r)), s: BigInt(fromBytes(s)) })
    } catch {
      return fail(new TransactionError("InvalidKey", "privateKey", "the curve back end could not sign with this key"))
    }
  })

/** Who signed; `undefined` if no key can have made the signature. */
export const recover = (
  digest: Uint8Array,
  { r, recovery, s }: Recoverable,
  curve: Secp256k1 = noble
): Signer | undefined => {
  try {
    const key = curve.recover(digest, { rs: concatBytes(wordBytes(r), wordBytes(s)), recovery })
    return key?.length === 65
      ? { publicKey: PublicKey.compressedOf(key), address: PublicKey.addressOf(key) }
      : undefined
  } catch {
    return undefined
  }
}
