import type * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import { type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import * as Either from "effect/Either"
import { big, fieldsOf, isRecord } from "./ParamDecoder.js"

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

/** A decoded value, or what is wrong with it in the node's words. */
type Decoded<A> = Either.Either<A, string>

const decodePublicKey = (value: unknown): Decoded<Hex> => {
  if (!isRecord(value)) return Either.left("public key is not in the JSON")
  const { x, y } = fieldsOf(value, "x", "y")
  return Either.flatMap(
    Either.all([
      Either.mapLeft(big.decode(x), (error) => error.text("publicKeyJSON.x")),
      Either.mapLeft(big.decode(y), (error) => error.text("publicKeyJSON.y"))
    ]),
    (coordinates) => {
      const digits = coordinates.map((coordinate) => coordinate.toString(16).padStart(64, "0"))
      const compressed = PublicKey.compress(`0x04${digits.join("")}`)
      return compressed.ok
        ? Either.right(compressed.value)
        : Either.left(`the key probably contains an invalid public key: ${compressed.error.message}`)
    }
  )
}

const uint = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value < 2 ** 32 ? value : undefined

const decodeWeightedKey = (value: unknown): Decoded<AccountKey.WeightedKey> => {
  const fields = isRecord(value) ? fieldsOf(value, "key", "weight") : {}
  const weight = uint(fields.weight)
  return weight === undefined || weight === 0
    ? Either.left("invalid weight of the multiSigKey")
    : Either.map(decodePublicKey(fields.key), (publicKey) => ({ weight, publicKey }))
}

const itemsOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

const decodeMultiSig = (value: unknown): Decoded<AccountKey.AccountKeyWeightedMultiSig> => {
  const fields = isRecord(value) ? fieldsOf(value, "keys", "threshold") : {}
  const threshold = uint(fields.threshold)
  if (threshold === undefined || threshold === 0) return Either.left("invalid threshold of the multiSigKey")
  return Either.map(
    Either.all(itemsOf(fields.keys).map(decodeWeightedKey)),
    (keys) => ({ type: "AccountKeyWeightedMultiSig", threshold, keys })
  )
}

const decodeRole = (value: unknown): Decoded<AccountKey.RoleKey> => {
  const { key, keyType } = isRecord(value) ? fieldsOf(value, "key", "keyType") : {}
  switch (keyType) {
    case undefined:
    case null:
      return Either.left("key type is not specified")
    case 0:
      return Either.right({ type: "AccountKeyNil" })
    case 1:
      return Either.right({ type: "AccountKeyLegacy" })
    case 2:
      return Either.map(decodePublicKey(key), (publicKey) => ({ type: "AccountKeyPublic", publicKey }))
    case 3:
      return Either.right({ type: "AccountKeyFail" })
    case 4:
      return decodeMultiSig(key)
    case 5:
      return Either.left("roleBasedKey cannot contains a roleBasedKey as a role key")
    default:
      return Either.left("undefined account key type")
  }
}

/** Decodes the JSON of an account key. */
export const decodeKey = (value: unknown): Decoded<AccountKey.AccountKey> => {
  const { key, keyType } = isRecord(value) ? fieldsOf(value, "key", "keyType") : {}
  if (keyType !== keyTypes.AccountKeyRoleBased) return decodeRole(value)
  return Either.flatMap(Either.all(itemsOf(key).map(decodeRole)), (roles): Decoded<AccountKey.AccountKey> => {
    const [transaction, accountUpdate, feePayer, ...more] = roles
    if (transaction === undefined) return Either.left("the length of the keys should be larger than zero")
    if (more.length > 0) return Either.left("the length of the keys should be smaller than the number of roles")
    return Either.right({
      type: "AccountKeyRoleBased",
      keys: [
        transaction,
        ...(accountUpdate === undefined ? [] as const : feePayer === undefined
          ? [accountUpdate] as const
          : [accountUpdate, feePayer] as const)
      ]
    })
  })
}
