/**
 * The contract of the wallet: every path, header, parameter, record and failure of the API document's six operations,
 * defined once. The client is derived from it, the sandbox implements it, and the OpenAPI document is printed from it.
 *
 * **Details**
 *
 * The API document names the paths, headers and parameters. The following is not in it and was seen in public clients:
 * the body of an empty list (HTTP 400, code 1061010), the record of a transaction, the parameter `status`, the fields
 * `gas` and `fee_payer`, and that every success is HTTP 200. Failures are HTTP 400, see `WalletCode`.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import * as Operation from "@effect-klaytn/core/Operation"
import * as Paged from "@effect-klaytn/core/Paged"
import * as Schema from "effect/Schema"
import * as Account from "./Account.js"
import { Count, listQuery } from "./internal/contract/fields.js"
import { Registration, RegistrationAnswer } from "./Registration.js"
import { TransactionResult } from "./TransactionResult.js"

const { get, post } = Operation.of("wallet", [ErrorBody.BadRequest])

/**
 * The header that names a pool: a resource name, or on the paths of a user fee payer two joined by a comma, the account
 * pool and the fee-payer pool (seen). Without it the service uses the customer's default pool (seen).
 *
 * @category schemas
 */
export const PoolHeader = {
  /**
   * The pool. Of a transaction that a fee payer of the customer pays for, the account pool and the fee-payer pool,
   * joined by a comma (seen). Without it the service uses the customer's default pool (seen).
   */
  "x-krn": Schema.optional(Schema.String)
}

/**
 * The headers of a send: the pool, and the key of a request that may be repeated.
 *
 * @category schemas
 */
export const SendHeader = {
  ...PoolHeader,
  /**
   * Ours: a gateway of your own answers a repeated request with the first answer, and does not do it twice. The same key with other
   * content is refused with code 1069400. The hosted service was never seen to know it.
   */
  "idempotency-key": Schema.optional(Schema.String)
}

/**
 * A page of accounts, newest first.
 *
 * @category schemas
 */
export const PageableAccounts = Paged.schema(Account.Account).annotations({ identifier: "PageableAccounts" })

/**
 * A page of fee payers, newest first.
 *
 * @category schemas
 */
export const PageableFeePayers = Paged.schema(Account.FeePayerAccount).annotations({ identifier: "PageableFeePayers" })

/**
 * Lists accounts. `status` is not in the API document.
 *
 * @category endpoints
 */
export const getAccounts = get("getAccounts", "/v2/account", {
  urlParams: {
    ...listQuery,
    /** Limits the list to one state (seen). */
    status: Schema.optional(Account.Status)
  },
  headers: PoolHeader,
  success: PageableAccounts
})

/**
 * Creates an account in a pool. No body (seen).
 *
 * @category endpoints
 */
export const createAccount = post("createAccount", "/v2/account", { headers: PoolHeader, success: Account.Account })

/**
 * Lists fee payers.
 *
 * @category endpoints
 */
export const getFeePayers = get("getFeePayers", "/v2/feepayer", {
  urlParams: listQuery,
  headers: PoolHeader,
  success: PageableFeePayers
})

/**
 * The body of a value transfer.
 *
 * **Details**
 *
 * `gasLimit` and `feePayer` are the API document's names, `gas` is the name in public clients, and `fee_payer` is a
 * second spelling in the API document: a server reads both of each. If `nonce` is 0 or absent, the service uses the
 * account's next (seen). `memo` is text whose UTF-8 bytes become the input, even if it looks like hexadecimal (seen).
 *
 * @category schemas
 */
export const ValueTransferBody = Schema.Struct({
  /** The address of the sender. */
  from: Address.FromWire,
  /** The address of the receiver, or of the contract that is called. */
  to: Address.FromWire,
  /** The amount of coin, in peb. */
  value: Amount.FromQuantity,
  /** Text that is written into the transaction: its UTF-8 bytes, even if it looks like hexadecimal (seen). */
  memo: Schema.optional(Schema.String),
  /** The nonce of the sender. If it is 0 or absent, the service uses the next (seen). */
  nonce: Schema.optional(Count),
  /** How much gas the transaction may use, under the API document's name. */
  gasLimit: Schema.optional(Count),
  /** How much gas the transaction may use, under the name seen in public clients. */
  gas: Schema.optional(Count),
  /** Whether the transaction is sent; otherwise it is only signed, and returned. */
  submit: Schema.optional(Schema.Boolean),
  /** The address of the fee payer. */
  feePayer: Schema.optional(Address.FromWire),
  /** The address of the fee payer, in the API document's second spelling. */
  fee_payer: Schema.optional(Address.FromWire)
}).annotations({ identifier: "ValueTransferBody" })

/**
 * Sends value. Not repeatable by itself; with an explicit nonce above 0 the client treats it as a `keyed` call.
 *
 * @category endpoints
 */
export const sendValue = post("sendValue", "/v2/tx/value", {
  headers: SendHeader,
  payload: ValueTransferBody,
  success: TransactionResult
})

/**
 * Creates keys, 1 to 100.
 *
 * @category endpoints
 */
export const createKeys = post("createKeys", "/v2/key", {
  headers: PoolHeader,
  payload: Schema.Struct({
    /** How many keys to make, 1 to 100. */
    size: Schema.Int.pipe(Schema.between(1, Account.maxKeysInOneCall))
  }),
  success: Schema.Struct({
    /** The records; absent if there are none. */
    items: Schema.Array(Account.Key)
  })
})

/**
 * Registers migrated accounts. Accounts that fail are reported with HTTP 200 (seen).
 *
 * @category endpoints
 */
export const registerAccounts = post("registerAccounts", "/v2/registration/account", {
  headers: PoolHeader,
  payload: Schema.Array(Registration),
  success: RegistrationAnswer
})
