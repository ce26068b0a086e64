/** What answers of the wallet and verdicts of look-ups mean for a payout. An answer never proves that nothing happened. */
import type { FeePayer } from "@effect-klaytn/wallet/FeeDelegation"
import * as SendOutcome from "@effect-klaytn/wallet/SendOutcome"
import type { Told } from "@effect-klaytn/wallet/TransactionResult"
import * as WalletCode from "@effect-klaytn/wallet/WalletCode"
import * as Either from "effect/Either"
import type * as PayoutState from "../PayoutState.js"

const unsettled = ["Sending", "Unknown", "Sent", "WaitingForSignatures"] as const

/** A state in which a request may have been sent: the chain decides what comes next. */
export type Unsettled = Extract<PayoutState.PayoutState, { readonly _tag: typeof unsettled[number] }>

export const isUnsettled = (state: PayoutState.PayoutState): state is Unsettled =>
  unsettled.some((tag) => tag === state._tag)

/** Whether the wallet signs nothing for now, frozen or full, which ends: nothing of the payment was signed. */
export const isFrozen = ({ reason }: SendOutcome.NotSent): boolean =>
  "code" in reason && ["frozen", "keyUnknown", "tooMany"].includes(WalletCode.name(reason) ?? "")

/** Whether the same send may succeed later: the service was not reached, or did not refuse the payment itself. */
export const isPassing = (refusal: SendOutcome.NotSent): boolean => {
  const { reason } = refusal
  return isFrozen(refusal) || "category" in reason && reason.category !== "caller" && reason.category !== "refused"
}

/** What the outcome of a send means for the payout. `NotSent.proof` says how certain a refusal is. */
export const eventOf = (
  { attempt, closing, sends: send }: Extract<PayoutState.PayoutState, { readonly _tag: "Sending" }>,
  outcome: Either.Either<SendOutcome.Submission, SendOutcome.NotSent | SendOutcome.SendUnknown>
): PayoutState.PayoutEvent => {
  const of = { attempt, send }
  if (Either.isRight(outcome)) {
    const { right } = outcome
    if (right._tag === "Pending") {
      return { ...of, _tag: "SignaturesMissing", transactionId: right.transactionId, paidBy: right.paidBy }
    }
    if (closing !== undefined) return { ...of, _tag: "Unclear", problem: "a cancellation of its nonce was sent" }
    if (right._tag !== "Sent") return { ...of, _tag: "Unclear", problem: `the service answered ${right._tag}` }
    const { nonce, paidBy, transactionHash } = right
    return { ...of, _tag: "Accepted", nonce, transactionHash, paidBy }
  }
  const { left } = outcome
  if (left._tag === "SendUnknown") {
    // Whatever became of another copy, the payment closes: only a cancellation of its nonce is sent from now on.
    if (closing === undefined && left.cause?._tag === "InsufficientFunds") {
      return { ...of, _tag: "Denied", forGood: false, reason: left.cause._tag, problem: left.cause.message }
    }
    const transactionHash = closing === undefined ? left.send.hash : undefined
    return { ...of, _tag: "Unclear", problem: left.reason, transactionHash }
  }
  if (closing !== undefined) return { ...of, _tag: "CancelDenied", problem: left.message }
  const { proof, reason } = left
  // The look-up that follows finds it too, and knows whether its block may still be moved.
  if (reason._tag === "NonceTaken") return { ...of, _tag: "Unclear", problem: reason.message }
  if (isPassing(left)) return { ...of, _tag: "Unclear", problem: reason.message }
  return { ...of, _tag: "Denied", forGood: proof !== "lookup", reason: reason._tag, problem: reason.message }
}

