/**
 * A transaction that was looked up, and why one could not be.
 *
 * @since 0.1.0
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { Hash } from "@effect-klaytn/core/Hash"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Data from "effect/Data"

/**
 * A transaction as the chain has it.
 *
 * **Details**
 *
 * `value` is in peb, 0 for types without one; `input` is `0x` for types without one; `key` is the account key of an
 * account update; `feePayer` is who pays the fee if not the sender. `state`: `waiting` for a block, `succeeded`, `failed` (it took its nonce and its fee, and moved
 * nothing), or `executed` when it is in a block and its success is not known.
 *
 * @since 0.1.0
 * @category models
 */
export interface FoundTransaction {
  readonly transactionHash: Hash
  readonly from: Address
  readonly nonce: number
  readonly typeInt: number
  readonly to: Address | undefined
  readonly value: bigint
  readonly input: string
  readonly key: string | undefined
  readonly feePayer: Address | undefined
  readonly state: "waiting" | "executed" | "succeeded" | "failed"
}

/**
 * A look-up could not be made. `cause` is the failure of the call it needed, if there was one. Nothing is changed by a
 * look-up: make it again.
 *
 * @since 0.1.0
 * @category errors
 */
export class LookupFailed extends Data.TaggedError("LookupFailed")<{
  readonly problem: string
  readonly cause?: ServiceError
}> {
  override get message(): string {
    return this.cause === undefined ? this.problem : `${this.problem}: ${this.cause.message}`
  }
}
