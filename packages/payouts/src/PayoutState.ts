/**
 * The state machine of a payout: {@link step} is a pure function from a state and an event to the next state. Nothing
 * else decides about money.
 *
 * **Details**
 *
 * | State | What it means |
 * |---|---|
 * | `Planned` | accepted and stored; nothing was done yet |
 * | `WaitingForApproval` | above the limit: it waits for a person |
 * | `Reserved` | it has a nonce, and nobody is sending it now |
 * | `Sending` | about to be sent, or under way: stored before the request leaves |
 * | `Unknown` | a send may or may not have arrived: the chain is asked, nothing is sent |
 * | `Sent` | the service accepted it, or the chain shows it waiting |
 * | `Superseded` | another transaction took its nonce, so this attempt can never execute: it is planned anew |
 * | `Executed` | in a block, successful: the end |
 * | `Refused` | refused for certain, or failed in its block: the end |
 * | `GivenUp` | given up by a person, and certain never to execute: the end |
 *
 * An attempt is one nonce. `sends` counts the sends of the attempt that were begun; `doubt` says that one of them may
 * still arrive, so that the refusal of a later one proves nothing. While there is doubt, only the chain ends it.
 *
 * A payout that was given up while something of it may be under way is `stopped`: from then on only the cancellation of
 * its nonce is sent, and no other nonce is ever reserved for it.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

const Nonce = Schema.NonNegativeInt

const attempt = {
  attempt: Schema.Int.pipe(Schema.positive()),
  nonce: Nonce,
  sends: Schema.NonNegativeInt,
  doubt: Schema.Boolean,
  /** Reserved as the account's first transaction: the service chooses the nonce, and the content carries a mark. */
  first: Schema.Boolean,
  /** A person gave it up: instead of the payment, a cancellation of its nonce is sent. */
  stopped: Schema.Boolean
}

const Planned = Schema.TaggedStruct("Planned", { approved: Schema.Boolean })
const WaitingForApproval = Schema.TaggedStruct("WaitingForApproval", { problem: Schema.String })
const Reserved = Schema.TaggedStruct("Reserved", attempt)
const Sending = Schema.TaggedStruct("Sending", attempt)
const Unknown = Schema.TaggedStruct("Unknown", {
  ...attempt,
  problem: Schema.String,
  transactionHash: Schema.optional(Hash.Hash)
})
const Sent = Schema.TaggedStruct("Sent", { ...attempt, transactionHash: Hash.Hash })
const Superseded = Schema.TaggedStruct("Superseded", {
  attempt: attempt.attempt,
  nonce: Nonce,
  by: Schema.optional(Hash.Hash)
})
const Executed = Schema.TaggedStruct("Executed", {
  attempt: attempt.attempt,
  nonce: Nonce,
  transactionHash: Hash.Hash,
  block: Schema.NonNegativeInt
})
const Refused = Schema.TaggedStruct("Refused", {
  reason: Schema.String,
  problem: Schema.String,
  /** If it failed in a block: it used its nonce and its fee, and moved nothing. */
  transactionHash: Schema.optional(Hash.Hash),
  block: Schema.optional(Schema.NonNegativeInt)
})
const GivenUp = Schema.TaggedStruct("GivenUp", { problem: Schema.String })

/**
 * The schema of the states.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PayoutState = Schema.Union(
  Planned,
  WaitingForApproval,
  Reserved,
  Sending,
  Unknown,
  Sent,
  Superseded,
  Executed,
  Refused,
  GivenUp
).annotations({ identifier: "PayoutState" })

/**
 * A state.
 *
 * @since 0.1.0
 * @category models
 */
export type PayoutState = typeof PayoutState.Type

/**
 * The name of a state.
 *
 * @since 0.1.0
 * @category models
 */
export type Tag = PayoutState["_tag"]

/**
 * The names of the states, in the order in which a payout usually has them.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Tag = Schema.Literal(
  "Planned",
  "WaitingForApproval",
  "Reserved",
  "Sending",
  "Unknown",
  "Sent",
  "Superseded",
  "Executed",
  "Refused",
  "GivenUp"
)

/** Which send an answer belongs to. */
const send = { attempt: attempt.attempt, send: Schema.Int.pipe(Schema.positive()) }

