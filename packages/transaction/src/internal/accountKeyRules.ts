import type { AccountKey, AccountKeyRoleBased, Role, RoleKey, WeightedKey } from "../AccountKey.js"
import { fromBytes, type Hex } from "../Hex.js"
import * as PublicKey from "../PublicKey.js"
import { fail, type Result, succeed } from "../Result.js"
import type { Signer } from "../Signature.js"
import { TransactionError } from "../TransactionError.js"
import type { Faults } from "./faults.js"
import * as fields from "./fields.js"
import * as rlp from "./rlp.js"

const maxKeys = 10
const maxRoles = 3
// The node stores threshold and weights in an unsigned machine word; this is the largest exact JavaScript integer.
const weight = fields.integer(0, Number.MAX_SAFE_INTEGER)
const publicKey = fields.fixed(33)

const at = (path: string, element: string): string => path === "" ? element : `${path}.${element}`

const tagged = (tag: number, body: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(body.length + 1)
  bytes[0] = tag
  bytes.set(body, 1)
  return bytes
}

/** Encodes a key; records a fault if it breaks a rule or lacks a required part. */
export const write = (key: AccountKey | undefined, path: string, faults: Faults): Uint8Array => {
  switch (key?.type) {
    case "AccountKeyNil":
      return Uint8Array.of(0x80)
    case "AccountKeyLegacy":
      return Uint8Array.of(1, 0xc0)
    case "AccountKeyPublic":
      return tagged(2, rlp.encode(writePublicKey(key.publicKey, at(path, "publicKey"), faults)))
    case "AccountKeyFail":
      return Uint8Array.of(3, 0xc0)
    case "AccountKeyWeightedMultiSig": {
      const entries = fields.elements(key.keys, at(path, "keys"), faults)
      const keys = entries.map((entry, i): [Uint8Array, Uint8Array] => [
        weight.write(entry?.weight, at(path, `keys[${i}].weight`), faults),
        writePublicKey(entry?.publicKey, at(path, `keys[${i}].publicKey`), faults)
      ])
      const threshold = weight.write(key.threshold, at(path, "threshold"), faults)
      checkMultiSig(key.threshold, key.keys, keys.map((entry) => fromBytes(entry[1])), path, faults)
      return tagged(4, rlp.encode([threshold, keys]))
    }
    case "AccountKeyRoleBased": {
      const entries = fields.elements(key.keys, at(path, "keys"), faults)
      checkRoles(entries.length, path, faults)
      return tagged(5, rlp.encode(entries.map((role, i) => writeRole(role, at(path, `keys[${i}]`), faults))))
    }
    default:
      faults.add("WrongShape", path, "is not an account key")
      return new Uint8Array(0)
  }
}

const writeRole = (role: AccountKey | undefined, path: string, faults: Faults): Uint8Array => {
  if (role?.type === "AccountKeyRoleBased") {
    faults.add("InvalidKey", path, "a role can't have a role-based key")
    return new Uint8Array(0)
  }
  return write(role, path, faults)
}

const writePublicKey = (key: Hex | undefined, path: string, faults: Faults): Uint8Array => {
  if (key === undefined) {
    return fields.hex.write(key, path, faults)
  }
  const compressed = PublicKey.compress(key)
  if (compressed.ok) {
    return fields.hex.write(compressed.value, path, faults)
  }
  faults.addAt(path, compressed.error)
  return new Uint8Array(0)
}

// Stands for a key after a fault.
const nil: RoleKey = { type: "AccountKeyNil" }

/** Builds the list of one to three roles: no role follows a missing one. */
const ofRoles = (
  transaction: RoleKey,
  accountUpdate: RoleKey | undefined,
  feePayer: RoleKey | undefined
): AccountKeyRoleBased => ({
  type: "AccountKeyRoleBased",
  keys: accountUpdate === undefined
    ? [transaction]
    : feePayer === undefined
    ? [transaction, accountUpdate]
    : [transaction, accountUpdate, feePayer]
})

/** Decodes a key; records a fault if the bytes are not one. */
export const read = (bytes: Uint8Array, path: string, faults: Faults): AccountKey =>
  bytes[0] === 5 ? readRoleBased(bytes, path, faults) : readRole(bytes, path, faults)

const readRoleBased = (bytes: Uint8Array, path: string, faults: Faults): AccountKeyRoleBased => {
  const items = fields.readList(rlp.decode(bytes.subarray(1), path, faults), path, faults)
  checkRoles(items.length, path, faults)
  const [transaction = nil, accountUpdate, feePayer] = items.map((item, i) => {
    const role = at(path, `keys[${i}]`)
    return readRole(fields.readBytes(item, role, faults), role, faults)
  })
  return ofRoles(transaction, accountUpdate, feePayer)
}

