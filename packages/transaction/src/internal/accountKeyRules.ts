import { concatBytes } from "@noble/hashes/utils.js"
import type * as AccountKey from "../AccountKey.js"
import type { Hex } from "../Hex.js"
import * as PublicKey from "../PublicKey.js"
import { fail, type Result, succeed } from "../Result.js"
import type { Signer } from "../Signature.js"
import { TransactionError } from "../TransactionError.js"
import type { Faults } from "./faults.js"
import * as fields from "./fields.js"
import * as rlp from "./rlp.js"
import type { Encodable } from "./rlp.js"

const maxKeys = 10
const maxRoles = 3
const nested = "a role can't have a role-based key"
// The node stores threshold and weights in an unsigned machine word; this is the largest exact JavaScript integer.
const weight = fields.integer(0, Number.MAX_SAFE_INTEGER)
const bytes33 = fields.fixed(33)

/** A public key: either form is accepted, only the compressed one is written and read. */
const publicKey: fields.Field<Hex> = {
  read: (item, path, faults) => {
    const key = bytes33.read(item, path, faults)
    const point = PublicKey.compress(key)
    if (!point.ok) faults.addAt(path, point.error)
    return key
  },
  write: (key, path, faults) => {
    const compressed = key === undefined ? undefined : PublicKey.compress(key)
    if (compressed?.ok === false) faults.addAt(path, compressed.error)
    return fields.hex.write(compressed?.ok === true ? compressed.value : undefined, path, faults)
  }
}

const multiSig = fields.record<Omit<AccountKey.AccountKeyWeightedMultiSig, "type">>({
  threshold: weight,
  keys: fields.list(fields.record<AccountKey.WeightedKey>({ weight, publicKey }))
})

const tagged = (tag: number, body: Encodable): Uint8Array => concatBytes(Uint8Array.of(tag), rlp.encode(body))

/** Encodes a key; records a fault if it breaks a rule or lacks a required part. */
export const write = (key: AccountKey.AccountKey | undefined, path: string, faults: Faults): Uint8Array => {
  const bytes = encode(key, path, faults)
  // The rules are checked in one place: where a key is read.
  if (faults.first === undefined) read(bytes, path, faults)
  return bytes
}

const encode = (key: AccountKey.AccountKey | undefined, path: string, faults: Faults): Uint8Array => {
  switch (key?.type) {
    case "AccountKeyNil":
      return Uint8Array.of(0x80)
    case "AccountKeyLegacy":
      return tagged(1, [])
    case "AccountKeyPublic":
      return tagged(2, publicKey.write(key.publicKey, fields.at(path, "publicKey"), faults))
    case "AccountKeyFail":
      return tagged(3, [])
    case "AccountKeyWeightedMultiSig":
      return tagged(4, multiSig.write(key, path, faults))
    case "AccountKeyRoleBased":
      return tagged(5, roles.write(key.keys, fields.at(path, "keys"), faults))
    default:
      faults.add("WrongShape", path, "is not an account key")
      return new Uint8Array(0)
  }
}

// Stands for a key after a fault.
const nil: AccountKey.RoleKey = { type: "AccountKeyNil" }

/** Builds the list of one to three roles: no role follows a missing one. */
const ofRoles = (
  transaction: AccountKey.RoleKey,
  accountUpdate: AccountKey.RoleKey | undefined,
  feePayer: AccountKey.RoleKey | undefined
): AccountKey.AccountKeyRoleBased => ({
  type: "AccountKeyRoleBased",
  keys: accountUpdate === undefined
    ? [transaction]
    : feePayer === undefined
    ? [transaction, accountUpdate]
    : [transaction, accountUpdate, feePayer]
})

/** Decodes a key; records a fault if the bytes are not one. */
export const read = (bytes: Uint8Array, path: string, faults: Faults): AccountKey.AccountKey =>
  bytes[0] === 5 ? readRoleBased(bytes, path, faults) : readRole(bytes, path, faults)

const readRoleBased = (bytes: Uint8Array, path: string, faults: Faults): AccountKey.AccountKeyRoleBased => {
  const items = fields.readList(rlp.decode(bytes.subarray(1), path, faults), path, faults)
  if (items.length < 1 || items.length > maxRoles) {
    faults.add("InvalidKey", path, `a role-based key has 1 to ${maxRoles} roles, not ${items.length}`)
  }
  const [transaction = nil, accountUpdate, feePayer] = roles.read(items, fields.at(path, "keys"), faults)
  return ofRoles(transaction, accountUpdate, feePayer)
}

const readRole = (bytes: Uint8Array, path: string, faults: Faults): AccountKey.RoleKey => {
  const tag = bytes[0]
  const body = bytes.subarray(1)
  switch (tag) {
    case 0x80:
      expectEmpty(body.length, path, faults)
      return nil
    case 1:
    case 3:
      expectEmpty(fields.readList(rlp.decode(body, path, faults), path, faults).length, path, faults)
      return tag === 1 ? { type: "AccountKeyLegacy" } : { type: "AccountKeyFail" }
    case 2: {
      const item = rlp.decode(body, path, faults)
      return { type: "AccountKeyPublic", publicKey: publicKey.read(item, fields.at(path, "publicKey"), faults) }
    }
    case 4: {
      const key = multiSig.read(rlp.decode(body, path, faults), path, faults)
      checkMultiSig(key, path, faults)
      return { type: "AccountKeyWeightedMultiSig", ...key }
    }
    case 5:
      faults.add("InvalidKey", path, nested)
      return nil
    default:
      faults.add("UnknownType", path, "the first byte is not that of an account key")
      return nil
  }
}