/**
 * The schema of the events.
 *
 * - `ApprovalNeeded`, `Approved`, `Stopped`: a limit, and a person's yes or no.
 * - `Reserved`: it got a nonce. `PolicyRefused`: the policy does not allow it.
 * - `SendBegun`: it is about to be sent.
 * - The answers to that send: `Accepted`; `Denied`, for certain not sent, and `final` if it never will be; `Taken`, for
 *   certain not sent, since another transaction has the nonce; `Unclear`.
 * - What the chain says about the attempt: `Found` in a block; `Seen` waiting; `Overtaken` by another transaction, in a
 *   block, with its nonce; `Absent`, nothing has the nonce yet.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PayoutEvent = Schema.Union(
  Schema.TaggedStruct("ApprovalNeeded", { problem: Schema.String }),
  Schema.TaggedStruct("Approved", {}),
  Schema.TaggedStruct("Stopped", { problem: Schema.String }),
  Schema.TaggedStruct("PolicyRefused", { reason: Schema.String, problem: Schema.String }),
  Schema.TaggedStruct("Reserved", { nonce: Nonce, from: Address.Address }),
  Schema.TaggedStruct("SendBegun", {}),
  Schema.TaggedStruct("Accepted", { ...send, nonce: Nonce, transactionHash: Hash.Hash }),
  Schema.TaggedStruct("Denied", { ...send, final: Schema.Boolean, reason: Schema.String, problem: Schema.String }),
  Schema.TaggedStruct("Taken", { ...send, by: Schema.optional(Hash.Hash) }),
  Schema.TaggedStruct("Unclear", { ...send, problem: Schema.String, transactionHash: Schema.optional(Hash.Hash) }),
  Schema.TaggedStruct("Found", {
    attempt: attempt.attempt,
    nonce: Nonce,
    transactionHash: Hash.Hash,
    block: Schema.NonNegativeInt,
    succeeded: Schema.Boolean
  }),
  Schema.TaggedStruct("Seen", { attempt: attempt.attempt, nonce: Nonce, transactionHash: Hash.Hash }),
  Schema.TaggedStruct("Overtaken", { attempt: attempt.attempt, by: Hash.Hash }),
  Schema.TaggedStruct("Absent", { attempt: attempt.attempt })
).annotations({ identifier: "PayoutEvent" })

/**
 * An event.
 *
 * @since 0.1.0
 * @category models
 */
export type PayoutEvent = typeof PayoutEvent.Type

/**
 * A payout that nobody has worked on yet.
 *
 * @since 0.1.0
 * @category constructors
 */
export const initial: PayoutState = { _tag: "Planned", approved: false }

/**
 * Whether a state is an end: it never changes again.
 *
 * @since 0.1.0
 * @category guards
 */
export const isEnd = (
  state: PayoutState
): state is Extract<PayoutState, { _tag: "Executed" | "Refused" | "GivenUp" }> =>
  state._tag === "Executed" || state._tag === "Refused" || state._tag === "GivenUp"

/** The states in which an attempt is under way. */
type Underway = Extract<PayoutState, { readonly stopped: boolean }>

const isUnderway = (state: PayoutState): state is Underway => "stopped" in state

const attemptOf = ({ attempt, doubt, first, nonce, sends, stopped }: Underway) => ({
  attempt,
  nonce,
  sends,
  doubt,
  first,
  stopped
})

/** Why an event is ignored in a state, as text. */
type Stale = string

/**
 * The state after an event, or `Left` with the reason why the event is ignored: it belongs to another attempt or an
 * earlier send, or it can't happen in this state.
 *
 * @since 0.1.0
 * @category transitions
 */
export const step = (state: PayoutState, event: PayoutEvent): Either.Either<PayoutState, Stale> => {
  const stale = Either.left(`${event._tag} does not count when ${state._tag}`)
  switch (event._tag) {
    case "ApprovalNeeded":
      return state._tag === "Planned" && !state.approved
        ? Either.right({ _tag: "WaitingForApproval", problem: event.problem })
        : stale
    case "Approved":
      return state._tag === "WaitingForApproval" ? Either.right({ _tag: "Planned", approved: true }) : stale
    case "PolicyRefused":
      return state._tag === "Planned" || state._tag === "Superseded"
        ? Either.right({ _tag: "Refused", reason: event.reason, problem: event.problem })
        : stale
    case "Reserved":
      return state._tag === "Planned" || state._tag === "Superseded"
        ? Either.right({
          _tag: "Reserved",
          attempt: state._tag === "Superseded" ? state.attempt + 1 : 1,
          nonce: event.nonce,
          sends: 0,
          doubt: false,
          first: event.nonce === 0,
          stopped: false
        })
        : stale
    case "Stopped":
      return stop(state, event.problem)
    case "SendBegun":
      return state._tag === "Reserved"
        ? Either.right({ ...attemptOf(state), _tag: "Sending", sends: state.sends + 1 })
        : stale
    default:
      if (!isUnderway(state) || state.attempt !== event.attempt) return stale
      return "send" in event ? answer(state, event) : lookUp(state, event)
  }
}

/** If nothing can have left, it ends at once. Otherwise only another transaction with its nonce proves that it never executes. */
const stop = (state: PayoutState, problem: string): Either.Either<PayoutState, Stale> => {
  if (isEnd(state)) return Either.left(`it has ended already: ${state._tag}`)
  if (!isUnderway(state) || (state._tag === "Reserved" && !state.doubt)) {
    return Either.right({ _tag: "GivenUp", problem })
  }
  if (state.nonce === 0) {
    return Either.left("it may arrive as the account's first transaction, whose nonce can't be cancelled by its number")
  }
  return state.stopped ? Either.left("it was given up already") : Either.right({ ...state, stopped: true })
}

