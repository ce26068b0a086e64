/**
 * The state machine of a payout: {@link step} is a pure function from a state and an event to the next state. No other
 * code decides whether money moves.
 *
 * **Details**
 *
 * | State | What it means |
 * |---|---|
 * | `Planned` | accepted and stored; nothing was sent. `problem` says why it is not begun: it waits for a process with its limits |
 * | `WaitingForApproval` | above the limit, so an operator has to approve it |
 * | `Reserved` | it has a nonce, and no process is sending it now |
 * | `Sending` | a process is about to send it, or is sending it: stored before the request leaves |
 * | `Unknown` | a request may or may not have arrived, so the chain is checked before anything is sent |
 * | `Sent` | the service accepted it, or the chain shows it waiting |
 * | `WaitingForSignatures` | the service keeps it until enough signers of its account have signed |
 * | `Superseded` | a final block holds another transaction with its nonce: it gets another nonce |
 * | `Executed` | final: a block holds it, and it succeeded |
 * | `MovedOtherwise` | final: a block holds it, it succeeded, and its receipt shows that another amount of the token arrived, or none |
 * | `Refused` | final: it can no longer execute, or it failed in its block |
 * | `Cancelled` | final: an operator cancelled it, and it can no longer execute |
 *
 * An attempt is one nonce. `sends` counts the requests of the attempt that were begun. `doubt` says that one of them may
 * still arrive and execute.
 *
 * **No answer proves that a request had no effect.** A request may be delivered twice or late, so the answer to one
 * copy says nothing about the other. A connection that could not be made proves nothing either: an HTTP client may have
 * repeated the request. The exception is a refusal that every copy of the request must get, such as that of a malformed
 * field. After every other refusal the attempt stays in doubt until a block holds a transaction with its nonce.
 *
 * A payout that should not be paid any more while a request may still arrive is `closing`: from then on only the
 * cancellation of its nonce is sent, no other nonce is reserved for it, and the block that holds a transaction with the
 * nonce decides. If even the cancellation is refused, the nonce is `offered`: the next payment of the account may use it
 * too, so that no payment waits behind it.
 *
 * A payment of an account with several signers is not sent again once the service keeps it. It ends by a block that holds a
 * transaction with its nonce: the payment, or its cancellation, which the signers sign as well. While they decide between the two,
 * the nonce is `offered`.
 *
 * `paidBy` says who pays the fee, compared with the `payer` of the payout: what the service answered while it is `Sent`, and
 * what the chain shows once a block holds it.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import { PaidBy } from "@effect-klaytn/wallet/SendOutcome"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"

/** Payouts never use nonce 0: the service reads it as "choose one", so a copy of the request would be paid again. */
const Nonce = Schema.Int.pipe(Schema.positive())

/** How a closing payout ends when a block holds another transaction with its nonce. */
const Closing = Schema.Struct({
  as: Schema.Literal("Cancelled", "Refused"),
  reason: Schema.String,
  problem: Schema.String,
  /** Whether the cancellation was refused, so that the next payment of the account may use the nonce too. */
  offered: Schema.Boolean
})

/**
 * A payment of coin that is a call, because its receiver has code. `gas` is the gas limit that the node's estimate asks for, if it made
 * one.
 *
 * @category schemas
 */
export const Call = Schema.Struct({ gas: Schema.optional(Schema.Int) }).annotations({ identifier: "Call" })

/**
 * A payment of coin that is a call, because its receiver has code.
 *
 * @category models
 */
export type Call = typeof Call.Type

/** Present if the payment is a call. */
const called = { call: Schema.optional(Call) }

/** An attempt is one nonce. */
const numbered = { attempt: Schema.Int.pipe(Schema.positive()), nonce: Nonce }

const attempt = {
  ...numbered,
  sends: Schema.NonNegativeInt,
  doubt: Schema.Boolean,
  ...called,
  /** If present, a cancellation of the nonce is sent instead of the payment. */
  closing: Schema.optional(Closing)
}

