/**
 * How a send ends: in exactly one of five ways.
 *
 * **Details**
 *
 * | Outcome | Channel | What it means | What to do |
 * |---|---|---|---|
 * | {@link Sent} | success | the service took it, or it was found on the chain | wait for its receipt |
 * | {@link SignedOnly} | success | signed, not submitted (`submit: false`) | keep `rlp`, submit it later |
 * | {@link Pending} | success | a multisig account: other signatures are missing | have them signed |
 * | {@link NotSent} | failure | for certain nothing was sent, and nothing will be; `reason` says why | repair and send again |
 * | {@link OutcomeUnknown} | failure | it may have been sent or not | run its `findOut`; don't send again before |
 *
 * {@link settle} brings all five into one union, for a program that wants to match them.
 *
 * **Example** (all five)
 *
 * ```ts
 * import * as SendOutcome from "@effect-klaytn/wallet/SendOutcome"
 * import * as Effect from "effect/Effect"
 * import * as Match from "effect/Match"
 *
 * declare const send: Effect.Effect<SendOutcome.Submission, SendOutcome.NotSent | SendOutcome.OutcomeUnknown>
 *
 * export const told = send.pipe(
 *   SendOutcome.settle,
 *   Effect.map(Match.valueTags({
 *     Sent: (_) => `sent as ${_.transactionHash}`,
 *     SignedOnly: (_) => `signed: ${_.rlp}`,
 *     Pending: (_) => `waits for signatures: ${_.transactionId}`,
 *     NotSent: (_) => `not sent: ${_.reason._tag}`,
 *     OutcomeUnknown: (_) => `not known: nonce ${_.nonce} of ${_.address}`
 *   }))
 * )
 * ```
 *
 * @since 0.1.0
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { Hash } from "@effect-klaytn/core/Hash"
import type { HexData } from "@effect-klaytn/core/Hex"
import type { InvalidInput, OutcomeUnknown as CallUnknown, ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { FoundTransaction, LookupFailed } from "./FoundTransaction.js"
import * as json from "./internal/json.js"
import type { SpendRefused } from "./SpendPolicy.js"
import type { TransactionRequest } from "./TransactionRequest.js"
import type { TransactionResult } from "./TransactionResult.js"

/**
 * It was sent.
 *
 * **Details**
 *
 * `transactionHash` names it; that it succeeds once it is in a block is not said. `feePayer` is who pays if not the
 * sender, as far as the answer or the look-up says. `result` is the answer of the service; it is absent when the send was
 * found by a look-up, which `found` tells then.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sent {
  readonly _tag: "Sent"
  readonly transactionHash: Hash
  readonly from: Address
  readonly nonce: number
  readonly feePayer: Address | undefined
  readonly result: TransactionResult | undefined
  readonly found: FoundTransaction | undefined
}

/**
 * It was signed and not submitted. `rlp` is the raw transaction, as `Transactions` and a node take it.
 *
 * @since 0.1.0
 * @category models
 */
export interface SignedOnly {
  readonly _tag: "SignedOnly"
  readonly rlp: HexData
  readonly from: Address
  readonly nonce: number
  readonly feePayer: Address | undefined
  readonly result: TransactionResult
}

/**
 * The account is a multisig account: the service keeps the transaction until enough of its signers have signed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Pending {
  readonly _tag: "Pending"
  readonly transactionId: Hash
  readonly from: Address
  readonly nonce: number
  readonly result: TransactionResult
}

/**
 * The three good ends.
 *
 * @since 0.1.0
 * @category models
 */
export type Submission = Sent | SignedOnly | Pending

/**
 * The plan is not the one that was made or approved, or was made for another chain or host.
 *
 * @since 0.1.0
 * @category models
 */
export class PlanChanged extends Data.TaggedError("PlanChanged")<{ readonly problem: string }> {
  override get message(): string {
    return this.problem
  }
}

/**
 * The nonce is taken, so this send never happens.
 *
 * **Details**
 *
 * `by` is the transaction that took it, and `content` says whether that one is of the same sender, kind, receiver, value
 * and input. `refusal` is the answer of the service, if it refused.
 *
 * **Gotchas**
 *
 * A transaction of the same content was made by somebody else, or by an earlier send of yours with this nonce: if this
 * send repeats one whose outcome was unknown, that one was made.
 *
 * @since 0.1.0
 * @category models
 */
export class NonceTaken extends Data.TaggedError("NonceTaken")<{
  readonly nonce: number
  readonly by: FoundTransaction
  readonly content: "same" | "different" | "unclear"
  readonly refusal: ServiceError | undefined
}> {
  override get message(): string {
    const looks = this.content === "same" ? ", which looks the same" : ""
    const said = this.refusal === undefined ? "" : ` (${this.refusal.message})`
    return `nonce ${this.nonce} was taken by ${this.by.transactionHash}${looks}${said}`
  }
  override toJSON(): unknown {
    return json.safe({ ...this, _tag: this._tag, message: this.message })
  }
}

