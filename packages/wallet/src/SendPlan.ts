/**
 * A prepared transaction that a person can review before money moves.
 *
 * **Details**
 *
 * A plan is frozen and complete: it contains everything that determines what is sent, and `digest` is the SHA-256 hash
 * of all of it, including the text of `preview`. `execute` accepts a plan only if its digest still matches and it was
 * made for the same chain and host. To bind an approval that was given elsewhere, pass the approved digest to
 * `execute`.
 *
 * Making a plan sends nothing and does not consult the policy; executing it does, before anything is sent.
 *
 * **Gotchas**
 *
 * The digest detects changes; it is not a signature. Anyone who can make a plan can make a different one, so compare it
 * with the approved digest.
 *
 * @since 0.1.0
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import * as Option from "effect/Option"
import type * as FeeDelegation from "./FeeDelegation.js"
import * as internal from "./internal/plan.js"
import type { TransactionRequest } from "./TransactionRequest.js"

/**
 * Everything that determines what is sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface Contents {
  readonly chain: Chain
  /** The host of the wallet that it is sent to. */
  readonly host: string
  readonly request: TransactionRequest
  readonly payer: FeeDelegation.FeePayer
  /** How the fee payer is sent. */
  readonly feePayerStyle: FeeDelegation.Style
  /** The value of the header `x-krn`. If absent, the customer's default pool is used. */
  readonly pool: string | undefined
  /** If absent or 0, the service chooses one and the send is never repeated. */
  readonly nonce: number | undefined
  /** If absent, the service's default. */
  readonly gasLimit: number | undefined
  /** The percentage that the fee payer pays. If absent, all of it. */
  readonly feeRatio: number | undefined
  /** If false, the transaction is only signed. */
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
  /** The plan as text: network, full addresses, amount in KLAY and peb, who pays, nonce. */
  readonly preview: string
  /** 64 hexadecimal digits. */
  readonly digest: string
}

/**
 * Whether a plan is unchanged since it was made.
 *
 * @since 0.1.0
 * @category guards
 */
export const isUnchanged = (plan: SendPlan): boolean => Option.isSome(internal.verify(plan))