/** Who pays the fee. Absent if neither an answer nor the chain has shown it. */
const paidBy = { paidBy: Schema.optional(PaidBy) }

/** Why it gets no nonce, if it waits for a process with its limits. */
const held = { problem: Schema.optional(Schema.String) }

/** The transaction of an attempt, in a block. */
const inBlock = { ...numbered, transactionHash: Hash.Hash, block: Schema.NonNegativeInt }

/** What of a token arrived, in its smallest unit, where that is not what was asked for. */
const moved = { moved: Schema.String.pipe(Schema.pattern(/^\d+$/)) }

/**
 * The schema of the states.
 *
 * @category schemas
 */
export const PayoutState = Schema.Union(
  Schema.TaggedStruct("Planned", { approved: Schema.Boolean, ...held }),
  Schema.TaggedStruct("WaitingForApproval", { problem: Schema.String }),
  Schema.TaggedStruct("Reserved", attempt),
  Schema.TaggedStruct("Sending", attempt),
  Schema.TaggedStruct("Unknown", {
    ...attempt,
    problem: Schema.String,
    transactionHash: Schema.optional(Hash.Hash)
  }),
  Schema.TaggedStruct("Sent", { ...attempt, transactionHash: Hash.Hash, ...paidBy }),
  Schema.TaggedStruct("WaitingForSignatures", { ...attempt, transactionId: Hash.Hash, ...paidBy }),
  Schema.TaggedStruct("Superseded", { ...numbered, by: Hash.Hash, ...held }),
  Schema.TaggedStruct("Executed", { ...inBlock, ...paidBy }),
  Schema.TaggedStruct("MovedOtherwise", { ...inBlock, ...moved, problem: Schema.String, ...paidBy }),
  Schema.TaggedStruct("Refused", {
    reason: Schema.String,
    problem: Schema.String,
    /** Present if the payment failed in a block: it used its nonce and its fee, and moved nothing. */
    transactionHash: Schema.optional(Hash.Hash),
    block: Schema.optional(Schema.NonNegativeInt),
    ...paidBy
  }),
  Schema.TaggedStruct("Cancelled", { problem: Schema.String })
).annotations({ identifier: "PayoutState" })

/**
 * A state.
 *
 * @category models
 */
export type PayoutState = typeof PayoutState.Type

/**
 * The name of a state.
 *
 * @category models
 */
export type Tag = PayoutState["_tag"]

/**
 * The names of the states, in the order in which a payout usually has them.
 *
 * @category schemas
 */
export const Tag = Schema.Literal(
  "Planned",
  "WaitingForApproval",
  "Reserved",
  "Sending",
  "Unknown",
  "Sent",
  "WaitingForSignatures",
  "Superseded",
  "Executed",
  "MovedOtherwise",
  "Refused",
  "Cancelled"
)

/**
 * The names of the final states, which never change again.
 *
 * @category schemas
 */
export const FinalTag = Tag.pipe(Schema.pickLiteral("Executed", "MovedOtherwise", "Refused", "Cancelled"))

/**
 * The name of a final state.
 *
 * @category models
 */
export type FinalTag = typeof FinalTag.Type

const isFinalTag = Schema.is(FinalTag)

/** Why the payment can't be made. */
const Refusal = Schema.Struct({ reason: Schema.String, problem: Schema.String })

/** Which send an answer belongs to. */
const send = { attempt: attempt.attempt, send: Schema.Int.pipe(Schema.positive()) }