/**
 * Why nothing was sent: the input, the plan, the policy, the nonce, or a failure of the call that is certain. See
 * `WalletCode.name` for the service's own reasons, and `WalletCode.nodeMessage` for those of its node.
 *
 * @since 0.1.0
 * @category models
 */
export type NotSentReason =
  | InvalidInput
  | PlanChanged
  | SpendRefused
  | NonceTaken
  | Exclude<ServiceError, CallUnknown>

/**
 * For certain nothing was sent.
 *
 * @since 0.1.0
 * @category errors
 */
export class NotSent extends Data.TaggedError("NotSent")<{ readonly reason: NotSentReason }> {
  override get message(): string {
    return `not sent: ${this.reason.message}`
  }
  override toJSON(): unknown {
    return json.safe({ _tag: this._tag, message: this.message, reason: this.reason })
  }
}

/**
 * What a look-up found out about a send whose outcome was not known.
 *
 * - `Executed`: it is in a block, see `transaction.state` for its success. `certainty` is `nonce` if the transaction
 *   took the very nonce of the send; `content` if the send had none, and exactly one transaction of the account since
 *   then looks the same, and it was not waiting before. Another send of the same content at the same time looks the
 *   same too; a memo of its own rules that out.
 * - `Waiting`: it is known to the service or its node, and in no block yet.
 * - `Superseded`: another transaction took the nonce, so this one can never happen.
 * - `NotExecuted`: so far nothing took the nonce, or nothing since looks the same. It may still happen: a request can
 *   be late. Repeating a send that names a nonce above 0 with the same nonce is safe, a new one is not.
 * - `Ambiguous`: several transactions look the same, or there is nothing to go by; `why` says which.
 *
 * @since 0.1.0
 * @category models
 */
export type SendVerdict = Data.TaggedEnum<{
  Executed: { readonly transaction: FoundTransaction; readonly certainty: "nonce" | "content" }
  Waiting: { readonly transaction: FoundTransaction }
  Superseded: { readonly transaction: FoundTransaction }
  NotExecuted: { readonly nextNonce: number | undefined }
  Ambiguous: { readonly transactions: ReadonlyArray<FoundTransaction>; readonly why: string }
}>

/**
 * Constructors, `$is` and `$match` of {@link SendVerdict}.
 *
 * @since 0.1.0
 * @category constructors
 */
export const SendVerdict = Data.taggedEnum<SendVerdict>()

/**
 * It may have been sent or not, and was not sent again.
 *
 * **Details**
 *
 * `address` is the sender and `nonce` the nonce that was asked for; without one, `nonceAtLeast` is the account's next
 * nonce as it stood before the send, if the node could be asked. `request` is what was asked. `cause` is the failure of
 * the call. `retrySafe` says whether the same send, with the same nonce, may be made again.
 *
 * @since 0.1.0
 * @category errors
 */
export class OutcomeUnknown extends Data.TaggedError("OutcomeUnknown")<{
  readonly operation: string
  readonly address: Address | undefined
  readonly nonce: number | undefined
  readonly nonceAtLeast: number | undefined
  readonly request: TransactionRequest
  readonly reason: string
  readonly retrySafe: boolean
  readonly cause: ServiceError | LookupFailed | undefined
}> {
  readonly category = "uncertain" as const
  /**
   * Looks at the chain. It changes nothing and can be run again: later it may know more.
   *
   * @since 0.1.0
   */
  declare readonly findOut: Effect.Effect<SendVerdict, LookupFailed>

  constructor(
    fields: {
      readonly operation: string
      readonly address: Address | undefined
      readonly nonce: number | undefined
      readonly nonceAtLeast: number | undefined
      readonly request: TransactionRequest
      readonly reason: string
      readonly retrySafe: boolean
      readonly cause: ServiceError | LookupFailed | undefined
    },
    findOut: Effect.Effect<SendVerdict, LookupFailed>
  ) {
    super(fields)
    // Not a field to show: it holds the client, and an error is logged and stored.
    Object.defineProperty(this, "findOut", { value: findOut, enumerable: false })
  }

  override get message(): string {
    const nonce = this.nonce === undefined ? "a nonce of the service's choice" : `nonce ${this.nonce}`
    return `${this.operation}: it may have been sent or not (${this.reason}; ${nonce} of ${this.address}); ` +
      "find out before sending again"
  }
  override toJSON(): unknown {
    return json.safe({ ...this, _tag: this._tag, message: this.message })
  }
}

/**
 * The five ways a send ends.
 *
 * @since 0.1.0
 * @category models
 */
export type SendOutcome = Submission | NotSent | OutcomeUnknown

/**
 * Brings the two bad ends beside the three good ones.
 *
 * @since 0.1.0
 * @category combinators
 */
export const settle = <A, R>(
  send: Effect.Effect<A, NotSent | OutcomeUnknown, R>
): Effect.Effect<A | NotSent | OutcomeUnknown, never, R> => Effect.catchAll(send, (end) => Effect.succeed(end))
