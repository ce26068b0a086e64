import { keccak_256 } from "@noble/hashes/sha3.js"
import { concatBytes } from "@noble/hashes/utils.js"
import { fail, flatMap, type Result, succeed } from "../Result.js"
import type { Secp256k1 } from "../Secp256k1.js"
import { recoveryOf, type Signature, type Signer, toV } from "../Signature.js"
import { TransactionError } from "../TransactionError.js"
import { isEthereum, type TransactionType, typeInt } from "../TransactionType.js"
import * as body from "./body.js"
import * as ecdsa from "./ecdsa.js"
import { Faults } from "./faults.js"
import * as fields from "./fields.js"
import * as rlp from "./rlp.js"
import * as signatures from "./signatures.js"

const none = new Uint8Array(0)

/** Without a chain ID: the payload of a legacy transaction that names no chain. */
export const senderPayload = (
  type: TransactionType,
  source: body.Fields,
  chainId: number | undefined
): Result<Uint8Array> => {
  const faults = new Faults()
  const common = body.write(type, source, faults)
  if (chainId === undefined) return faults.result(rlp.encode(common))
  const chain = body.chainId.write(chainId, "chainId", faults)
  if (isEthereum(type)) {
    if (source.chainId !== chainId) {
      faults.add("WrongChain", "chainId", `is ${source.chainId} instead of ${chainId}`)
    }
    return faults.result(concatBytes(Uint8Array.of(typeInt(type) & 0xff), rlp.encode(common)))
  }
  return faults.result(rlp.encode(
    type === "LegacyTransaction"
      ? [...common, chain, none, none]
      : [rlp.encode([Uint8Array.of(typeInt(type)), ...common]), chain, none, none]
  ))
}

export const feePayerPayload = (
  type: TransactionType,
  source: body.Fields,
  feePayer: `0x${string}` | undefined,
  chainId: number
): Result<Uint8Array> => {
  const faults = new Faults()
  const inner = rlp.encode([Uint8Array.of(typeInt(type)), ...body.write(type, source, faults)])
  const payer = fields.address.write(feePayer, "feePayer", faults)
  return faults.result(rlp.encode([inner, payer, body.chainId.write(chainId, "chainId", faults), none, none]))
}

/** The fault of a list of signatures, if any: in their form, or in the chain that they name. */
const check = (
  type: TransactionType,
  list: ReadonlyArray<Signature>,
  path: keyof signatures.Signed,
  chainId: number | undefined
): Faults => {
  const faults = new Faults()
  signatures.write(type, fields.elements(list, path, faults), path, faults)
  if (!isEthereum(type)) signatures.checkChain({ [path]: list }, chainId, faults)
  return faults
}

/**
 * Adds a signature to the list unless it already has one of this key: signing again changes nothing, even with a back
 * end that signs differently each time.
 */
export const sign = (
  type: TransactionType,
  payload: Uint8Array,
  list: ReadonlyArray<Signature>,
  path: keyof signatures.Signed,
  options: ecdsa.Key & { readonly chainId: number }
): Result<ReadonlyArray<Signature>> => {
  const faults = check(type, list, path, options.chainId)
  if (faults.first !== undefined) return fail(faults.first)
  const digest = keccak_256(payload)
  const keyOf = (signature: Signature): string | undefined => signerOf(digest, signature, options.curve)?.publicKey
  return flatMap(
    ecdsa.sign(digest, options),
    ({ r, recovery, s }) =>
      flatMap(isEthereum(type) ? succeed(BigInt(recovery)) : toV(options.chainId, recovery), (v) => {
        const signature = { v, r, s }
        signatures.check(type, signature, "signature", faults)
        const own = list.length === 0 ? undefined : keyOf(signature)
        return faults.result(
          own !== undefined && list.some((each) => keyOf(each) === own) ? list : [...list, signature]
        )
      })
  )
}

const signerOf = (digest: Uint8Array, signature: Signature, curve: Secp256k1 | undefined): Signer | undefined =>
  ecdsa.recover(digest, { r: signature.r, s: signature.s, recovery: recoveryOf(signature) }, curve)

export const recover = (
  type: TransactionType,
  payload: Uint8Array,
  list: ReadonlyArray<Signature>,
  path: keyof signatures.Signed,
  options: { readonly chainId: number | undefined; readonly curve?: Secp256k1 | undefined }
): Result<ReadonlyArray<Signer>> => {
  const faults = check(type, list, path, options.chainId)
  if (list.length === 0) faults.add("Unsigned", path, "is empty: nobody has signed")
  if (faults.first !== undefined) return fail(faults.first)
  const digest = keccak_256(payload)
  const signers: Array<Signer> = []
  for (const [i, signature] of list.entries()) {
    const signer = signerOf(digest, signature, options.curve)
    if (signer === undefined) {
      return fail(new TransactionError("InvalidSignature", `${path}[${i}]`, "no public key can be recovered from it"))
    }
    signers.push(signer)
  }
  return succeed(signers)
}