/**
 * The schema of the events.
 *
 * - `ApprovalNeeded`: it exceeds a limit. `Approved`, `CancelRequested`: an operator's decision.
 * - `LimitsDiffer`: a process was to give it a nonce, and has other limits than those under which it was stored. `Adopted`: an
 *   operator gave it the limits with this ID; `before` are those that it had.
 * - `Reserved`: it got a nonce. `NotAllowed`: the policy does not allow it, or its account can't be opened.
 * - `SendBegun`: a request is about to leave.
 * - The answers to that request: `Accepted`; `Denied`, with `forGood` if every copy of the request must be refused too;
 *   `Unclear`; `SignaturesMissing`, the service keeps it until enough signers have signed; `CancelDenied`, if the cancellation of a
 *   closing payout was refused.
 * - What the chain shows about the attempt: `Found`, a block holds it, with `moved` if the receipt shows another transfer of the token
 *   than was asked for; `Seen`, it waits for a block; `Overtaken`, a block
 *   holds another transaction with its nonce, with `cancelled` if that is the wallet's cancellation of the payment; `Rejected`, the
 *   wallet says that its node does not take the payment, or that it cancels it; `Absent`, no block has the nonce yet.
 * - `DeclaredNotSent`: an operator says that no request of it was or will be executed; or, with `beyond`, the account's next nonce is
 *   so far below that of a closing payout that no block can have it. `Found` with `declared`: an operator
 *   named the transaction.
 * - `Faulted`: a step failed with a defect; the payout is worked on again.
 *
 * @category schemas
 */
export const PayoutEvent = Schema.Union(
  Schema.TaggedStruct("ApprovalNeeded", { problem: Schema.String }),
  Schema.TaggedStruct("Approved", {}),
  Schema.TaggedStruct("CancelRequested", { problem: Schema.String }),
  Schema.TaggedStruct("LimitsDiffer", { problem: Schema.String }),
  Schema.TaggedStruct("Adopted", { limits: Schema.String, before: Schema.optional(Schema.String) }),
  Schema.TaggedStruct("NotAllowed", { reason: Schema.String, problem: Schema.String }),
  Schema.TaggedStruct("Reserved", { nonce: Nonce, from: Address.Address, ...called }),
  Schema.TaggedStruct("SendBegun", {}),
  Schema.TaggedStruct("Accepted", { ...send, nonce: Nonce, transactionHash: Hash.Hash, ...paidBy }),
  Schema.TaggedStruct("Denied", { ...send, forGood: Schema.Boolean, reason: Schema.String, problem: Schema.String }),
  Schema.TaggedStruct("Unclear", { ...send, problem: Schema.String, transactionHash: Schema.optional(Hash.Hash) }),
  Schema.TaggedStruct("SignaturesMissing", { ...send, transactionId: Hash.Hash, ...paidBy }),
  Schema.TaggedStruct("CancelDenied", { ...send, problem: Schema.String }),
  Schema.TaggedStruct("Found", {
    ...inBlock,
    succeeded: Schema.Boolean,
    moved: Schema.optional(moved.moved),
    declared: Schema.optional(Schema.Literal(true)),
    ...paidBy
  }),
  Schema.TaggedStruct("Seen", { ...numbered, transactionHash: Hash.Hash }),
  Schema.TaggedStruct("Overtaken", { attempt: attempt.attempt, by: Hash.Hash, cancelled: Schema.optional(Refusal) }),
  Schema.TaggedStruct("Rejected", { attempt: attempt.attempt, ...Refusal.fields }),
  Schema.TaggedStruct("Absent", { attempt: attempt.attempt }),
  Schema.TaggedStruct("DeclaredNotSent", {
    attempt: attempt.attempt,
    beyond: Schema.optional(Schema.NonNegativeInt)
  }),
  Schema.TaggedStruct("Faulted", { run: Schema.NonNegativeInt, problem: Schema.String })
).annotations({ identifier: "PayoutEvent" })

/**
 * An event.
 *
 * @category models
 */
export type PayoutEvent = typeof PayoutEvent.Type

/**
 * The state of a payout that was just accepted.
 *
 * @category constructors
 */
export const initial: PayoutState = { _tag: "Planned", approved: false }

/**
 * Whether a state is final: it never changes again.
 *
 * @category guards
 */
