/** The key of an account, as a node returns it. */
import type { AccountKey, RoleKey } from "@effect-klaytn/transaction/AccountKey"
import * as Key from "@effect-klaytn/transaction/AccountKey"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const Point = Schema.Struct({ x: Schema.String, y: Schema.String })

const RoleKeyBody = Schema.Union(
  Schema.Struct({ keyType: Schema.Literal(2), key: Point }),
  Schema.Struct({
    keyType: Schema.Literal(4),
    key: Schema.Struct({
      threshold: Schema.Int,
      keys: Schema.Array(Schema.Struct({ weight: Schema.Int, key: Point }))
    })
  }),
  Schema.Struct({ keyType: Schema.Literal(0, 1, 3) })
)

/** Null for an account that does not exist yet, whose key is the one of its address. */
export const AccountKeyBody = Schema.NullOr(Schema.Union(
  RoleKeyBody,
  Schema.Struct({ keyType: Schema.Literal(5), key: Schema.Array(RoleKeyBody) })
))

const coordinate = (text: string): string => text.replace(/^0x/, "").padStart(64, "0")

const publicKey = ({ x, y }: typeof Point.Type) => {
  const key = PublicKey.compress(`0x04${coordinate(x)}${coordinate(y)}`)
  return key.ok ? Option.some(key.value) : Option.none()
}

const plain: Readonly<Record<0 | 1 | 3, RoleKey>> = { 0: Key.nil, 1: Key.legacy, 3: { type: "AccountKeyFail" } }

const roleKey = (body: typeof RoleKeyBody.Type): Option.Option<RoleKey> => {
  if (body.keyType === 2) {
    return Option.map(publicKey(body.key), (publicKey) => ({ type: "AccountKeyPublic", publicKey }))
  }
  if (body.keyType !== 4) return Option.some(plain[body.keyType])
  const { keys, threshold } = body.key
  return Option.map(
    Option.all(keys.map(({ key, weight }) => Option.map(publicKey(key), (publicKey) => ({ publicKey, weight })))),
    (keys) => ({ type: "AccountKeyWeightedMultiSig", threshold, keys })
  )
}

/** The key, if it is one of the known kinds. */
export const read = (body: typeof AccountKeyBody.Type): Option.Option<AccountKey> => {
  if (body === null) return Option.some(Key.legacy)
  if (body.keyType !== 5) return roleKey(body)
  return Option.flatMap(Option.all(body.key.map(roleKey)), ([transaction, accountUpdate, feePayer]) => {
    if (transaction === undefined) return Option.none()
    const keys = feePayer !== undefined && accountUpdate !== undefined
      ? [transaction, accountUpdate, feePayer] as const
      : accountUpdate !== undefined
      ? [transaction, accountUpdate] as const
      : [transaction] as const
    return Option.some({ type: "AccountKeyRoleBased", keys })
  })
}
