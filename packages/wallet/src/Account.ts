/**
 * The records of accounts, fee payers and keys. The service holds the keys of the accounts.
 */
import * as Chain from "@effect-klaytn/core/Chain"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Schema from "effect/Schema"
import { ChecksumAddress, key, maybe } from "./internal/contract/fields.js"

/**
 * One key of a multisig account: the uncompressed public key, and the weight of its signature.
 *
 * @category schemas
 */
export const MultiSigKey = Schema.Struct({
  /** The public key, uncompressed: 65 bytes (seen). */
  publicKey: HexEncoding.HexDataFromWire,
  /** How much a signature with this key counts. */
  weight: Schema.Int
}).annotations({ identifier: "MultiSigKey" })

/**
 * One key of a multisig account: the uncompressed public key, and the weight of its signature.
 *
 * @category models
 */
export type MultiSigKey = typeof MultiSigKey.Type

const fields = {
  /** The address of the account. */
  address: ChecksumAddress,
  /** The chain. */
  chainId: Chain.Chain,
  /** When it was made. */
  createdAt: UnixTime,
  /** When it last changed. */
  updatedAt: UnixTime,
  ...key,
  /** The ID of the key that signs for it. */
  keyId: key.keyId
}

/**
 * An account, as the API document describes it.
 *
 * **Details**
 *
 * `createdAt` and `updatedAt` are in Unix seconds. `krn` is the pool that holds the account and `keyId` the key it
 * signs with; `publicKey` is uncompressed, 65 bytes (seen). Only multisig accounts have `multiSigKeys` and `threshold`.
 * The address is in lower case in the program and in checksum case on the wire (seen).
 *
 * @category schemas
 */
export const Account = Schema.Struct({
  ...fields,
  /** The keys of a multisig account; absent if it has one key. */
  multiSigKeys: maybe(Schema.Array(MultiSigKey)),
  /** The weight that signatures need together. */
  threshold: maybe(Schema.Int)
}).annotations({ identifier: "Account" })

/**
 * An account, as the API document describes it.
 *
 * @category models
 */
export type Account = typeof Account.Type

/**
 * A fee payer: an account whose pool has the type `feepayer-pool`. From the API document.
 *
 * @category schemas
 */
export const FeePayerAccount = Schema.Struct(fields).annotations({ identifier: "FeePayerAccount" })

/**
 * A fee payer: an account whose pool has the type `feepayer-pool`.
 *
 * @category models
 */
export type FeePayerAccount = typeof FeePayerAccount.Type

/**
 * Filters a list of accounts. `corrupted`: the key was changed outside the pool, so the account can't be used. Seen in
 * public clients, not in the API document.
 *
 * @category schemas
 */
export const Status = Schema.Literal("enabled", "disabled", "all", "corrupted").annotations({
  identifier: "AccountStatus"
})

/**
 * Filters a list of accounts.
 *
 * @category models
 */
export type Status = typeof Status.Type

/**
 * A key that the service created, as the API document describes it. No account uses it yet.
 *
 * **Details**
 *
 * `blob` is the encrypted secret key: opaque. `publicKey` is uncompressed, 65 bytes (seen). The pool in `krn` has the
 * type `key-pool` or `account-pool`; both were seen.
 *
 * @category schemas
 */
export const Key = Schema.Struct({
  /** The encrypted secret key: opaque. */
  blob: HexEncoding.HexDataFromWire,
  ...key
}).annotations({ identifier: "Key" })

/**
 * A key that the service created.
 *
 * @category models
 */
export type Key = typeof Key.Type

/**
 * The most keys that one call of `createKeys` creates. From the API document.
 *
 * @category constants
 */
export const maxKeysInOneCall = 100

/**
 * The answer of a deletion.
 *
 * @category schemas
 */
export const Deleted = Schema.Struct({
  /** `deleted`. */
  status: Schema.String
}).annotations({ identifier: "Deleted" })

/**
 * The answer of a deletion.
 *
 * @category models
 */
export type Deleted = typeof Deleted.Type
