/**
 * The five possible outcomes of a send, and the transaction that a look-up finds.
 *
 * **Details**
 *
 * | Outcome | Channel | What it means | What to do |
 * |---|---|---|---|
 * | {@link Sent} | success | the service accepted it, or it was found on the chain | wait for its receipt |
 * | {@link SignedOnly} | success | signed, not submitted (`submit: false`) | keep `rlp`, submit it later |
 * | {@link Pending} | success | a multisig account: signatures are missing | have the other signers sign |
 * | {@link NotSent} | failure | it was not executed; `reason` says why, `proof` how that is known | fix it and send again |
 * | {@link SendUnknown} | failure | it may or may not have been sent | run its `reconcile`; don't send again before that |
 *
 * {@link settle} combines all five into one union, for matching.
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
 * export const text = send.pipe(
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
 */
import { Address } from "@effect-klaytn/core/Address"
import type { Hash } from "@effect-klaytn/core/Hash"
import type { HexData } from "@effect-klaytn/core/HexEncoding"
import { ReadError, ServiceError } from "@effect-klaytn/core/ServiceError"
import * as TransactionType from "@effect-klaytn/transaction/TransactionType"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { FeePayer } from "./FeeDelegation.js"
import { reconcilers } from "./internal/sends/reconcile.js"
import { SendRecord } from "./SendRecord.js"
import { SpendRefused } from "./SpendPolicy.js"
import { FoundTransaction, LookupFailed, type SendVerdict, type TransactionResult } from "./TransactionResult.js"

export { FoundTransaction, LookupFailed, SendVerdict } from "./TransactionResult.js"

const id = (name: string) => `@effect-klaytn/wallet/${name}`

/**
 * Who pays the fee, as the answer or the look-up says, compared with who was asked for.
 *
 * **Details**
 *
 * - `AsAsked`: the one that `payer` names. `address` is the sender or the fee payer; the address of the service's
 *   global fee payer is not fixed, so any account except the sender counts as it.
 * - `Other`: a different account. Most likely the service interprets the fee payer in another way than the
 *   configuration says, see `FeePayerStyle` of core. The first time, a client logs a warning.
 * - `NotKnown`: the type has a fee payer, and the answer does not say which.
 *
 * @category schemas
 */
export const PaidBy = Schema.Union(
  Schema.TaggedStruct("AsAsked", { address: Address }),
  Schema.TaggedStruct("Other", { address: Address }),
  Schema.TaggedStruct("NotKnown", {})
).annotations({ identifier: "PaidBy" })

/**
 * Who pays the fee, as the answer or the look-up says, compared with who was asked for.
 *
 * @category models
 */
export type PaidBy = typeof PaidBy.Type

const isFeeDelegated = (typeInt: number): boolean => {
  const type = TransactionType.fromTypeInt(typeInt)
  return type !== undefined && TransactionType.isFeeDelegated(type)
}

/** Of those without an address of their own, the sender is meant, or the service: any account except the sender. */
const isAsked = (asked: FeePayer, from: Address, address: Address): boolean =>
  asked._tag === "UserFeePayer" ? address === asked.address : (address === from) === (asked._tag === "SenderPays")

/**
 * Who pays for a transaction that a look-up found, compared with who was asked for.
 *
 * @category combinators
 */
export const paidBy = (
  asked: FeePayer,
  { feePayer, from, typeInt }: Pick<FoundTransaction, "from" | "feePayer" | "typeInt">
): PaidBy => {
  const address = feePayer ?? (isFeeDelegated(typeInt) ? undefined : from)
  if (address === undefined) return { _tag: "NotKnown" }
  return { _tag: isAsked(asked, from, address) ? "AsAsked" : "Other", address }
}

/** What the three successful outcomes have in common. */
interface Accepted<Result = TransactionResult> {
  readonly from: Address
  readonly nonce: number
  /** Who pays its fee. */
  readonly paidBy: PaidBy
  /** The answer of the service. */
  readonly result: Result
}

