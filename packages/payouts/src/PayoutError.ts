/**
 * Why a payout was not accepted, found or changed.
 */
import * as Amount from "@effect-klaytn/core/Amount"
import type { DatabaseFault } from "@effect-klaytn/store/DatabaseFault"
import * as Data from "effect/Data"
import type { Tag } from "./PayoutState.js"

/**
 * A field in which a request differs from the payout that is stored under its key. `undefined` means that it is absent.
 *
 * @category models
 */
export interface Difference {
  /** Such as `request.value`; `transfer.amount` is in the smallest unit of a token. */
  readonly field: string
  readonly stored: string | undefined
  readonly asked: string | undefined
}

/** A field as a person says it: coins are told in KLAY, and the memo in quotes. */
const told = (field: string, value: string | undefined): string => {
  if (value === undefined) return "none"
  if (field === "request.value") return Amount.format(BigInt(value))
  return field === "request.memo" ? JSON.stringify(value) : value
}

const nameOf = (field: string): string =>
  field === "request.value" ? "amount" : field.replace(/^(request|transfer)\./, "")

/**
 * The key belongs to a payout with another content. Nothing was done.
 *
 * @category errors
 */
export class KeyConflict extends Data.TaggedError("KeyConflict")<{
  readonly key: string
  readonly differences: ReadonlyArray<Difference>
}> {
  override get message(): string {
    const words = this.differences.map(({ asked, field, stored }) =>
      `${nameOf(field)} is ${told(field, stored)}, not ${told(field, asked)}`
    )
    return `the key ${this.key} belongs to another payout: ${words.join("; ")}`
  }
}

/**
 * There is no payout with this key.
 *
 * @category errors
 */
export class NoSuchPayout extends Data.TaggedError("NoSuchPayout")<{ readonly key: string }> {
  override get message(): string {
    return `there is no payout ${this.key}`
  }
}

/**
 * The payout can't do that in its state, which is unchanged: `problem` says why.
 *
 * @category errors
 */
export class InvalidTransition extends Data.TaggedError("InvalidTransition")<{
  readonly key: string
  readonly state: Tag
  readonly problem: string
}> {
  override get message(): string {
    return `payout ${this.key} is ${this.state}: ${this.problem}`
  }
}

/**
 * The database of the payouts does not answer, or refuses. A write may or may not have happened: make the same call again,
 * with the same key.
 *
 * @category errors
 */
export class DatabaseFailed extends Data.TaggedError("DatabaseFailed")<{
  readonly problem: string
  readonly kind: DatabaseFault["kind"]
}> {
  override get message(): string {
    return `the database of the payouts: ${this.problem}`
  }
}