export const isFinal = (state: PayoutState): state is Extract<PayoutState, { _tag: FinalTag }> => isFinalTag(state._tag)

/**
 * Whether a payout waits for a nonce: its limits are applied when it gets one.
 *
 * @category guards
 */
export const isUnbegun = (
  state: PayoutState
): state is Extract<PayoutState, { readonly _tag: "Planned" | "Superseded" }> =>
  state._tag === "Planned" || state._tag === "Superseded"

/** The states in which an attempt is under way. */
type Underway = Extract<PayoutState, { readonly doubt: boolean }>

const isUnderway = (state: PayoutState): state is Underway => "doubt" in state

const attemptOf = (state: Underway) => Struct.pick(state, "attempt", "nonce", "sends", "doubt", "call", "closing")

/**
 * Whether a request of the attempt may execute now or later.
 *
 * @category guards
 */
export const mayExecute = (state: PayoutState): boolean =>
  isUnderway(state) && (state.doubt || state._tag !== "Reserved")

/** The state after an event, or why the event is ignored. */
type Next = Either.Either<PayoutState, string>

const ignored = (why: string): Next => Either.left(why)

/**
 * The state after an event, or `Left` with the reason why the event is ignored: it belongs to another attempt or an
 * earlier request, or it can't happen in this state.
 *
 * @category transitions
 */
export const step = (state: PayoutState, event: PayoutEvent): Either.Either<PayoutState, string> => {
  const stale = ignored(`${event._tag} does not count when ${state._tag}`)
  switch (event._tag) {
    case "ApprovalNeeded":
      return state._tag === "Planned" && !state.approved
        ? Either.right({ _tag: "WaitingForApproval", problem: event.problem })
        : stale
    case "Approved":
      return state._tag === "WaitingForApproval" ? Either.right({ _tag: "Planned", approved: true }) : stale
    case "LimitsDiffer":
      return isUnbegun(state) && state.problem !== event.problem
        ? Either.right({ ...state, problem: event.problem })
        : stale
    case "Adopted":
      if (state._tag === "WaitingForApproval") return Either.right(state)
      return isUnbegun(state)
        ? Either.right({ ...state, problem: undefined })
        : ignored("it has a nonce, under the limits with which it got that, or it has ended")
    case "NotAllowed":
      return isUnbegun(state)
        ? Either.right({ _tag: "Refused", reason: event.reason, problem: event.problem })
        : stale
    case "Reserved":
      return isUnbegun(state)
        ? Either.right({
          _tag: "Reserved",
          attempt: state._tag === "Superseded" ? state.attempt + 1 : 1,
          nonce: event.nonce,
          sends: 0,
          doubt: false,
          ...(event.call === undefined ? {} : { call: event.call })
        })
        : stale
    case "CancelRequested":
      return cancel(state, event.problem)
    case "SendBegun":
      return state._tag === "Reserved"
        ? Either.right({ ...attemptOf(state), _tag: "Sending", sends: state.sends + 1 })
        : stale
    case "Faulted":
      return isFinal(state) ? stale : Either.right(state)
    default:
      if (!isUnderway(state) || state.attempt !== event.attempt) return stale
      return "send" in event ? answer(state, event) : lookUp(state, event)
  }
}

/** Ends a payout at once if none of its requests can execute. Otherwise it is closing until a block has its nonce. */
const cancel = (state: PayoutState, problem: string): Next => {
  if (isFinal(state)) return ignored(`it is final: ${state._tag}`)
  if (!isUnderway(state) || !mayExecute(state)) return Either.right({ _tag: "Cancelled", problem })
  return state.closing === undefined
    ? Either.right({ ...state, closing: { as: "Cancelled", reason: "Cancelled", problem, offered: false } })
    : ignored("its nonce is being cancelled already")
}

