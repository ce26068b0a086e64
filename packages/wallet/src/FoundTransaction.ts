/**
 * The result of looking up a transaction, and the error if the look-up fails.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import { ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Schema from "effect/Schema"

/**
 * A transaction as the chain shows it. * * **Details**
 *
 * `value` is in peb, 0 for types without one; `input` is `0x` for types without one; `key` is the account key of an
 * account update; `feePayer` is present if someone other than the sender pays the fee. `state` is `waiting` (not in a
 * block yet), `succeeded`, `failed` (it used its nonce and its fee, and moved nothing), or `executed` (it is in a
 * block, but its success is not known).
 *
 * @since 0.1.0
 * @category schemas
 */
export const FoundTransaction = Schema.Struct({
  transactionHash: Hash.Hash,
  from: Address.Address,
  nonce: Schema.Number,
  typeInt: Schema.Number,
  to: Schema.optional(Address.Address),
  value: Schema.BigInt,
  input: Schema.String,
  key: Schema.optional(Schema.String),
  feePayer: Schema.optional(Address.Address),
  state: Schema.Literal("waiting", "executed", "succeeded", "failed")
}).annotations({ identifier: "FoundTransaction" })

/**
 * A transaction as the chain has it.
 *
 * @since 0.1.0
 * @category models
 */
export type FoundTransaction = typeof FoundTransaction.Type

/**
 * A look-up could not be made. `cause` is the failure of the call it needed, if there was one. A look-up changes
 * nothing, so it can be repeated. One that would take more than 50 requests, such as a search for hundreds of nonces at
 * once, fails this way each time: `problem` says what to do.
 *
 * @since 0.1.0
 * @category errors
 */
export class LookupFailed extends Schema.TaggedError<LookupFailed>("@effect-klaytn/wallet/LookupFailed")(
  "LookupFailed",
  { problem: Schema.String, cause: Schema.optional(ServiceError) }
) {
  override get message(): string {
    return this.cause === undefined ? this.problem : `${this.problem}: ${this.cause.message}`
  }
  /** All fields: by default an error would leave out its cause. */
  override toJSON(): unknown {
    return { ...Schema.encodeSync(LookupFailed)(this), message: this.message }
  }
}
