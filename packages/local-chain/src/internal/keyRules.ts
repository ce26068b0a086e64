import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import { RLP } from "@ethereumjs/rlp"
import { bytesToBigInt, bytesToHex } from "@ethereumjs/util"

/** A weighted key of a multisig, as its bytes have it. */
interface Weighted {
  readonly weight: bigint
  readonly publicKey: string
}

/** An account key that a node can decode, whether an account may have it or not. */
export type EncodedKey =
  | { readonly kind: "nil" | "legacy" | "public" | "fail" }
  | { readonly kind: "multisig"; readonly threshold: bigint; readonly keys: ReadonlyArray<Weighted> }
  | { readonly kind: "roles"; readonly roles: ReadonlyArray<EncodedKey> }

/** The node's texts, in the order of its checks. */
export const keyTexts = {
  unserializable: "key is not serializable",
  nil: "AccountKeyNil cannot be initialized to an account",
  fail: "AccountKeyFail is not updatable",
  empty: "length is zero",
  tooLong: "length too long",
  nested: "nested composite type",
  tooMany: "the number of keys exceeds the limit",
  noWeight: "key weight is zero",
  duplicate: "duplicated key",
  overflow: "weighted sum overflow",
  unsatisfiable: "unsatisfiable threshold. Weighted sum of keys is less than the threshold."
} as const

const maxKeys = 10
const maxRoles = 3
const gasOfKey = 20_000n

const isBytes = (item: unknown): item is Uint8Array => item instanceof Uint8Array

/** An unsigned integer of 64 bits without leading zeros. */
const uint64 = (item: unknown): bigint | undefined =>
  isBytes(item) && item.length <= 8 && item[0] !== 0 ? bytesToBigInt(item) : undefined

const publicKey = (item: unknown): string | undefined =>
  isBytes(item) && item.length === 33 && PublicKey.compress(item).ok ? bytesToHex(item) : undefined

const readMultisig = (item: unknown): EncodedKey | undefined => {
  if (!Array.isArray(item) || item.length !== 2 || !Array.isArray(item[1])) return undefined
  const threshold = uint64(item[0])
  const keys = item[1].map((entry: unknown): Weighted | undefined => {
    if (!Array.isArray(entry) || entry.length !== 2) return undefined
    const [weight, key] = [uint64(entry[0]), publicKey(entry[1])]
    return weight === undefined || key === undefined ? undefined : { weight, publicKey: key }
  })
  const known = keys.flatMap((key) => key === undefined ? [] : [key])
  return threshold === undefined || known.length < keys.length
    ? undefined
    : { kind: "multisig", threshold, keys: known }
}

const readRoles = (item: unknown): EncodedKey | undefined => {
  if (!Array.isArray(item)) return undefined
  const roles = item.flatMap((role: unknown) => {
    const key = isBytes(role) ? readKey(role) : undefined
    return key === undefined ? [] : [key]
  })
  return roles.length < item.length ? undefined : { kind: "roles", roles }
}

/** Decodes an account key as far as a node does before it asks whether an account may have it; undefined if it can't be. */
export const readKey = (bytes: Uint8Array): EncodedKey | undefined => {
  const [tag, ...rest] = bytes
  if (tag === 0x80) return rest.length === 0 ? { kind: "nil" } : undefined
  let item: unknown
  try {
    item = RLP.decode(bytes.subarray(1))
  } catch {
    return undefined
  }
  const isEmpty = Array.isArray(item) && item.length === 0
  switch (tag) {
    case 1:
      return isEmpty ? { kind: "legacy" } : undefined
    case 2:
      return publicKey(item) === undefined ? undefined : { kind: "public" }
    case 3:
      return isEmpty ? { kind: "fail" } : undefined
    case 4:
      return readMultisig(item)
    case 5:
      return readRoles(item)
    default:
      return undefined
  }
}

/** Why no account may have a multisig. */
const multisigFault = (keys: ReadonlyArray<Weighted>, threshold: bigint): string | undefined => {
  if (keys.length === 0) return keyTexts.empty
  if (keys.length > maxKeys) return keyTexts.tooMany
  const seen = new Set<string>()
  let sum = 0n
  for (const key of keys) {
    if (key.weight === 0n) return keyTexts.noWeight
    if (seen.has(key.publicKey)) return keyTexts.duplicate
    seen.add(key.publicKey)
    sum += key.weight
    if (sum >= 2n ** 64n) return keyTexts.overflow
  }
  return sum < threshold ? keyTexts.unsatisfiable : undefined
}

/** Why a role can't be given to an account that has none there. */
const roleFault = (role: EncodedKey): string | undefined => role.kind === "roles" ? keyTexts.nested : installFault(role)

const installFault = (key: EncodedKey): string | undefined => {
  switch (key.kind) {
    case "nil":
      return keyTexts.nil
    case "multisig":
      return multisigFault(key.keys, key.threshold)
    case "roles":
      return countFault(key.roles) ?? firstFault(key.roles.map(roleFault))
    default:
      return undefined
  }
}

const firstFault = (faults: ReadonlyArray<string | undefined>) => faults.find((fault) => fault !== undefined)

const countFault = ({ length }: ReadonlyArray<EncodedKey>): string | undefined =>
  length === 0 ? keyTexts.empty : length > maxRoles ? keyTexts.tooLong : undefined

/** Why an account with a key can't be given another one, in the node's words and order; undefined if it can. */
export const updateFault = (current: EncodedKey, next: EncodedKey): string | undefined => {
  if (current.kind === "fail" && next.kind === "fail") return keyTexts.fail
  if (current.kind !== "roles" || next.kind !== "roles") return installFault(next)
  return countFault(next.roles) ?? firstFault(next.roles.map((role, at) => {
    const before = current.roles[at]
    if (role.kind === "roles") return keyTexts.nested
    if (before === undefined) return installFault(role)
    return role.kind === "nil" ? undefined : updateFault(before, role)
  }))
}

/** The gas for registering a key, or why there is none. */
export const registrationGas = (key: EncodedKey): bigint | string => {
  switch (key.kind) {
    case "public":
      return gasOfKey
    case "multisig":
      return key.keys.length > maxKeys ? keyTexts.tooMany : gasOfKey * BigInt(key.keys.length)
    case "roles":
      return key.roles.map(registrationGas).reduce(
        (sum, gas) => typeof sum === "string" ? sum : typeof gas === "string" ? gas : sum + gas,
        0n
      )
    default:
      return 0n
  }
}