const readRole = (bytes: Uint8Array, path: string, faults: Faults): RoleKey => {
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
    case 2:
      return {
        type: "AccountKeyPublic",
        publicKey: readPublicKey(rlp.decode(body, path, faults), at(path, "publicKey"), faults)
      }
    case 4: {
      const items = fields.readList(rlp.decode(body, path, faults), path, faults)
      fields.expectLength(items, 2, path, faults)
      const threshold = weight.read(items[0], at(path, "threshold"), faults)
      const keys = fields.readList(items[1], at(path, "keys"), faults).map((item, i): WeightedKey => {
        const entryPath = at(path, `keys[${i}]`)
        const entry = fields.readList(item, entryPath, faults)
        fields.expectLength(entry, 2, entryPath, faults)
        return {
          weight: weight.read(entry[0], at(entryPath, "weight"), faults),
          publicKey: readPublicKey(entry[1], at(entryPath, "publicKey"), faults)
        }
      })
      checkMultiSig(threshold, keys, keys.map((entry) => entry.publicKey), path, faults)
      return { type: "AccountKeyWeightedMultiSig", threshold, keys }
    }
    case 5:
      faults.add("InvalidKey", path, "a role can't have a role-based key")
      return nil
    default:
      faults.add("UnknownType", path, "the first byte is not that of an account key")
      return nil
  }
}

const expectEmpty = (length: number, path: string, faults: Faults): void => {
  if (length > 0) {
    faults.add("WrongShape", path, "this kind of account key has no contents")
  }
}

const readPublicKey = (item: rlp.Item | undefined, path: string, faults: Faults): Hex => {
  const key = publicKey.read(item, path, faults)
  const point = PublicKey.compress(key)
  if (!point.ok) {
    faults.addAt(path, point.error)
  }
  return key
}

const checkRoles = (count: number, path: string, faults: Faults): void => {
  if (count < 1 || count > maxRoles) {
    faults.add("InvalidKey", path, `a role-based key has 1 to ${maxRoles} roles, not ${count}`)
  }
}

const checkMultiSig = (
  threshold: number,
  keys: ReadonlyArray<WeightedKey>,
  publicKeys: ReadonlyArray<Hex>,
  path: string,
  faults: Faults
): void => {
  if (faults.first !== undefined) {
    return
  }
  if (keys.length < 1 || keys.length > maxKeys) {
    return faults.add("InvalidKey", path, `a multisig has 1 to ${maxKeys} keys, not ${keys.length}`)
  }
  if (new Set(publicKeys).size < keys.length) {
    return faults.add("InvalidKey", path, "a multisig can't have a key twice")
  }
  if (threshold < 1 || keys.some((key) => key.weight < 1)) {
    return faults.add("InvalidKey", path, "the threshold and weights of a multisig must be at least 1")
  }
  if (keys.reduce((sum, key) => sum + BigInt(key.weight), 0n) < BigInt(threshold)) {
    return faults.add("InvalidKey", path, "the weights add up to less than the threshold, so nobody could sign")
  }
}

// What keys allow, and how updates change them

const roleIndex: Record<Role, 0 | 1 | 2> = { transaction: 0, accountUpdate: 1, feePayer: 2 }

export const isSatisfiedBy = (
  key: AccountKey,
  role: Role,
  address: string,
  signers: ReadonlyArray<Signer>
): boolean => {
  switch (key.type) {
    case "AccountKeyNil":
    case "AccountKeyFail":
      return false
    case "AccountKeyLegacy":
      return signers.length === 1 && signers.every((signer) => signer.address === address)
    case "AccountKeyPublic":
      return signers.length === 1 && signers.every((signer) => signer.publicKey === key.publicKey)
    case "AccountKeyWeightedMultiSig": {
      const signed = new Set(signers.map((signer) => signer.publicKey))
      const matching = key.keys.filter((entry) => signed.has(entry.publicKey))
      // The chain compares the number of signatures with that of keys, but counts a key's weight once, however often it
      // signs.
      return signers.length <= key.keys.length && matching.length === signed.size && key.threshold >= 1
        && matching.reduce((sum, entry) => sum + BigInt(entry.weight), 0n) >= BigInt(key.threshold)
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

export const update = (current: AccountKey, next: AccountKey): Result<AccountKey> => {
  if (next.type === "AccountKeyNil") {
    return nothingToKeep("")
  }
  if (next.type !== "AccountKeyRoleBased") {
    return succeed(next)
  }
  const before: ReadonlyArray<RoleKey | undefined> = current.type === "AccountKeyRoleBased" ? current.keys : []
  const [transaction, accountUpdate, feePayer] = [0, 1, 2].map((i) => {
    const wanted = next.keys[i]
    return wanted === undefined || wanted.type === "AccountKeyNil" ? before[i] : wanted
  })
  if (transaction === undefined) {
    return nothingToKeep("keys[0]")
  }
  const missing = [accountUpdate, feePayer].findIndex((key, i) => i + 1 < next.keys.length && key === undefined)
  return missing >= 0
    ? nothingToKeep(`keys[${missing + 1}]`)
    : succeed(ofRoles(transaction, accountUpdate, feePayer))
}

export const size = (key: AccountKey): number => {
  switch (key.type) {
    case "AccountKeyNil":
    case "AccountKeyLegacy":
    case "AccountKeyFail":
      return 0
    case "AccountKeyPublic":
      return 1
    case "AccountKeyWeightedMultiSig":
      return key.keys.length
    case "AccountKeyRoleBased":
      return key.keys.reduce((sum, role) => sum + (role === undefined ? 0 : size(role)), 0)
  }
}
