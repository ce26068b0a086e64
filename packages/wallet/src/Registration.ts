/**
 * The registration of migrated accounts: the request, the service's answer, and the result for each account.
 */
import type { Address } from "@effect-klaytn/core/Address"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as KeyId from "@effect-klaytn/core/KeyId"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Data from "effect/Data"
import * as Schema from "effect/Schema"
import { ChecksumAddress } from "./internal/contract/fields.js"

/**
 * An account to register: the key it will use, its address, and the signed fee-delegated account update that gives it
 * the key.
 *
 * **Details**
 *
 * The API document lists `rlp`; public clients may leave it out for an account that already has the key (seen).
 *
 * @category schemas
 */
export const Registration = Schema.Struct({
  /** The ID of the key that signs for it. */
  keyId: KeyId.FromString,
  /** The address of the account. */
  address: ChecksumAddress,
  /** The fee-delegated account update that gives the account the key, signed with the old key. */
  rlp: Schema.optional(HexEncoding.HexDataFromWire)
}).annotations({ identifier: "Registration" })

/**
 * An account to register: the key it will use, its address, and the signed fee-delegated account update that gives it
 * the key.
 *
 * @category models
 */
export type Registration = typeof Registration.Type

/**
 * The answer of the service.
 *
 * **Details**
 *
 * `status` is `ok` or `all failed` (the API document) or `partially failed` (seen); any other string is kept.
 * `failures` maps the addresses that failed, in checksum case, to messages.
 *
 * @category schemas
 */
export const RegistrationAnswer = Schema.Struct({
  /** `ok` or `all failed` (the API document), or `partially failed` (seen). */
  status: Schema.String,
  /** The addresses that failed, in checksum case, each with a message. */
  failures: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.String }), { nullable: true })
}).annotations({ identifier: "RegistrationAnswer" })

type OfAccount = { readonly address: Address; readonly keyId: KeyId.KeyId }

/**
 * The result for one account.
 *
 * - `Registered`: the wallet can use it.
 * - `NotRegistered`: the service said why not; fix the problem and register it again.
 * - `Refused`: the service refused the whole call that contained the account, so nothing was done.
 * - `Unclear`: the service answered with an unknown status and named no failure for this account (`status`), or it did
 *   not say which accounts failed (`status` too), or it is not known whether the call was carried out (`error`). Look
 *   the account up before registering it again.
 *
 * @category models
 */
export type RegistrationResult = Data.TaggedEnum<{
  Registered: OfAccount
  NotRegistered: OfAccount & { readonly message: string }
  Refused: OfAccount & { readonly error: ServiceError }
  Unclear: OfAccount & { readonly status: string | undefined; readonly error: ServiceError | undefined }
}>

/**
 * Constructors, `$is` and `$match` of {@link RegistrationResult}.
 *
 * @category constructors
 */
export const RegistrationResult = Data.taggedEnum<RegistrationResult>()
