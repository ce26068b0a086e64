/**
 * Account keys in the form of an account update's body. Not in the API document; seen in public clients.
 *
 * **Details**
 *
 * | `keyType` | `key` |
 * |---|---|
 * | 1 (legacy), 3 (fail) | none; a role may carry an empty object |
 * | 2 (public) | the uncompressed public key |
 * | 4 (weighted multisig) | `{threshold, weightedKeys: [{publicKey, weight}]}` |
 * | 5 (role based) | three keys: transaction, account update, fee payer |
 */
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import type { AccountKey, RoleKey } from "@effect-klaytn/transaction/AccountKey"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Uncompressed } from "./internal/contract/fields.js"

/**
 * A key that a role can have.
 *
 * @category schemas
 */
export const RoleKeyBody = Schema.Union(
  Schema.Struct({
    /** The kind of the key: 1 legacy, 2 public, 3 fail, 4 weighted multisig, 5 by roles. */
    keyType: Schema.Literal(2),
    /** The key, in the form of its kind. */
    key: HexEncoding.HexDataFromWire
  }),
  Schema.Struct({
    keyType: Schema.Literal(4),
    key: Schema.Struct({
      /** The weight that signatures need together. */
      threshold: Schema.Int,
      /** The keys with their weights. */
      weightedKeys: Schema.Array(Schema.Struct({
        /** The public key, uncompressed: 65 bytes (seen). */
        publicKey: HexEncoding.HexDataFromWire,
        /** How much a signature with this key counts. */
        weight: Schema.Int
      }))
    })
  }),
  Schema.Struct({ keyType: Schema.Literal(1, 3), key: Schema.optional(Schema.Struct({})) })
).annotations({ identifier: "RoleKeyBody" })

/**
 * A key that a role can have.
 *
 * @category models
 */
export type RoleKeyBody = typeof RoleKeyBody.Type

/**
 * Any account key.
 *
 * @category schemas
 */
export const AccountKeyBody = Schema.Union(
  RoleKeyBody,
  Schema.Struct({
    /** The kind of the key: 1 legacy, 2 public, 3 fail, 4 weighted multisig, 5 by roles. */
    keyType: Schema.Literal(5),
    /** The key, in the form of its kind. */
    key: Schema.Tuple(RoleKeyBody, RoleKeyBody, RoleKeyBody)
  })
).annotations({ identifier: "AccountKeyBody" })

/**
 * Any account key.
 *
 * @category models
 */
export type AccountKeyBody = typeof AccountKeyBody.Type

const uncompressed = Schema.decodeOption(Uncompressed)

const fromRoleKey = (key: RoleKey): Option.Option<RoleKeyBody> => {
  switch (key.type) {
    case "AccountKeyLegacy":
      return Option.some({ keyType: 1 })
    case "AccountKeyFail":
      return Option.some({ keyType: 3 })
    case "AccountKeyPublic":
      return Option.map(uncompressed(key.publicKey), (publicKey) => ({ keyType: 2, key: publicKey }))
    case "AccountKeyWeightedMultiSig":
      return Option.map(
        Option.all(
          key.keys.map(({ publicKey, weight }) =>
            Option.map(uncompressed(publicKey), (publicKey) => ({ publicKey, weight }))
          )
        ),
        (weightedKeys) => ({ keyType: 4, key: { threshold: key.threshold, weightedKeys } })
      )
    case "AccountKeyNil":
      return Option.none()
  }
}

/**
 * Converts an account key to its body. None if the service has no form for the key: `AccountKeyNil`, and a role-based
 * key that leaves out roles.
 *
 * @category conversions
 */
export const fromAccountKey = (key: AccountKey): Option.Option<AccountKeyBody> => {
  if (key.type !== "AccountKeyRoleBased") return fromRoleKey(key)
  const [transaction, accountUpdate, feePayer] = key.keys
  return accountUpdate === undefined || feePayer === undefined ? Option.none() : Option.map(
    Option.all([fromRoleKey(transaction), fromRoleKey(accountUpdate), fromRoleKey(feePayer)]),
    (roles) => ({ keyType: 5, key: roles })
  )
}