/**
 * The service has accepted the transaction, or a look-up found it.
 *
 * **Details**
 *
 * `transactionHash` identifies it; it may still fail when it is executed, and a node that loses its pool loses it: only its receipt
 * proves that it is in a block. `paidBy` is who pays its fee. `result` is the
 * answer of the service; it is absent if the send was found by a look-up, whose result is then in `found`.
 *
 * @category models
 */
export interface Sent extends Accepted<TransactionResult | undefined> {
  readonly _tag: "Sent"
  readonly transactionHash: Hash
  readonly found: FoundTransaction | undefined
}

/**
 * The transaction was signed and not submitted. `rlp` is the raw transaction, in the form that `Transactions` and a
 * node accept.
 *
 * @category models
 */
export interface SignedOnly extends Accepted {
  readonly _tag: "SignedOnly"
  readonly rlp: HexData
}

/**
 * The sender is a multisig account: the service keeps the transaction until enough of its signers have signed.
 *
 * @category models
 */
export interface Pending extends Accepted {
  readonly _tag: "Pending"
  readonly transactionId: Hash
}

/**
 * The three successful outcomes.
 *
 * @category models
 */
export type Submission = Sent | SignedOnly | Pending

/**
 * The successful outcomes of a send that is submitted: an answer that is only signed proves nothing, and makes the send
 * {@link SendUnknown}.
 *
 * @category models
 */
export type Submitted = Sent | Pending

/**
 * A function that sends. Without `submit: false` in its input, it can't end as {@link SignedOnly}, and a match over its outcomes
 * lists only what can happen.
 *
 * @category models
 */
export interface Sending<Input extends { readonly submit?: boolean | undefined }> {
  (input: Input & { readonly submit?: true | undefined }): Effect.Effect<Submitted, NotSent | SendUnknown>
  (input: Input): Effect.Effect<Submission, NotSent | SendUnknown>
}

/**
 * The plan differs from the one that was made or approved, or was made for another chain, host or fee payer style.
 *
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
 * A block holds another transaction with the nonce, so this send can never be executed.
 *
 * **Details**
 *
 * `by` is the transaction that took the nonce. `content` says whether it has the same sender, kind, receiver, value and
 * input; a send fails this way only if it is `different`. `refusal` is the answer of the service, if it refused.
 *
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
 * The sender or the fee payer does not have enough funds, as the service's node says; `who` is absent if the node did not
 * say which. `refusal` is the answer of the service.
 *
 * @category models
 */
export class InsufficientFunds extends Schema.TaggedError<InsufficientFunds>(id("InsufficientFunds"))(
  "InsufficientFunds",
  {
    who: Schema.optional(Schema.Literal("sender", "feePayer")),
    refusal: ServiceError
  }
) {
  readonly category = "caller" as const
  override get message(): string {
    const whose = this.who === undefined ? "" : this.who === "sender" ? " of the sender" : " of the fee payer"
    return `insufficient funds${whose} (${this.refusal.message})`
  }
  /** All fields: by default an error would leave out its refusal. */
  override toJSON(): unknown {
    return { ...Schema.encodeSync(InsufficientFunds)(this), message: this.message }
  }
}

/**
 * Why it was not executed: the input, the plan, the policy, the nonce, the funds, or a failure of the call. See
 * `WalletCode.name` for the service's own reasons, and `WalletCode.nodeMessage` for those of its node.
 *
 * @category models
 */
export type NotSentReason = typeof NotSentReason.Type

/**
 * The schema of the reasons.
 *
 * @category schemas
 */
export const NotSentReason = Schema.Union(PlanChanged, SpendRefused, NonceTaken, InsufficientFunds, ReadError)