const writeRole = (role: AccountKey.AccountKey | undefined, path: string, faults: Faults): Uint8Array => {
  if (role?.type !== "AccountKeyRoleBased") return encode(role, path, faults)
  faults.add("InvalidKey", path, nested)
  return new Uint8Array(0)
}

/** The encoded keys of a role-based key. Each is a byte string of its own. */
const roles = fields.list<AccountKey.RoleKey | undefined>({
  read: (item, path, faults) => readRole(fields.readBytes(item, path, faults), path, faults),
  write: writeRole
})

const expectEmpty = (length: number, path: string, faults: Faults): void => {
  if (length > 0) faults.add("WrongShape", path, "this kind of account key has no contents")
}

const checkMultiSig = (
  { keys, threshold }: Omit<AccountKey.AccountKeyWeightedMultiSig, "type">,
  path: string,
  faults: Faults
): void => {
  if (faults.first !== undefined) return
  if (keys.length < 1 || keys.length > maxKeys) {
    return faults.add("InvalidKey", path, `a multisig has 1 to ${maxKeys} keys, not ${keys.length}`)
  }
  if (new Set(keys.map((key) => key.publicKey)).size < keys.length) {
    return faults.add("InvalidKey", path, "a multisig can't have a key twice")
  }
  if (keys.some((key) => key.weight < 1)) {
    return faults.add("InvalidKey", path, "the weights of a multisig must be at least 1")
  }
  if (keys.reduce((sum, key) => sum + BigInt(key.weight), 0n) < BigInt(threshold)) {
    return faults.add("InvalidKey", path, "the weights add up to less than the threshold, so nobody could sign")
  }
}

// What keys allow, and how updates change them

const roleIndex: Record<AccountKey.Role, 0 | 1 | 2> = { transaction: 0, accountUpdate: 1, feePayer: 2 }

export const isSatisfiedBy = (
  key: AccountKey.AccountKey,
  role: AccountKey.Role,
  address: string,
  signers: ReadonlyArray<Signer>
): boolean => {
  switch (key.type) {
    case "AccountKeyLegacy":
      return signers.length === 1 && signers.every((signer) => signer.address === address)
    case "AccountKeyPublic":
      return signers.length === 1 && signers.every((signer) => signer.publicKey === key.publicKey)
    case "AccountKeyWeightedMultiSig": {
      const signed = new Set(signers.map((signer) => signer.publicKey))
      const matching = key.keys.filter((entry) => signed.has(entry.publicKey))
      // The chain compares the number of signatures with that of keys, but counts a key's weight once, however often it
      // signs.
      return signers.length > 0 && signers.length <= key.keys.length && matching.length === signed.size &&
        matching.reduce((sum, entry) => sum + BigInt(entry.weight), 0n) >= BigInt(key.threshold)
    }
    case "AccountKeyRoleBased":
      return isSatisfiedBy(key.keys[roleIndex[role]] ?? key.keys[0], role, address, signers)
    default:
      return false
  }
}

const nothingToKeep = (path: string): Result<never> =>
  fail(
    new TransactionError("InvalidKey", path, "AccountKeyNil keeps the key of a role, but the account has no such key")
  )

export const update = (current: AccountKey.AccountKey, next: AccountKey.AccountKey): Result<AccountKey.AccountKey> => {
  if (next.type === "AccountKeyNil") return nothingToKeep("")
  if (next.type !== "AccountKeyRoleBased") return succeed(next)
  const before: ReadonlyArray<AccountKey.RoleKey | undefined> = current.type === "AccountKeyRoleBased"
    ? current.keys
    : []
  const [transaction, accountUpdate, feePayer] = [0, 1, 2].map((i) => {
    const wanted = next.keys[i]
    return wanted === undefined || wanted.type === "AccountKeyNil" ? before[i] : wanted
  })
  if (transaction === undefined) return nothingToKeep("keys[0]")
  const missing = [accountUpdate, feePayer].findIndex((key, i) => i + 1 < next.keys.length && key === undefined)
  return missing >= 0
    ? nothingToKeep(`keys[${missing + 1}]`)
    : succeed(ofRoles(transaction, accountUpdate, feePayer))
}

export const size = (key: AccountKey.AccountKey): number => {
  switch (key.type) {
    case "AccountKeyPublic":
      return 1
    case "AccountKeyWeightedMultiSig":
      return key.keys.length
    case "AccountKeyRoleBased":
      return key.keys.reduce((sum, role) => sum + (role === undefined ? 0 : size(role)), 0)
    default:
      return 0
  }
}
