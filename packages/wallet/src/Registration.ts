/**
 * Registering accounts that were moved in: what is asked, what the service answers, and what became of each account.
 *
 * @since 0.1.0
 */
import type { Address } from "@effect-klaytn/core/Address"
import * as Hex from "@effect-klaytn/core/Hex"
import * as KeyId from "@effect-klaytn/core/KeyId"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Data from "effect/Data"
import * as Schema from "effect/Schema"
import { ChecksumAddress } from "./internal/wire.js"

/**
 * An account to register: the key it shall use, its address, and the signed fee-delegated account update that gives it
 * the key.
 *
 * **Details**
 *
 * The document lists `rlp`; public clients may leave it out for an account that was given the key already (seen).
 *
 * @since 0.1.0
 * @category schemas
 */
export const Registration = Schema.Struct({
  keyId: KeyId.FromString,
  address: ChecksumAddress,
  rlp: Schema.optional(Hex.HexDataFromWire)
}).annotations({ identifier: "Registration" })

/**
 * An account to register: the key it shall use, its address, and the signed fee-delegated account update that gives it
 * the key.
 *
 * @since 0.1.0
 * @category models
 */
export type Registration = typeof Registration.Type

/**
 * The answer of the service.
 *
 * **Details**
 *
 * `status` is `ok` or `all failed` (the document) or `partially failed` (seen); any other text is kept. `failures` maps
 * the addresses that failed, in checksum case, to messages.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RegistrationAnswer = Schema.Struct({
  status: Schema.String,
  failures: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.String }), { nullable: true })
}).annotations({ identifier: "RegistrationAnswer" })

/**
 * What became of one account.
 *
 * - `Registered`: the wallet can use it.
 * - `NotRegistered`: the service said why not; repair it and register it again.
 * - `Refused`: the service refused the whole call that the account was in, so nothing of it was done.
 * - `Unclear`: the service answered a status nobody knows and named no failure for this account (`status`), or it is
 *   not known whether the call happened (`error`). Look the account up before registering it again.
 *
 * @since 0.1.0
 * @category models
 */
export type RegistrationResult = Data.TaggedEnum<{
  Registered: { readonly address: Address; readonly keyId: KeyId.KeyId }
  NotRegistered: { readonly address: Address; readonly keyId: KeyId.KeyId; readonly message: string }
  Refused: { readonly address: Address; readonly keyId: KeyId.KeyId; readonly error: ServiceError }
  Unclear: {
    readonly address: Address
    readonly keyId: KeyId.KeyId
    readonly status: string | undefined
    readonly error: ServiceError | undefined
  }
}>

/**
 * Constructors, `$is` and `$match` of {@link RegistrationResult}.
 *
 * @since 0.1.0
 * @category constructors
 */
export const RegistrationResult = Data.taggedEnum<RegistrationResult>()
