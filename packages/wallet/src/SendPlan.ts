/**
 * A transaction that is about to be sent, for a person to read before money moves.
 *
 * **Details**
 *
 * A plan is frozen and complete: everything that decides what is sent stands in it, and `digest` is the SHA-256 hash over
 * all of it, the text of `preview` included. `execute` takes only a plan whose digest still fits, made for the same
 * chain and host. To bind an approval that was given elsewhere, hand `execute` the digest that was approved.
 *
 * Making a plan sends nothing and asks no policy; executing it asks the policy first.
 *
 * **Gotchas**
 *
 * The digest finds changes; it is no signature. Whoever can make a plan can also make another one: compare the digest
 * that was approved.
 *
 * @since 0.1.0
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import * as Option from "effect/Option"
import type * as FeeDelegation from "./FeeDelegation.js"
import * as internal from "./internal/plan.js"
import type { TransactionRequest } from "./TransactionRequest.js"

/**
 * What decides how a transaction is sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface Contents {
  readonly chain: Chain
  /** The host of the wallet that it goes to. */
  readonly host: string
  readonly request: TransactionRequest
  readonly payer: FeeDelegation.FeePayer
  readonly way: FeeDelegation.Way
  /** The value of the header `x-krn`; absent: the customer's default pool. */
  readonly pool: string | undefined
  /** Absent or 0: the service chooses one, and the send is never repeated. */
  readonly nonce: number | undefined
  /** Absent: the service's default. */
  readonly gasLimit: number | undefined
  /** The percentage that the fee payer pays; absent: all of it. */
  readonly feeRatio: number | undefined
  /** False: sign only. */
  readonly submit: boolean
}

/**
 * A plan.
 *
 * @since 0.1.0
 * @category models
 */
export interface SendPlan extends Contents {
  readonly _tag: "SendPlan"
  /** The plan in words: network, full addresses, amount in KLAY and peb, who pays, nonce. */
  readonly preview: string
  /** 64 hexadecimal digits. */
  readonly digest: string
}

/**
 * Whether a plan is as it was made.
 *
 * @since 0.1.0
 * @category guards
 */
export const isUnchanged = (plan: SendPlan): boolean => Option.isSome(internal.verified(plan))
