/**
 * Account keys in the JSON form that nodes use.
 *
 * @since 0.1.0
 */
import { BigIntFromQuantity } from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"

const empty = Schema.Struct({})

const point = Schema.Struct({ x: BigIntFromQuantity, y: BigIntFromQuantity })

const single = [
  Schema.Struct({ keyType: Schema.Literal(0), key: empty }),
  Schema.Struct({ keyType: Schema.Literal(1), key: empty }),
  Schema.Struct({ keyType: Schema.Literal(2), key: point }),
  Schema.Struct({ keyType: Schema.Literal(3), key: empty }),
  Schema.Struct({
    keyType: Schema.Literal(4),
    key: Schema.Struct({
      threshold: Schema.Int,
      keys: Schema.Array(Schema.Struct({ weight: Schema.Int, key: point }))
    })
  })
] as const

/**
 * An account key, discriminated by `keyType`, with the node's numbers:
 *
 * - 0 nil (only inside the roles of an update), 1 legacy (the address's own key pair), 3 fail (no key fits; every
 *   contract has this one): `key` is empty.
 * - 2 public: `key` is the point on the curve. On the wire its coordinates have no leading zeros.
 * - 4 weighted multisig: `key` has a threshold and up to ten keys with weights.
 * - 5 role-based: `key` is a list of one to three keys, for transactions, account updates and fee payments.
 *
 * @since 0.1.0
 * @category schemas
 */
export const AccountKey = Schema.Union(
  ...single,
  Schema.Struct({ keyType: Schema.Literal(5), key: Schema.Array(Schema.Union(...single)) })
).annotations({ identifier: "AccountKey" })

/**
 * An account key, discriminated by `keyType`.
 *
 * @since 0.1.0
 * @category models
 */
export type AccountKey = typeof AccountKey.Type
