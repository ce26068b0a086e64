/**
 * Access lists: the addresses and storage slots that a transaction declares in advance.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity } from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import * as field from "./internal/field.js"

/**
 * One address with its slots, 32 bytes each. Form as in the node's code.
 *
 * @since 0.1.0
 * @category schemas
 */
export const AccessList = Schema.Array(
  Schema.Struct({ address: Address.FromWire, storageKeys: Schema.Array(Hash.FromWire) })
).annotations({ identifier: "AccessList" })

/**
 * One address with its slots, 32 bytes each.
 *
 * @since 0.1.0
 * @category models
 */
export type AccessList = typeof AccessList.Type

/**
 * What `createAccessList` answers: the list, the gas used with it, and why the execution failed if it did.
 *
 * @since 0.1.0
 * @category schemas
 */
export const AccessListResult = Schema.Struct({
  accessList: AccessList,
  gasUsed: BigIntFromQuantity,
  error: field.absent(Schema.String)
}).annotations({ identifier: "AccessListResult" })

/**
 * What `createAccessList` answers: the list, the gas used with it, and why the execution failed if it did.
 *
 * @since 0.1.0
 * @category models
 */
export interface AccessListResult extends Schema.Schema.Type<typeof AccessListResult> {}

/**
 * Authorizations of a set-code transaction.
 *
 * @since 0.1.0
 * @category schemas
 */
export const AuthorizationList = Schema.Array(
  Schema.Struct({
    chainId: BigIntFromQuantity,
    address: Address.FromWire,
    nonce: BigIntFromQuantity,
    yParity: BigIntFromQuantity,
    r: BigIntFromQuantity,
    s: BigIntFromQuantity
  })
).annotations({ identifier: "AuthorizationList" })

/**
 * Authorizations of a set-code transaction.
 *
 * @since 0.1.0
 * @category models
 */
export type AuthorizationList = typeof AuthorizationList.Type