/** A positive answer counts whenever it comes. Any other is about one send, and counts only while that is the last one. */
const answer = (
  state: Underway,
  event: Extract<PayoutEvent, { readonly send: number }>
): Either.Either<PayoutState, Stale> => {
  const attempt = attemptOf(state)
  if (event._tag === "Accepted") {
    return state._tag === "Sent"
      ? Either.left("it is known to be sent")
      : Either.right({ ...attempt, _tag: "Sent", nonce: event.nonce, transactionHash: event.transactionHash })
  }
  if (state._tag !== "Sending" || state.sends !== event.send) return Either.left(`${event._tag} is of an earlier send`)
  if (event._tag === "Unclear") {
    const { problem, transactionHash } = event
    return Either.right({ ...attempt, _tag: "Unknown", doubt: true, problem, transactionHash })
  }
  if (state.doubt) {
    const problem = event._tag === "Taken" ? "the nonce is taken, perhaps by an earlier send" : event.problem
    return Either.right({ ...attempt, _tag: "Unknown", problem })
  }
  // Nothing of it was sent, and a person has said no: nothing is left to be cancelled.
  if (state.stopped) return Either.right({ _tag: "GivenUp", problem: "it was given up, and not sent" })
  if (event._tag === "Taken") {
    return Either.right({ _tag: "Superseded", attempt: state.attempt, nonce: state.nonce, by: event.by })
  }
  return event.final
    ? Either.right({ _tag: "Refused", reason: event.reason, problem: event.problem })
    : Either.right({ ...attempt, _tag: "Reserved" })
}

/** What the chain says counts in every state of the attempt, except that what was never sent can't be found. */
const lookUp = (
  state: Underway,
  event: Extract<PayoutEvent, { readonly _tag: "Found" | "Seen" | "Overtaken" | "Absent" }>
): Either.Either<PayoutState, Stale> => {
  const attempt = attemptOf(state)
  const maySent = state._tag !== "Reserved" || state.doubt
  switch (event._tag) {
    case "Found": {
      if (!maySent) return Either.left("nothing was sent")
      const { block, nonce, succeeded, transactionHash } = event
      return Either.right(
        succeeded
          ? { _tag: "Executed", attempt: state.attempt, nonce, transactionHash, block }
          : { _tag: "Refused", reason: "Failed", problem: `it failed in block ${block}`, transactionHash, block }
      )
    }
    case "Seen":
      // It waits: now its cancellation can be sent, which replaces it if it comes before the block.
      if (state.stopped && maySent && state._tag !== "Reserved") {
        return Either.right({ ...attempt, _tag: "Reserved", nonce: event.nonce, doubt: true })
      }
      return !maySent || state.stopped || (state._tag === "Sent" && state.transactionHash === event.transactionHash)
        ? Either.left("nothing new")
        : Either.right({ ...attempt, _tag: "Sent", nonce: event.nonce, transactionHash: event.transactionHash })
    case "Overtaken":
      if (state.nonce === 0) return Either.left("nonce 0 was not named, so it can't be overtaken")
      return Either.right(
        state.stopped
          ? { _tag: "GivenUp", problem: `another transaction has its nonce: ${event.by}` }
          : { _tag: "Superseded", attempt: state.attempt, nonce: state.nonce, by: event.by }
      )
    case "Absent":
      if (state._tag === "Reserved") return Either.left("nobody is sending it")
      // The service would choose a nonce anew, and the earlier send may still arrive.
      if (state.nonce === 0) return Either.left("without a named nonce it is never sent again")
      return Either.right({ ...attempt, _tag: "Reserved", doubt: true })
  }
}

/**
 * What a transition means for the nonce of the attempt: it is taken for good, free again, or in doubt.
 *
 * @since 0.1.0
 * @category transitions
 */
export const nonceAfter = (
  before: PayoutState,
  event: PayoutEvent,
  after: PayoutState
): { readonly nonce: number; readonly fate: "confirmed" | "released" | "suspected" } | undefined => {
  if (!isUnderway(before)) return undefined
  const { nonce } = before
  switch (event._tag) {
    case "Accepted":
    case "Found":
    case "Seen":
    case "Overtaken":
    case "Taken":
      return after._tag === "Unknown" ? { nonce, fate: "suspected" } : { nonce, fate: "confirmed" }
    case "Denied":
    case "Stopped":
      return isEnd(after) ? { nonce, fate: "released" } : undefined
    case "Unclear":
      return { nonce, fate: "suspected" }
    default:
      return undefined
  }
}

/**
 * Whether a transition makes certain that what the attempt reserved was not spent. A transaction that failed in its block
 * counts as spent: it used its fee.
 *
 * @since 0.1.0
 * @category transitions
 */
export const isUnspent = (before: PayoutState, event: PayoutEvent, after: PayoutState): boolean =>
  isUnderway(before) && (after._tag === "Superseded" || after._tag === "GivenUp" ||
    (after._tag === "Refused" && event._tag === "Denied"))