/** Applies an answer. `Accepted` always counts; any other answer counts only if it answers the last request. */
const answer = (state: Underway, event: Extract<PayoutEvent, { readonly send: number }>): Next => {
  const attempt = attemptOf(state)
  if (event._tag === "Accepted") {
    return state._tag === "Sent"
      ? ignored("it is known to be sent")
      // A service that knows the payment's name answers with the transaction that has paid, whatever its nonce.
      : Either.right({ ...attempt, _tag: "Sent", ...Struct.pick(event, "nonce", "transactionHash", "paidBy") })
  }
  if (event._tag === "SignaturesMissing") {
    return state._tag === "Sent" || state._tag === "WaitingForSignatures"
      ? ignored("it is known to wait")
      : Either.right({
        ...attempt,
        _tag: "WaitingForSignatures",
        doubt: true,
        ...Struct.pick(event, "transactionId", "paidBy"),
        ...(state.closing === undefined ? {} : { closing: { ...state.closing, offered: true } })
      })
  }
  if (state._tag !== "Sending" || state.sends !== event.send) return ignored(`${event._tag} is of an earlier request`)
  const inDoubt = { ...attempt, _tag: "Unknown", doubt: true, problem: event.problem } as const
  switch (event._tag) {
    case "Unclear":
      return Either.right({ ...inDoubt, transactionHash: event.transactionHash })
    case "CancelDenied":
      return Either.right(
        state.closing === undefined ? inDoubt : { ...inDoubt, closing: { ...state.closing, offered: true } }
      )
    case "Denied": {
      const { forGood, problem, reason } = event
      const closing = state.closing ?? { as: "Refused", reason, problem, offered: false } as const
      return Either.right(forGood && !state.doubt ? closed(closing) : { ...inDoubt, closing })
    }
  }
}

/** The final state of a closing payout that can no longer execute. */
const closed = ({ as, problem, reason }: typeof Closing.Type): PayoutState =>
  as === "Cancelled" ? { _tag: "Cancelled", problem } : { _tag: "Refused", reason, problem }

/** Who paid the fee, as the block shows it, or else as the service answered for the same transaction. */
const feeOf = (state: Underway, found: Extract<PayoutEvent, { readonly _tag: "Found" }>) =>
  found.paidBy?._tag === "NotKnown" && state._tag === "Sent" && state.transactionHash === found.transactionHash
    ? state
    : found

/** Sends the attempt, or its cancellation, again. The last request may still arrive. */
const sendAgain = (state: Underway, why: string): Next =>
  state._tag === "Reserved" ? ignored(why) : Either.right({ ...attemptOf(state), _tag: "Reserved", doubt: true })

/** What an operator has to know before anything is paid again. */
const otherwise = (moved: string): string =>
  `its transaction succeeded, and its receipt shows that ${moved} of the token's smallest unit arrived: look at the balance of the ` +
  "receiver before you pay anything again"