/** The event of a transaction in a block, if it is known whether the transaction succeeded. `payer` should pay its fee. */
export const foundOf = (
  attempt: number,
  payer: FeePayer,
  found: SendOutcome.FoundTransaction
): Extract<PayoutState.PayoutEvent, { readonly _tag: "Found" }> | undefined => {
  const { block, nonce, state, transactionHash } = found
  if (block === undefined || (state !== "succeeded" && state !== "failed")) return undefined
  const succeeded = state === "succeeded"
  return { _tag: "Found", attempt, nonce, transactionHash, block, succeeded, paidBy: SendOutcome.paidBy(payer, found) }
}

/** Why the wallet does not make a payment, in words of its node. */
const refusalOf = ({ reason: problem = "the wallet cancels it" }: Told) => ({
  reason: /\binsufficient (funds|balance)\b/i.test(problem) ? "InsufficientFunds" : "CancelledByWallet",
  problem
})

/** What the wallet tells of the payment at a nonce that a block has: that it has cancelled it, or nothing. */
const cancellationOf = (told: Told | undefined) => told?.stage === "cancelled" ? { cancelled: refusalOf(told) } : {}

/** What the wallet tells of a payment that waits: it does not wait for funds, which an order of the caller's has to bring anyway. */
const eventOfTold = (
  { attempt, closing }: Unsettled,
  told: Told
): Extract<PayoutState.PayoutEvent, { readonly _tag: "Rejected" }> | "wait" | undefined => {
  // The wallet repeats its cancellation, and that of the caller, until a block has it.
  if (told.stage === "cancelling" && closing !== undefined) return "wait"
  if (closing !== undefined) return undefined
  const refusal = refusalOf(told)
  return ["cancelling", "given up"].includes(told.stage) ||
      told.stage === "refused" && refusal.reason === "InsufficientFunds"
    ? { _tag: "Rejected", attempt, ...refusal }
    : undefined
}

/** A payment that its signers have not signed closes in the end: its cancellation is sent once, for the signers to choose from. */
const eventOfWaiting = (
  { attempt, closing, transactionId }: Extract<Unsettled, { readonly _tag: "WaitingForSignatures" }>,
  isLate: boolean
): PayoutState.PayoutEvent | undefined => {
  if (closing !== undefined) return closing.offered ? undefined : { _tag: "Absent", attempt }
  const problem = `not enough of its signers have signed ${transactionId} in time`
  return isLate ? { _tag: "Rejected", attempt, reason: "SignaturesMissing", problem } : undefined
}

/**
 * What a verdict means for the payout, whose fee `payer` should pay. `isLate` says whether an accepted transaction has had
 * time to get into a block, and `told` what the wallet tells of a payment whose nonce a block has.
 */
export const eventOfVerdict = (
  state: Unsettled,
  payer: FeePayer,
  verdict: SendOutcome.SendVerdict,
  { isLate, told }: { readonly isLate: boolean; readonly told?: Told | undefined }
): PayoutState.PayoutEvent | undefined => {
  const { attempt } = state
  switch (verdict._tag) {
    // Its hash may differ from the one in the answer: the service signs each copy of a request anew.
    case "Executed":
      return foundOf(attempt, payer, verdict.transaction)
    case "Waiting": {
      const { nonce, told, transactionHash } = verdict.transaction
      const event = told === undefined ? undefined : eventOfTold(state, told)
      if (event !== undefined) return event === "wait" ? undefined : event
      const isKnown = state._tag === "Sent" && state.closing === undefined && state.transactionHash === transactionHash
      return isKnown ? undefined : { _tag: "Seen", attempt, nonce, transactionHash }
    }
    case "Superseded":
      return { _tag: "Overtaken", attempt, by: verdict.transaction.transactionHash, ...cancellationOf(told) }
    case "NotExecuted":
      if (state._tag === "WaitingForSignatures") return eventOfWaiting(state, isLate)
      // An accepted transaction may still get into a block. If it is late, the node may have lost it: it is sent again.
      return state._tag !== "Sent" || state.closing !== undefined || isLate ? { _tag: "Absent", attempt } : undefined
    case "Ambiguous":
      return undefined
  }
}
