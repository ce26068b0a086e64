/**
 * Accounts and their keys, as a node returns them.
 */
import * as Schema from "effect/Schema"
import * as schemas from "./internal/records/schemas.js"

const empty = Schema.Struct({})

const point = Schema.Struct({ x: schemas.Quantity, y: schemas.Quantity })

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
 * @category schemas
 */
export const AccountKey = Schema.Union(
  ...single,
  Schema.Struct({ keyType: Schema.Literal(5), key: Schema.Array(Schema.Union(...single)) })
).annotations({ identifier: "AccountKey" })

/**
 * An account key, discriminated by `keyType`.
 *
 * @category models
 */
export type AccountKey = typeof AccountKey.Type

const common = {
  nonce: schemas.BigNumber,
  /** In peb. */
  balance: schemas.Peb,
  humanReadable: schemas.optional(Schema.Boolean),
  key: AccountKey,
  codeFormat: schemas.optional(Schema.Int),
  vmVersion: schemas.optional(Schema.Int)
}

/**
 * An account, discriminated by `accType`: 1 for an externally owned account, 2 for a contract. `codeHash` is base64, as
 * on the wire. Since node v2.0 both have code fields, because an externally owned account can carry code.
 *
 * @category schemas
 */
export const Account = Schema.Union(
  Schema.Struct({
    accType: Schema.Literal(1),
    account: Schema.Struct({
      ...common,
      storageRoot: schemas.optional(schemas.Hash),
      codeHash: schemas.optional(Schema.String)
    })
  }),
  Schema.Struct({
    accType: Schema.Literal(2),
    account: Schema.Struct({ ...common, storageRoot: schemas.Hash, codeHash: Schema.String })
  })
).annotations({ identifier: "Account" })

/**
 * An account, discriminated by `accType`: 1 for an externally owned account, 2 for a contract.
 *
 * @category models
 */
export type Account = typeof Account.Type

/**
 * A Merkle proof of an account and of some of its storage slots.
 *
 * @category schemas
 */
export const Proof = Schema.Struct({
  address: schemas.Address,
  accountProof: Schema.Array(schemas.Bytes),
  balance: schemas.Peb,
  codeHash: schemas.Hash,
  nonce: schemas.Quantity,
  storageHash: schemas.Hash,
  storageProof: Schema.Array(
    Schema.Struct({ key: Schema.String, value: schemas.Quantity, proof: Schema.Array(schemas.Bytes) })
  )
}).annotations({ identifier: "Proof" })

/**
 * A Merkle proof of an account and of some of its storage slots.
 *
 * @category models
 */
export interface Proof extends Schema.Schema.Type<typeof Proof> {}
