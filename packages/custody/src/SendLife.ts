/**
 * The life of a send: what is done next, decided from what is stored of it and from what the chain shows.
 *
 * **Details**
 *
 * A send is one payment at a nonce of an account. It may have several attempts, the same payment at higher and higher prices, and
 * several cancellations; at most one of them all can run. {@link next} decides alone: the keeper of sends and a request that is
 * repeated do what it says, and nothing else.
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { isOver, type Patience, type Refusal, type RefusalKind } from "./SendRefusal.js"

/**
 * Signed bytes at the nonce of a send of which no block has decided.
 *
 * @category models
 */
export interface Attempt {
  readonly hash: Hex
  /** The most that it pays for a unit of gas, in peb. */
  readonly price: bigint
  /** How often it was given to the node again. */
  readonly attempts: number
  /** Unix seconds of the last time. */
  readonly updatedAt: number
  /** Whether the global fee payer pays for it though it does not pay for the send. */
  readonly isOfGlobalPayer: boolean
  /** The last refusal; undefined once the node has taken the bytes. */
  readonly refusal: Refusal | undefined
}

/**
 * A send that no block has decided.
 *
 * @category models
 */
export interface SendRecord {
  /** The payment, in the order in which its attempts were signed. Empty if only a cancellation is stored. */
  readonly payments: ReadonlyArray<Attempt>
  readonly cancels: ReadonlyArray<Attempt>
  /** Whether the wallet alone can sign for the account: a nonce of another account can't be cancelled. */
  readonly canSign: boolean
  /** Whether the wallet made the payment: the price of what others have signed is theirs. */
  readonly canRaise: boolean
  /** The most that the limits of its caller let it pay for a unit of gas, in peb; undefined if nothing limits it. */
  readonly limitPrice: bigint | undefined
  /** Whether its caller was revoked. */
  readonly isRevoked: boolean
  /** Why it can't run though the node has it: no transaction has a nonce before it. Default: all before it have run or are there. */
  readonly gap?: string | undefined
  /** Until when one process or request repairs it alone, in Unix seconds. */
  readonly leasedUntil: number
}

/**
 * What the chain shows.
 *
 * @category models
 */
export interface View {
  /** Of the newest block, in peb. */
  readonly baseFee: bigint
  /** What the wallet pays today, in peb; undefined while the base fee is above the bound. */
  readonly price: bigint | undefined
  /** The wallet's bound, in peb. */
  readonly maxPrice: bigint
  readonly isFrozen: boolean
}

/**
 * Who pays for a cancellation: whoever pays for the send, or the global fee payer because that one has nothing.
 *
 * @category models
 */
export type CancelPayer = "own" | "global"

/**
 * Why bytes can't run, at their price or at their nonce, whatever the node says of them.
 *
 * @category models
 */
export interface Noted extends Pick<Refusal, "text"> {
  readonly kind: "price" | "limit" | "forbidden" | "gap"
}

/**
 * What is done next.
 *
 * @category models
 */
export type Step =
  /** Nothing now. `noted` says why the bytes can't run, if they can't. */
  | { readonly _tag: "Wait"; readonly noted?: Noted | undefined }
  /** The bytes of an attempt are given to the node again. */
  | { readonly _tag: "Submit"; readonly attempt: Attempt; readonly noted?: Noted | undefined }
  /** The same payment is signed again at a price. */
  | { readonly _tag: "Raise"; readonly price: bigint }
  /** A cancellation of the nonce is signed at a price. */
  | { readonly _tag: "Cancel"; readonly price: bigint; readonly payer: CancelPayer; readonly why: string }
  /** The wallet can do nothing more, and no longer sends the bytes. */
  | { readonly _tag: "GiveUp"; readonly why: string }

const wait: Step = { _tag: "Wait" }

/** The longest rest between two times that the same bytes are given to the node, in seconds: what it has taken, it may forget. */
const longestRest = 30

/** The same for bytes that it does not take: what passes may be over. */
const longestRefusedRest = 8

/**
 * How long the same bytes rest, in seconds: twice as long each time. Those that the node refuses rest as long as it has refused them: a
 * request that waits gives them many times in a few seconds, after which the node may take them.
 */
const restOf = ({ attempts, refusal, updatedAt }: Attempt): number =>
  refusal === undefined
    ? Math.min(2 ** Math.min(attempts, 6), longestRest)
    : Math.min(Math.max(updatedAt - refusal.since, 1), longestRefusedRest)

/** Whether the bytes were given to the node a moment ago. */
const isResting = (attempt: Attempt, now: number): boolean => now - attempt.updatedAt < restOf(attempt)

/** The base fee moves by a twentieth a block: after so many seconds, an attempt below it is signed again. */
const raiseAfter = 3

/** A node may want more than the base fee: after so many seconds of refusals of a price, it is raised all the same. */
const raiseBlindlyAfter = 2

/** An eighth more, within the bound. */
const dearer = (price: bigint, { maxPrice }: View): bigint => {
  const raised = price + (price + 7n) / 8n
  return raised < maxPrice ? raised : maxPrice
}

/** The refusals of bytes that can't run at their price. */
const ofPrice: ReadonlySet<RefusalKind> = new Set(["price", "limit", "forbidden"])

