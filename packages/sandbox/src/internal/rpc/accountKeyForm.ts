import type * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import { quantity } from "./quantity.js"
import { big, isRecord, Unreadable } from "./Reader.js"

const keyTypes = {
  AccountKeyNil: 0,
  AccountKeyLegacy: 1,
  AccountKeyPublic: 2,
  AccountKeyFail: 3,
  AccountKeyWeightedMultiSig: 4,
  AccountKeyRoleBased: 5
} as const

interface KeyForm {
  readonly keyType: number
  readonly key: unknown
}

/** The two coordinates of a public key. */
const pointOf = (key: Hex): unknown => {
  const point = PublicKey.uncompress(key)
  if (!point.ok) return {}
  const digits = point.value.slice(4)
  return { x: quantity(BigInt(`0x${digits.slice(0, 64)}`)), y: quantity(BigInt(`0x${digits.slice(64)}`)) }
}

/** An account key as a node writes it. */
export const keyForm = (key: AccountKey.AccountKey): KeyForm => {
  const keyType = keyTypes[key.type]
  switch (key.type) {
    case "AccountKeyPublic":
      return { keyType, key: pointOf(key.publicKey) }
    case "AccountKeyWeightedMultiSig":
      return {
        keyType,
        key: {
          threshold: key.threshold,
          keys: key.keys.map(({ publicKey, weight }) => ({ weight, key: pointOf(publicKey) }))
        }
      }
    case "AccountKeyRoleBased":
      return { keyType, key: key.keys.flatMap((role) => role === undefined ? [] : [keyForm(role)]) }
    default:
      return { keyType, key: {} }
  }
}

const publicKeyOf = (value: unknown): Hex | string => {
  if (!isRecord(value)) return "public key is not in the JSON"
  const { x, y } = value
  const [ax, ay] = [big.read(x), big.read(y)]
  if (ax instanceof Unreadable) return ax.text("publicKeyJSON.x")
  if (ay instanceof Unreadable) return ay.text("publicKeyJSON.y")
  const point = [4n, ax, ay].map((part, at) => part.toString(16).padStart(at === 0 ? 2 : 64, "0")).join("")
  const compressed = PublicKey.compress(fromBytes(Buffer.from(point, "hex")))
  return compressed.ok
    ? compressed.value
    : `the key probably contains an invalid public key: ${compressed.error.message}`
}

const uint = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value < 2 ** 32 ? value : undefined

const multiSigOf = (value: unknown): AccountKey.AccountKeyWeightedMultiSig | string => {
  if (!isRecord(value)) return "invalid threshold of the multiSigKey"
  const threshold = uint(value["threshold"])
  if (threshold === undefined || threshold === 0) return "invalid threshold of the multiSigKey"
  const items: ReadonlyArray<unknown> = Array.isArray(value["keys"]) ? value["keys"] : []
  const keys: Array<AccountKey.WeightedKey> = []
  for (const item of items) {
    const weight = isRecord(item) ? uint(item["weight"]) : undefined
    if (!isRecord(item) || weight === undefined || weight === 0) return "invalid weight of the multiSigKey"
    const publicKey = publicKeyOf(item["key"])
    if (!publicKey.startsWith("0x")) return publicKey
    keys.push({ weight, publicKey: `0x${publicKey.slice(2)}` })
  }
  return { type: "AccountKeyWeightedMultiSig", threshold, keys }
}

const roleOf = (value: unknown): AccountKey.RoleKey | string => {
  if (!isRecord(value)) return "key type is not specified"
  const { key, keyType } = value
  switch (keyType) {
    case undefined:
    case null:
      return "key type is not specified"
    case 0:
      return { type: "AccountKeyNil" }
    case 1:
      return { type: "AccountKeyLegacy" }
    case 2: {
      const publicKey = publicKeyOf(key)
      return publicKey.startsWith("0x")
        ? { type: "AccountKeyPublic", publicKey: `0x${publicKey.slice(2)}` }
        : publicKey
    }
    case 3:
      return { type: "AccountKeyFail" }
    case 4:
      return multiSigOf(key)
    case 5:
      return "roleBasedKey cannot contains a roleBasedKey as a role key"
    default:
      return "undefined account key type"
  }
}

/** Reads the JSON of an account key, or says in the node's words what is wrong with it. */
export const keyOfForm = (value: unknown): AccountKey.AccountKey | string => {
  if (!isRecord(value) || value["keyType"] !== keyTypes.AccountKeyRoleBased) return roleOf(value)
  const roles: Array<AccountKey.RoleKey> = []
  for (const item of Array.isArray(value["key"]) ? value["key"] : []) {
    const role = roleOf(item)
    if (typeof role === "string") return role
    roles.push(role)
  }
  const [transaction, accountUpdate, feePayer, ...more] = roles
  if (transaction === undefined) return "the length of the keys should be larger than zero"
  if (more.length > 0) return "the length of the keys should be smaller than the number of roles"
  return {
    type: "AccountKeyRoleBased",
    keys: [
      transaction,
      ...(accountUpdate === undefined ? [] as const : feePayer === undefined
        ? [accountUpdate] as const
        : [accountUpdate, feePayer] as const)
    ]
  }
}