/** Applies what the chain shows or an operator says. An attempt that was never sent can't be found. */
const lookUp = (
  state: Underway,
  event: Extract<
    PayoutEvent,
    { readonly _tag: "Found" | "Seen" | "Overtaken" | "Rejected" | "Absent" | "DeclaredNotSent" }
  >
): Next => {
  if (event._tag !== "Overtaken" && !mayExecute(state)) return ignored("nothing of it was sent")
  switch (event._tag) {
    case "Found": {
      const { attempt, block, nonce, succeeded, transactionHash } = event
      if (nonce !== state.nonce) return ignored("its nonce is another one")
      const mined = { transactionHash, block, ...Struct.pick(feeOf(state, event), "paidBy") }
      if (!succeeded) {
        return Either.right({ _tag: "Refused", reason: "Failed", problem: `it failed in block ${block}`, ...mined })
      }
      const { moved } = event
      return Either.right(
        moved === undefined
          ? { _tag: "Executed", attempt, nonce, ...mined }
          : { _tag: "MovedOtherwise", attempt, nonce, moved, problem: otherwise(moved), ...mined }
      )
    }
    case "Seen":
      if (state._tag === "WaitingForSignatures" && state.closing !== undefined) {
        return ignored("its cancellation waits for signatures, or is about to be sent")
      }
      // The payment waits. Its cancellation replaces it if it arrives before the block.
      if (state.closing !== undefined) return sendAgain(state, "its cancellation is about to be sent")
      return state._tag === "Sent" && state.transactionHash === event.transactionHash
        ? ignored("it is known to wait")
        : Either.right({ ...attemptOf(state), _tag: "Sent", transactionHash: event.transactionHash })
    case "Overtaken":
      return Either.right(
        state.closing === undefined && event.cancelled !== undefined
          ? { _tag: "Refused", ...event.cancelled }
          : state.closing === undefined
          ? { _tag: "Superseded", attempt: state.attempt, nonce: state.nonce, by: event.by }
          : closed(state.closing)
      )
    case "Rejected": {
      const { problem, reason } = event
      return state.closing === undefined && state._tag !== "Reserved"
        ? Either.right({
          ...attemptOf(state),
          _tag: "Unknown",
          doubt: true,
          problem,
          closing: { as: "Refused", reason, problem, offered: false }
        })
        : ignored("its nonce is being cancelled already")
    }
    case "Absent":
      if (state._tag === "WaitingForSignatures" && state.closing?.offered !== false) {
        return ignored("it waits for its signers, and is not sent again")
      }
      return sendAgain(state, "it is about to be sent")
    case "DeclaredNotSent":
      if (event.beyond !== undefined) {
        return state.closing === undefined || state._tag === "Sending"
          ? ignored("it is not being cancelled")
          : Either.right(closed(state.closing))
      }
      if (state._tag === "Sending") return ignored("a process may be sending it at this moment")
      if (state._tag === "WaitingForSignatures") {
        return ignored(`its signers may sign ${state.transactionId} at any time`)
      }
      if ("transactionHash" in state && state.transactionHash !== undefined) {
        return ignored(`the service named it as ${state.transactionHash}`)
      }
      return Either.right({ _tag: "Cancelled", problem: "an operator declared that it was not sent" })
  }
}

/**
 * What a transition means for the nonce of the attempt: `confirmed`, a block holds a transaction with it; `released`, the
 * next payment may use it. Undefined as long as the nonce belongs to the attempt.
 *
 * @category transitions
 */
export const nonceAfter = (
  before: PayoutState,
  event: PayoutEvent,
  after: PayoutState
): { readonly nonce: number; readonly fate: "confirmed" | "released" } | undefined => {
  if (!isUnderway(before)) return undefined
  const { nonce } = before
  if (event._tag === "Found" || event._tag === "Overtaken") return { nonce, fate: "confirmed" }
  if (event._tag === "Accepted" && isUnderway(after) && after.nonce !== nonce) return { nonce, fate: "released" }
  const offered = "doubt" in after && after.closing?.offered === true
  const wasOffered = before.closing?.offered === true
  return !wasOffered && (offered || isFinal(after)) ? { nonce, fate: "released" } : undefined
}

/**
 * What a transition means for the spend that was counted when the attempt was reserved: `stamped`, it counts from the time
 * of this request; `final`, it counts until the window has passed; `feeOnly`, only its fee counts, since a cancellation may
 * have taken the nonce; `released`, it does not count any more.
 *
 * @category transitions
 */
export const spendAfter = (
  before: PayoutState,
  event: PayoutEvent,
  after: PayoutState
): "stamped" | "final" | "feeOnly" | "released" | undefined => {
  if (event._tag === "SendBegun") return "stamped"
  if (!isUnderway(before)) return undefined
  if (after._tag === "Superseded") return "released"
  if (!isFinal(after)) return undefined
  // A transaction that failed in its block used its fee, and can look like one that moved value.
  if (event._tag === "Found") return "final"
  return event._tag === "Overtaken" ? "feeOnly" : "released"
}
