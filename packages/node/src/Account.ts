/**
 * Accounts as a node returns them.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import { FromQuantity as PebFromQuantity } from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity, HexDataFromWire } from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import { AccountKey } from "./AccountKey.js"
import * as field from "./internal/field.js"

const common = {
  nonce: field.BigNumber,
  /** In peb. */
  balance: PebFromQuantity,
  humanReadable: field.absent(Schema.Boolean),
  key: AccountKey,
  codeFormat: field.absent(Schema.Int),
  vmVersion: field.absent(Schema.Int)
}

/**
 * An account, discriminated by `accType`: 1 for an externally owned account, 2 for a contract. `codeHash` is base64, as
 * on the wire. Since node v2.0 both have code fields, because an externally owned account can carry code.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Account = Schema.Union(
  Schema.Struct({
    accType: Schema.Literal(1),
    account: Schema.Struct({
      ...common,
      storageRoot: field.absent(Hash.FromWire),
      codeHash: field.absent(Schema.String)
    })
  }),
  Schema.Struct({
    accType: Schema.Literal(2),
    account: Schema.Struct({ ...common, storageRoot: Hash.FromWire, codeHash: Schema.String })
  })
).annotations({ identifier: "Account" })

/**
 * An account, discriminated by `accType`: 1 for an externally owned account, 2 for a contract.
 *
 * @since 0.1.0
 * @category models
 */
export type Account = typeof Account.Type

/**
 * A Merkle proof of an account and of some of its storage slots.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Proof = Schema.Struct({
  address: Address.FromWire,
  accountProof: Schema.Array(HexDataFromWire),
  balance: PebFromQuantity,
  codeHash: Hash.FromWire,
  nonce: BigIntFromQuantity,
  storageHash: Hash.FromWire,
  storageProof: Schema.Array(
    Schema.Struct({ key: Schema.String, value: BigIntFromQuantity, proof: Schema.Array(HexDataFromWire) })
  )
}).annotations({ identifier: "Proof" })

/**
 * A Merkle proof of an account and of some of its storage slots.
 *
 * @since 0.1.0
 * @category models
 */
export interface Proof extends Schema.Schema.Type<typeof Proof> {}
