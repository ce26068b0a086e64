/** What the failure of a send's call proves, and what the chain shows about the send. */
import type * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import type { ReadError, ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as SendOutcome from "../../SendOutcome.js"
import type { SendPlan } from "../../SendPlan.js"
import * as WalletCode from "../../WalletCode.js"
import * as intents from "../plans/transactionIntent.js"
import type { Lookup } from "./lookup.js"
import * as reconciling from "./reconcile.js"

export type SendFailure = SendOutcome.NotSent | SendOutcome.SendUnknown

/** A send whose call was made. */
export interface Attempted extends Omit<reconciling.PendingSend, "hash"> {
  readonly lookup: Lookup
  readonly plan: SendPlan
  /** The failure of a send whose outcome is not known. */
  readonly unknown: (
    reason: string,
    cause?: ServiceError,
    hash?: Hash.Hash,
    answered?: number
  ) => SendOutcome.SendUnknown
}

type Outcome = Effect.Effect<SendOutcome.Submission, SendFailure>

/** A failure under its own tag, if it has one. */
export const named = <E extends ServiceError>(error: E): E | SendOutcome.InsufficientFunds => {
  const who = "code" in error ? WalletCode.insufficientFunds(error) : undefined
  if (who === undefined) return error
  return new SendOutcome.InsufficientFunds({ ...(who === "unclear" ? {} : { who }), refusal: error })
}

export const notSent = (
  reason: SendOutcome.NotSent["reason"],
  proof: SendOutcome.Proof
): Effect.Effect<never, SendOutcome.NotSent> => Effect.fail(new SendOutcome.NotSent({ reason, proof }))

/** A send that a look-up found. */
const asSent = ({ plan }: Attempted, found: SendOutcome.FoundTransaction): SendOutcome.Sent => ({
  _tag: "Sent",
  transactionHash: found.transactionHash,
  from: found.from,
  nonce: found.nonce,
  paidBy: SendOutcome.paidBy(plan.payer, found),
  result: undefined,
  found
})

const namedHash = (error: ServiceError): Hash.Hash | undefined => {
  const text = "serviceMessage" in error ? WalletCode.namedHash(error) : undefined
  return text === undefined ? undefined : Either.getOrUndefined(Hash.make(text))
}

/** Whether an attempt was answered. Attempts without a status left nothing behind, unless the error says otherwise. */
const wasAnswered = ({ status }: ServiceError["attempts"][number]): boolean => status !== undefined

/** Whether an attempt before the last one may have been carried out. */
const hasEarlierAttempt = ({ _tag, attempts }: ServiceError): boolean =>
  _tag === "OutcomeUnknown" ? attempts.length > 1 : attempts.slice(0, -1).some(wasAnswered)

/** Whether the service reports a failure of its node without the node's message: the node may have accepted the send. */
const isNodeSilent = (error: ServiceError): boolean =>
  "code" in error && error.code === WalletCode.codes.nodeRefused && WalletCode.nodeMessage(error) === undefined

const ask = (
  { lookup, ...send }: Attempted,
  hash: Hash.Hash | undefined
): Effect.Effect<SendOutcome.SendVerdict, SendOutcome.LookupFailed> =>
  reconciling.reconcile(lookup, { ...send, hash: intents.hashToFind(send.owner.intent, hash) })

/**
 * The nonce is taken, but the answer does not say by which transaction: another copy of this request may have taken it.
 * Only a block that holds another transaction proves that this send can never be executed.
 */
const ofTaken = (send: Attempted, error: ServiceError): Outcome => {
  const hash = namedHash(error)
  const unknown = (reason: string, found: Hash.Hash | undefined = hash) =>
    Effect.fail(send.unknown(reason, error, found))
  if (send.owner.nonce === undefined) {
    return unknown(
      "the service says that a nonce is taken which it chose itself: another copy of the request may have it"
    )
  }
  return Effect.matchEffect(ask(send, hash), {
    onFailure: (failed) => unknown(`the nonce is taken, and the look-up of what took it failed: ${failed.message}`),
    onSuccess: (verdict): Outcome => {
      if (verdict._tag === "NotExecuted" || verdict._tag === "Ambiguous") {
        return unknown("the service says that the nonce is taken, and no block shows yet what took it")
      }
      const { transaction: by } = verdict
      if (verdict._tag === "Superseded") {
        const content = intents.compare(send.owner.intent, by)
        return notSent(new SendOutcome.NonceTaken({ nonce: by.nonce, by, content, refusal: error }), "block")
      }
      return intents.isSigned(send.owner.intent, by) || hasEarlierAttempt(error)
        ? Effect.succeed(asSent(send, by))
        : unknown(
          "the nonce is taken by a transaction with the same content: it may be this send or an earlier one",
          by.transactionHash
        )
    }
  })
}

/**
 * The account's next nonce, waiting transactions included, shows a send with a nonce only if the node has all
 * transactions before it. Behind a gap the send waits and is not counted, and a node that is behind does not have it.
 */
const decideByNonce = (send: Attempted, error: ReadError, nonce: number, next: number): Outcome => {
  if (next > nonce) return ofTaken(send, error)
  if (next === nonce) return notSent(named(error), "lookup")
  const known = `the node knows ${next} transactions of the account, so it would not show nonce ${nonce}`
  return Effect.fail(send.unknown(`the service refused it, and ${known}`, error))
}

/** Whether the chain or its pool shows a transaction that may be this send, which names no nonce. */
const showsAlike = Effect.fnUntraced(function*(send: Attempted, address: Address.Address) {
  const { lookup, nonces } = send
  const verdict = yield* ask(send, undefined)
  if (verdict._tag !== "NotExecuted" || nonces === undefined) return true
  // A look-up does not show the content of waiting transactions. One that did not wait before may be this send.
  const next = yield* lookup.nextNonce(address, "pending")
  if (next < nonces.afterWaiting) return yield* reconciling.nodeIsBehind(next, nonces.afterWaiting - 1)
  return next > Math.max(verdict.nextNonce ?? nonces.next, nonces.afterWaiting)
})

/**
 * The only attempt was refused for a reason that depends on state: another copy of the request may have been accepted.
 * The chain is asked once whether it shows one.
 */
const ofDenied = (send: Attempted, error: ReadError): Outcome => {
  const { lookup, owner } = send
  const unknown = (reason: string) => Effect.fail(send.unknown(`the service refused it, and ${reason}`, error))
  const { from: address } = owner.intent
  if (address === undefined) return unknown("it can't be looked up: its sender is not known")
  return Effect.gen(function*() {
    const hash = intents.hashToFind(owner.intent)
    const found = hash === undefined ? Option.none() : yield* lookup.byHash(hash)
    if (Option.isSome(found)) return Effect.succeed(asSent(send, found.value))
    if (owner.nonce !== undefined) {
      return decideByNonce(send, error, owner.nonce, yield* lookup.nextNonce(address, "pending"))
    }
    return (yield* showsAlike(send, address))
      ? unknown("the chain shows a transaction that may be this send")
      : notSent(named(error), "lookup")
  }).pipe(Effect.matchEffect({
    onFailure: (failed) => unknown(`the look-up of what became of it failed: ${failed.message}`),
    onSuccess: (outcome): Outcome => outcome
  }))
}

/** What a failed call means for its send. */
export const ofFailure = (send: Attempted, error: ServiceError): Outcome => {
  if (error._tag !== "OutcomeUnknown" && !error.attempts.some(wasAnswered)) return notSent(error, "unsent")
  if ("code" in error && WalletCode.saysTaken(error)) return ofTaken(send, error)
  if (error._tag === "OutcomeUnknown") return Effect.fail(send.unknown(error.reason, error, namedHash(error)))
  if (isNodeSilent(error) || hasEarlierAttempt(error)) {
    return Effect.fail(send.unknown("the answer does not say what became of it", error))
  }
  return "code" in error && WalletCode.isPermanent(error) ? notSent(error, "refused") : ofDenied(send, error)
}
