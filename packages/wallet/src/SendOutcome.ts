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
 * | {@link SendUnknown} | failure | it may have been sent or not | run its `findOut`; don't send again before |
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
 * declare const send: Effect.Effect<SendOutcome.Submission, SendOutcome.NotSent | SendOutcome.SendUnknown>
 *
 * export const told = send.pipe(
 *   SendOutcome.settle,
 *   Effect.map(Match.valueTags({
 *     Sent: (_) => `sent as ${_.transactionHash}`,
 *     SignedOnly: (_) => `signed: ${_.rlp}`,
 *     Pending: (_) => `waits for signatures: ${_.transactionId}`,
 *     NotSent: (_) => `not sent: ${_.reason._tag}`,
 *     SendUnknown: (_) => `not known: nonce ${_.nonce} of ${_.address}`
 *   }))
 * )
 * ```
 *
 * @since 0.1.0
 */
import { Address } from "@effect-klaytn/core/Address"
import { Chain } from "@effect-klaytn/core/Chain"
import { Hash } from "@effect-klaytn/core/Hash"
import type { HexData } from "@effect-klaytn/core/Hex"
import { ReadError, ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { FoundTransaction, LookupFailed } from "./FoundTransaction.js"
import * as verdicts from "./internal/verdicts.js"
import { SpendRefused } from "./SpendPolicy.js"
import { StoredRequest } from "./TransactionRequest.js"
import type { TransactionResult } from "./TransactionResult.js"

const id = (name: string) => `@effect-klaytn/wallet/${name}`

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
export class PlanChanged extends Schema.TaggedError<PlanChanged>(id("PlanChanged"))("PlanChanged", {
  problem: Schema.String
}) {
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
export class NonceTaken extends Schema.TaggedError<NonceTaken>(id("NonceTaken"))("NonceTaken", {
  nonce: Schema.Number,
  by: FoundTransaction,
  content: Schema.Literal("same", "different", "unclear"),
  refusal: Schema.optional(ServiceError)
}) {
  override get message(): string {
    const looks = this.content === "same" ? ", which looks the same" : ""
    const said = this.refusal === undefined ? "" : ` (${this.refusal.message})`
    return `nonce ${this.nonce} was taken by ${this.by.transactionHash}${looks}${said}`
  }
  /** Amounts as decimal text: JSON has no form for them. */
  override toJSON(): unknown {
    return { ...Schema.encodeSync(NonceTaken)(this), message: this.message }
  }
}

/**
 * Why nothing was sent: the input, the plan, the policy, the nonce, or a failure of the call that is certain. See
 * `WalletCode.name` for the service's own reasons, and `WalletCode.nodeMessage` for those of its node.
 *
 * @since 0.1.0
 * @category models
 */
export type NotSentReason = typeof NotSentReason.Type

/**
 * The same as a schema.
 *
 * @since 0.1.0
 * @category schemas
 */
export const NotSentReason = Schema.Union(PlanChanged, SpendRefused, NonceTaken, ...ReadError.members)

/**
 * For certain nothing was sent.
 *
 * @since 0.1.0
 * @category errors
 */
export class NotSent extends Schema.TaggedError<NotSent>(id("NotSent"))("NotSent", { reason: NotSentReason }) {
  override get message(): string {
    return `not sent: ${this.reason.message}`
  }
  /** Amounts as decimal text: JSON has no form for them. */
  override toJSON(): unknown {
    return { ...Schema.encodeSync(NotSent)(this), message: this.message }
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
 * `address` is the sender and `nonce` the nonce that was asked for; without one, `nonceAtLeast` and `nonceAfterWaiting` are
 * the account's next nonce as it stood before the send, in blocks and behind what waited, if the node could be asked.
 * `hash` is the hash that the service, or the bytes themselves, named. `request` is what was asked, `startedAt` when (Unix
 * time in milliseconds), `cause` the failure of the call. `retrySafe` says whether the same send, with the same nonce, may
 * be made again.
 *
 * It holds nothing but data: encode it with its schema, keep it, and a program that starts later finds out with
 * `TransactionLookup.findOut`.
 *
 * @since 0.1.0
 * @category errors
 */
export class SendUnknown extends Schema.TaggedError<SendUnknown>(id("SendUnknown"))("SendUnknown", {
  operation: Schema.String,
  chain: Chain,
  address: Schema.optional(Address),
  nonce: Schema.optional(Schema.Int),
  nonceAtLeast: Schema.optional(Schema.Int),
  nonceAfterWaiting: Schema.optional(Schema.Int),
  hash: Schema.optional(Hash),
  request: StoredRequest,
  startedAt: Schema.Number,
  reason: Schema.String,
  retrySafe: Schema.Boolean,
  cause: Schema.optional(Schema.Union(...ServiceError.members, LookupFailed))
}) {
  readonly category = "uncertain" as const

  /**
   * Looks at the chain. It changes nothing and can be run again: later it may know more. One that was read from its encoded
   * form has no client to ask and fails: use `TransactionLookup.findOut` with it.
   *
   * @since 0.1.0
   */
  get findOut(): Effect.Effect<SendVerdict, LookupFailed> {
    return verdicts.of(this) ?? new LookupFailed({
      problem: "this error was read from where it was kept, and has no client: use TransactionLookup.findOut with it"
    })
  }

  override get message(): string {
    const nonce = this.nonce === undefined ? "a nonce of the service's choice" : `nonce ${this.nonce}`
    return `${this.operation}: it may have been sent or not (${this.reason}; ${nonce} of ${this.address}); ` +
      "find out before sending again"
  }

  /** All fields, the cause included, and amounts as decimal text. */
  override toJSON(): unknown {
    return { ...Schema.encodeSync(SendUnknown)(this), message: this.message }
  }
}

/**
 * The five ways a send ends.
 *
 * @since 0.1.0
 * @category models
 */
export type SendOutcome = Submission | NotSent | SendUnknown

/**
 * Brings the two bad ends beside the three good ones.
 *
 * @since 0.1.0
 * @category combinators
 */
export const settle = <A, R>(
  send: Effect.Effect<A, NotSent | SendUnknown, R>
): Effect.Effect<A | NotSent | SendUnknown, never, R> => Effect.catchAll(send, (end) => Effect.succeed(end))
