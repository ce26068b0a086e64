import type { Signature } from "../Signature.js"
import { chainIdOf, isHighS, namesNoChain, order } from "../Signature.js"
import { isEthereum, type TransactionType } from "../TransactionType.js"
import type { Faults } from "./faults.js"
import * as fields from "./fields.js"
import type { Encodable, Item } from "./rlp.js"

/** The error text for a signature that names no chain. */
export const noChain = "names no chain: V is recovery + 35 + 2 * chain ID"

/** Records a fault if no key can make the signature, or if it does not have the one accepted form. */
export const check = (type: TransactionType, signature: Signature, path: string, faults: Faults): void => {
  const { r, s, v } = signature
  if (r <= 0n || s <= 0n || r >= order || s >= order) {
    return faults.add("InvalidSignature", path, "has an R or S that is not between 1 and the order of the curve")
  }
  if (isHighS(signature)) {
    return faults.add("HighS", `${path}.s`, "is in the upper half of the curve order; sign with low S")
  }
  if (isEthereum(type)) {
    return v === 0n || v === 1n
      ? undefined
      : faults.add("InvalidSignature", `${path}.v`, "is not 0 or 1, the recovery bit in an Ethereum type")
  }
  if (type === "LegacyTransaction" && namesNoChain(signature)) return
  if (v < 37n || v > 2n * BigInt(Number.MAX_SAFE_INTEGER) + 36n) {
    return faults.add("WrongChain", `${path}.v`, noChain)
  }
}

/** The signatures of a transaction, including the fee payer's if the type has one. */
export interface Signed {
  readonly signatures?: ReadonlyArray<Signature> | undefined
  readonly feePayerSignatures?: ReadonlyArray<Signature> | undefined
}

/**
 * Records a fault unless all signatures name the same chain, which must be `chainId` if that is given. Does nothing
 * after an earlier fault: the signatures may not be well-formed.
 */
export const checkChain = (source: Signed, chainId: number | undefined, faults: Faults): void => {
  let expected = chainId
  for (const path of ["signatures", "feePayerSignatures"] as const) {
    for (const [i, signature] of faults.first === undefined ? (source[path] ?? []).entries() : []) {
      const named = chainIdOf(signature)
      expected = expected ?? named
      if (named !== expected) {
        faults.add("WrongChain", `${path}[${i}].v`, `names chain ${named} instead of ${expected}`)
      }
    }
  }
}

const form = fields.record<Signature>({ v: fields.uint256, r: fields.uint256, s: fields.uint256 })

export const writeOne = (
  type: TransactionType,
  signature: Signature | undefined,
  path: string,
  faults: Faults
): Array<Encodable> => {
  const written = form.write(signature, path, faults)
  if (faults.first === undefined && signature !== undefined) check(type, signature, path, faults)
  return written
}

/** The signature of a party that has not signed yet: V is 1, R and S are empty. */
export const placeholder = (): Array<Encodable> => [Uint8Array.of(1), new Uint8Array(0), new Uint8Array(0)]

export const write = (
  type: TransactionType,
  signatures: ReadonlyArray<Signature | undefined>,
  path: string,
  faults: Faults
): Encodable =>
  signatures.length === 0
    ? [placeholder()]
    : signatures.map((signature, i) => writeOne(type, signature, `${path}[${i}]`, faults))

/** Reads a signature from a list of three items; `undefined` for the placeholder. */
export const readOne = (
  type: TransactionType,
  item: Item | undefined,
  path: string,
  faults: Faults
): Signature | undefined => {
  const signature = form.read(item, path, faults)
  if (signature.v === 1n && signature.r === 0n && signature.s === 0n) return undefined
  check(type, signature, path, faults)
  return signature
}

export interface ReadSignatures {
  readonly signatures: ReadonlyArray<Signature>
  readonly form: "Signed" | "Placeholder" | "EmptySignatures"
}

export const read = (type: TransactionType, item: Item | undefined, path: string, faults: Faults): ReadSignatures => {
  const items = fields.readList(item, path, faults)
  const signatures: Array<Signature> = []
  for (const [i, entry] of items.entries()) {
    const signature = readOne(type, entry, `${path}[${i}]`, faults)
    if (signature !== undefined) {
      signatures.push(signature)
    } else if (items.length > 1) {
      faults.add("InvalidSignature", `${path}[${i}]`, "a placeholder can't be mixed with other signatures")
    }
  }
  return {
    signatures,
    form: items.length === 0 ? "EmptySignatures" : signatures.length === 0 ? "Placeholder" : "Signed"
  }
}
