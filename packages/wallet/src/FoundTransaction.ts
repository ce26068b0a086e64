/**
 * A transaction that was looked up, and why one could not be.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import { ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Schema from "effect/Schema"

/**
 * A transaction as the chain has it.
 *
 * **Details**
 *
 * `value` is in peb, 0 for types without one; `input` is `0x` for types without one; `key` is the account key of an
 * account update; `feePayer` is who pays the fee if not the sender. `state`: `waiting` for a block, `succeeded`, `failed`
 * (it took its nonce and its fee, and moved nothing), or `executed` when it is in a block and its success is not known.
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
 * A look-up could not be made. `cause` is the failure of the call it needed, if there was one. Nothing is changed by a
 * look-up: make it again. One that would take more than 50 requests, as where hundreds of nonces are searched at once, ends
 * so each time: `problem` says what to do.
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
  /** All fields: an error would leave its cause out. */
  override toJSON(): unknown {
    return { ...Schema.encodeSync(LookupFailed)(this), message: this.message }
  }
}
