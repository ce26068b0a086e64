import type { AccountKey, AccountKeyRoleBased, RoleKey, WeightedKey } from "../AccountKey.js"
import { fromBytes, type Hex } from "../Hex.js"
import * as PublicKey from "../PublicKey.js"
import type { Faults } from "./faults.js"
import * as fields from "./fields.js"
import * as rlp from "./rlp.js"

const maxKeys = 10
const maxRoles = 3
// The node stores threshold and weights in an unsigned machine word; this is the largest exact JavaScript integer.
const maxWeight = Number.MAX_SAFE_INTEGER

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
        fields.writeNumber(entry?.weight, 1, maxWeight, at(path, `keys[${i}].weight`), faults),
        writePublicKey(entry?.publicKey, at(path, `keys[${i}].publicKey`), faults)
      ])
      const threshold = fields.writeNumber(key.threshold, 1, maxWeight, at(path, "threshold"), faults)
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
    return fields.writeBytes(key, path, faults)
  }
  const compressed = PublicKey.compress(key)
  if (compressed.ok) {
    return fields.writeBytes(compressed.value, path, faults)
  }
  faults.addAt(path, compressed.error)
  return new Uint8Array(0)
}

// Stands for a key after a fault.
const nil: RoleKey = { type: "AccountKeyNil" }

/** Builds the list of one to three roles: no role follows a missing one. */
export const ofRoles = (
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
      const threshold = fields.readNumber(items[0], fields.uint64, at(path, "threshold"), faults)
      const keys = fields.readList(items[1], at(path, "keys"), faults).map((item, i): WeightedKey => {
        const entryPath = at(path, `keys[${i}]`)
        const entry = fields.readList(item, entryPath, faults)
        fields.expectLength(entry, 2, entryPath, faults)
        return {
          weight: fields.readNumber(entry[0], fields.uint64, at(entryPath, "weight"), faults),
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
      faults.add("UnknownType", path, "the first byte names no kind of account key")
      return nil
  }
}

const expectEmpty = (length: number, path: string, faults: Faults): void => {
  if (length > 0) {
    faults.add("WrongShape", path, "this kind of account key carries nothing")
  }
}

const readPublicKey = (item: rlp.Item | undefined, path: string, faults: Faults): Hex => {
  const key = fields.readFixed(item, 33, path, faults)
  const point = PublicKey.compress(key)
  if (!point.ok) {
    faults.addAt(path, point.error)
  }
  return key
}

const checkRoles = (count: number, path: string, faults: Faults): void => {
  if (count < 1 || count > maxRoles) {
    faults.add("InvalidKey", path, `a role-based key has 1 to ${maxRoles} roles, this has ${count}`)
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
    return faults.add("InvalidKey", path, `a multisig has 1 to ${maxKeys} keys, this has ${keys.length}`)
  }
  if (new Set(publicKeys).size < keys.length) {
    return faults.add("InvalidKey", path, "a multisig holds each key once only")
  }
  if (threshold < 1 || keys.some((key) => key.weight < 1)) {
    return faults.add("InvalidKey", path, "threshold and weights of a multisig are at least 1")
  }
  if (keys.reduce((sum, key) => sum + BigInt(key.weight), 0n) < BigInt(threshold)) {
    return faults.add("InvalidKey", path, "all weights together do not reach the threshold; nobody could sign")
  }
}