/** How often a raise is tried that another limit than that of the fee has forbidden, in seconds: limits change. */
const forbiddenRest = 600

/** Whether a raise was forbidden, and tried in the present one of such times, counted from the first. */
const isForbidden = ({ refusal, updatedAt }: Attempt, now: number): boolean =>
  refusal?.kind === "forbidden" &&
  Math.floor((now - refusal.since) / forbiddenRest) <= Math.floor((updatedAt - refusal.since) / forbiddenRest)

/** The price at which an attempt is signed again, or why it can't run as it is. */
interface Pricing {
  readonly price?: bigint
  readonly noted?: Noted
}

/** The same for an attempt that somebody is to raise. */
const raising = (attempt: Attempt, limitPrice: bigint | undefined, view: View, now: number, text: string): Pricing => {
  const { price: paid, refusal, updatedAt } = attempt
  const { baseFee, maxPrice, price } = view
  const noted = { kind: "price", text } as const
  if (price === undefined) {
    return { noted: { ...noted, text: `the base fee ${baseFee} is above ${maxPrice}, the most that the wallet pays` } }
  }
  const wanted = paid < baseFee ? price : dearer(paid > price ? paid : price, view)
  const raised = limitPrice === undefined || wanted < limitPrice ? wanted : limitPrice
  if (limitPrice !== undefined && limitPrice < baseFee) {
    const most = `${limitPrice}, the most that the largest fee of its caller lets it pay`
    return { noted: { kind: "limit", text: `${text}, which is above ${most}` } }
  }
  if (refusal !== undefined && isForbidden(attempt, now)) return { noted: { kind: "forbidden", text: refusal.text } }
  // What the node does not take, it does not have.
  const isTime = refusal !== undefined && ofPrice.has(refusal.kind) || now - updatedAt >= raiseAfter
  return raised > paid && isTime ? { price: raised } : { noted }
}

const pricing = (
  attempt: Attempt,
  { canRaise, limitPrice }: Pick<SendRecord, "canRaise" | "limitPrice">,
  view: View,
  now: number
): Pricing => {
  const { price: paid, refusal } = attempt
  const isBelow = paid < view.baseFee
  const isRefused = refusal?.kind === "price" && now - refusal.since >= raiseBlindlyAfter
  if (!isBelow && !isRefused) return {}
  const text = isBelow ? `its price ${paid} is below the base fee ${view.baseFee}` : refusal?.text ?? ""
  return canRaise
    ? raising(attempt, limitPrice, view, now, text)
    : { noted: { kind: "price", text: `${text}, and only its signer can raise the price` } }
}

/** The bytes again, after a rest. */
const resubmit = (attempt: Attempt, noted: Noted | undefined, now: number): Step =>
  isResting(attempt, now) ? { _tag: "Wait", noted } : { _tag: "Submit", attempt, noted }

const cancelling = (
  front: Attempt,
  { canSign }: SendRecord,
  view: View,
  patience: Patience,
  now: number
): Step => {
  const cancel = (price: bigint, payer: CancelPayer): Step => ({ _tag: "Cancel", price, payer, why: "" })
  const { isOfGlobalPayer, price, refusal, updatedAt } = front
  const payer = isOfGlobalPayer ? "global" : "own"
  const { noted, price: raised } = pricing(front, { canRaise: canSign, limitPrice: undefined }, view, now)
  if (raised !== undefined) return cancel(raised, payer)
  if (canSign && view.price !== undefined && refusal !== undefined && price < view.maxPrice) {
    if (refusal.kind === "funds" && !isOfGlobalPayer) return cancel(dearer(price, view), "global")
    if (now - updatedAt >= longestRest && isOver(refusal, patience, now)) return cancel(dearer(price, view), payer)
  }
  return resubmit(front, noted, now)
}

/** Why the nonce of a payment is cancelled; undefined if it is not. */
const reasonToCancel = ({ refusal }: Attempt, { isRevoked }: SendRecord, patience: Patience, now: number) =>
  isRevoked
    ? "its caller was revoked"
    : refusal !== undefined && isOver(refusal, patience, now)
    ? `the node refused it: ${refusal.text}`
    : undefined

/**
 * What is done next about a send of which no block has decided. Times are Unix seconds.
 *
 * @category decisions
 */
export const next = (record: SendRecord, view: View, patience: Patience, now: number): Step => {
  if (view.isFrozen || now < record.leasedUntil) return wait
  const cancel = record.cancels.at(-1)
  if (cancel !== undefined) return cancelling(cancel, record, view, patience, now)
  const front = record.payments.at(-1)
  if (front === undefined) return wait
  const why = reasonToCancel(front, record, patience, now)
  if (why !== undefined && !record.canSign) return { _tag: "GiveUp", why }
  if (why !== undefined && view.price !== undefined) return { _tag: "Cancel", price: view.price, payer: "own", why }
  const canRaise = record.canSign && record.canRaise
  const { noted, price } = pricing(front, { canRaise, limitPrice: record.limitPrice }, view, now)
  const { gap: text } = record
  const waits = noted ?? (text === undefined ? undefined : { kind: "gap" as const, text })
  return price === undefined ? resubmit(front, waits, now) : { _tag: "Raise", price }
}