/**
 * How it is known that a send was not executed.
 *
 * - `unsent`: nothing left this process: bad input, a plan or a policy that refused it, no credential, no connection.
 * - `refused`: the service refused it, and must refuse every other copy of the same request too; see
 *   `WalletCode.permanent`.
 * - `block`: a block holds another transaction with its nonce. Blocks of Klaytn are final, so it can never execute.
 * - `lookup`: the service refused it for a reason that depends on state, such as funds or rate. It was the only
 *   attempt, and the chain shows nothing like it.
 *
 * **Gotchas**
 *
 * `lookup` leaves one race open. If something between this process and the service delivers the request twice, one copy
 * is refused, and the other arrives after the look-up, the second copy can still be executed. A node that lags behind the
 * service leaves the same doubt: the look-up may miss a copy that was executed just before. For a send with a nonce, only
 * an answer that counts exactly the transactions before it is such a look-up. If the node counts fewer, it is further
 * behind, or the send would wait unseen behind a free nonce, and the outcome is {@link SendUnknown}. A send that repeats the
 * same nonce above 0 is safe then too: the chain executes one transaction for each nonce. A send with another nonce, or
 * without one, would pay a second time.
 *
 * `unsent` is what the HTTP client reports. A client that repeats requests by itself (`HttpClient.retryTransient`) may
 * report that its last attempt found no connection, although an earlier one arrived: don't use such a client for sends.
 *
 * @category schemas
 */
export const Proof = Schema.Literal("unsent", "refused", "block", "lookup")

/**
 * How it is known that a send was not executed.
 *
 * @category models
 */
export type Proof = typeof Proof.Type

/**
 * It was not executed. `reason` says why, and `proof` how that is known: three of the four proofs are final, and
 * `lookup` leaves one race open, see {@link Proof}.
 *
 * @category errors
 */
export class NotSent extends Schema.TaggedError<NotSent>(id("NotSent"))("NotSent", {
  reason: NotSentReason,
  proof: Proof
}) {
  override get message(): string {
    return `not sent: ${this.reason.message}`
  }
  /** Amounts as decimal text: JSON has no form for them. */
  override toJSON(): unknown {
    return { ...Schema.encodeSync(NotSent)(this), message: this.message }
  }
}

/**
 * The transaction may or may not have been sent. It was not sent again.
 *
 * **Details**
 *
 * `address` is the sender and `nonce` the requested nonce. `send` is all that a look-up needs: the plan, the account's
 * nonces before the send if the service chose the nonce and the node could be asked, and the transaction hash if the
 * service named one or it follows from the bytes. `cause` is the failure of the call, `InsufficientFunds` if the service
 * refused it for that: another copy may have been accepted. `retrySafe` says whether the same
 * send, with the same nonce, may be repeated. `answered` is the nonce of the transaction that the service has under the name of the
 * send, if it is the same with another nonce.
 *
 * It is plain data: encode it, or its `send`, and store it, and a later program can find out the outcome with
 * `TransactionLookup.reconcile`.
 *
 * @category errors
 */
export class SendUnknown extends Schema.TaggedError<SendUnknown>(id("SendUnknown"))("SendUnknown", {
  operation: Schema.String,
  address: Schema.optional(Address),
  nonce: Schema.optional(Schema.Int),
  send: SendRecord,
  reason: Schema.String,
  retrySafe: Schema.Boolean,
  answered: Schema.optional(Schema.Int),
  cause: Schema.optional(Schema.Union(InsufficientFunds, ServiceError))
}) {
  readonly category = "uncertain" as const

  /**
   * Looks for the transaction on the chain. It changes nothing and can be run again, since more may be known later. An
   * error that was decoded from storage has no client and fails: use `TransactionLookup.reconcile` with its `send`.
   */
  get reconcile(): Effect.Effect<SendVerdict, LookupFailed> {
    return reconcilers.get(this) ?? new LookupFailed({
      problem: "this error was decoded from storage and has no client: use TransactionLookup.reconcile with its send"
    })
  }

  override get message(): string {
    const nonce = this.nonce === undefined ? "a nonce of the service's choice" : `nonce ${this.nonce}`
    return `${this.operation}: it may or may not have been sent (${this.reason}; ${nonce} of ${this.address}); ` +
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
 * @category models
 */
export type SendOutcome = Submission | NotSent | SendUnknown

/**
 * Moves the two failures into the success channel, beside the three successful outcomes.
 *
 * @category combinators
 */
export const settle = <A, R>(
  send: Effect.Effect<A, NotSent | SendUnknown, R>
): Effect.Effect<A | NotSent | SendUnknown, never, R> => Effect.catchAll(send, (end) => Effect.succeed(end))
