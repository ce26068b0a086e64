/**
 * The contract of single accounts and fee payers, and of the counts of both.
 *
 * **Not in the API document**: everything here was seen in public clients of the service, which may answer differently,
 * or not at all. "Not found" is HTTP 400 with code 1061010.
 */
import * as Chain from "@effect-klaytn/core/Chain"
import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as Krn from "@effect-klaytn/core/Krn"
import * as Operation from "@effect-klaytn/core/Operation"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as Schema from "effect/Schema"
import { Account, Deleted, FeePayerAccount } from "./Account.js"
import { accountPath, ChecksumAddress, deletion } from "./internal/contract/fields.js"
import { PoolHeader } from "./WalletApi.js"

const { get, post, put, del } = Operation.of("wallet", [ErrorBody.BadRequest])

/** What an operation on one account of the current pool takes. */
const ofAccount = <A, I>(success: Schema.Schema<A, I>) => ({ path: accountPath, headers: PoolHeader, success })

/** What the deletion of an account takes. */
const ofDeletion = { ...ofAccount(Deleted), urlParams: deletion }

/**
 * An account whose state was changed.
 *
 * @category schemas
 */
export const ChangedAccount = Schema.Struct({
  /** The address of the account. */
  address: ChecksumAddress,
  /** The pool that it belongs to. */
  krn: Krn.FromString,
  /** When it last changed. */
  updatedAt: UnixTime.UnixTime
}).annotations({ identifier: "ChangedAccount" })

/**
 * An account whose state was changed.
 *
 * @category models
 */
export type ChangedAccount = typeof ChangedAccount.Type

/**
 * Gets one account.
 *
 * @category endpoints
 */
export const getAccount = get("getAccount", "/v2/account/:address", ofAccount(Account))

/**
 * Deletes an account.
 *
 * @category endpoints
 */
export const deleteAccount = del("deleteAccount", "/v2/account/:address", ofDeletion)

/**
 * Disables an account.
 *
 * @category endpoints
 */
export const disableAccount = put("disableAccount", "/v2/account/:address/disable", ofAccount(ChangedAccount))

/**
 * Enables a disabled account.
 *
 * @category endpoints
 */
export const enableAccount = put("enableAccount", "/v2/account/:address/enable", ofAccount(ChangedAccount))

/**
 * Lists the accounts that a public key controls.
 *
 * @category endpoints
 */
export const getAccountsByPublicKey = get("getAccountsByPublicKey", "/v2/pubkey/:publicKey/account", {
  path: {
    /** The public key, uncompressed: 65 bytes. */
    publicKey: HexEncoding.HexDataFromWire
  },
  headers: PoolHeader,
  success: Schema.Struct({
    /** The records; absent if there are none. */
    items: Schema.optionalWith(
      Schema.Array(Schema.Struct({
        /** The address of the account. */
        address: ChecksumAddress,
        /** The chain. */
        chainId: Chain.Chain
      })),
      { default: () => [] }
    )
  })
})

/**
 * Creates a fee payer.
 *
 * @category endpoints
 */
export const createFeePayer = post("createFeePayer", "/v2/feepayer", {
  headers: PoolHeader,
  payload: Schema.Struct({
    /** Leaves the key of the fee payer as it is; otherwise it gets one that can only pay fees. */
    withoutAccountUpdate: Schema.optional(Schema.Boolean)
  }),
  success: FeePayerAccount
})

/**
 * Gets one fee payer.
 *
 * @category endpoints
 */
export const getFeePayer = get("getFeePayer", "/v2/feepayer/:address", ofAccount(FeePayerAccount))

/**
 * Deletes a fee payer.
 *
 * @category endpoints
 */
export const deleteFeePayer = del("deleteFeePayer", "/v2/feepayer/:address", ofDeletion)

const count = {
  /** The ID of the customer. */
  accountId: Schema.String,
  /** How many there are. */
  count: Schema.Int
}

/**
 * Counts the customer's accounts and keys.
 *
 * @category endpoints
 */
export const countAccounts = get("countAccounts", "/v2/stat/count", { success: Schema.Struct(count) })

/**
 * Counts the accounts in a pool.
 *
 * @category endpoints
 */
export const countAccountsInPool = get("countAccountsInPool", "/v2/stat/count/krn", {
  headers: PoolHeader,
  success: Schema.Struct({
    ...count,
    /** The pool that it belongs to. */
    krn: Krn.FromString
  })
})
