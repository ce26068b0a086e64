/** The transactions that move nothing: they open an account, or fill a nonce that payments wait behind. */
import * as Address from "@effect-klaytn/core/Address"
import type { FeePayer } from "@effect-klaytn/wallet/FeeDelegation"
import * as NonceBook from "@effect-klaytn/wallet/NonceBook"
import type { NotSent } from "@effect-klaytn/wallet/SendOutcome"
import * as SpendPolicy from "@effect-klaytn/wallet/SpendPolicy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { isPassing } from "./answers.js"
import * as books from "./books.js"
import * as clocks from "./clock.js"
import type { Context } from "./context.js"
import { alertOnce, apply, backoff, plan, withRouting } from "./context.js"
import * as signatures from "./signatures.js"
import type { Stored } from "./store.js"

/** How long one process may take to open an account before another one tries. */
const openingLease = Duration.seconds(10)

/**
 * Opens an account that has sent nothing, by a transaction of no value to itself: payouts never use nonce 0, which a request
 * can't name. A copy of that transaction costs its fee and moves nothing. Returns false if the payout was changed meanwhile,
 * or was refused because its account can't be opened. A refusal that may pass does not end the payout.
 */
export const openAccount = (
  context: Context,
  { content, key, version }: Stored,
  from: Address.Address
): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    const { chain } = content
    for (let turn = 1;; turn++) {
      const { mined, next } = yield* books.count(context, chain, from)
      if (mined > 0) {
        yield* context.store.opened(chain, from, mined)
        return true
      }
      const payout = yield* context.store.get(key)
      if (payout.version !== version) return false
      // What waits at the node opens the account, whoever sent it: a copy would only cost a fee.
      const problem = next > 0 ? undefined : yield* sendOpening(context, payout, from)
      if (problem !== undefined && problem.reason !== undefined) {
        yield* apply(context, key, { _tag: "NotAllowed", ...problem })
        return false
      }
      const why = problem === undefined ? "" : `: ${problem.problem}`
      yield* alertOnce(
        context,
        payout,
        `its account has sent nothing yet, and its opening transaction is in no block${why}`
      )
      yield* Effect.sleep(backoff(context, turn))
    }
  })

/** Whether the same opening may be taken later: the node refused it for what it has now, which is not the account's funds. */
const mayPass = (refusal: NotSent): boolean =>
  isPassing(refusal) || refusal.proof === "lookup" && refusal.reason._tag !== "InsufficientFunds"

/** Sends the opening transaction, unless another process is sending it. Returns why it was not sent; with a reason, it never will be. */
const sendOpening = (context: Context, payout: Stored, from: Address.Address) =>
  Effect.gen(function*() {
    const { content } = payout
    const { payer } = content
    // If the sender pays the fee, it is a legacy transaction, which every service supports.
    const _tag = payer._tag === "SenderPays" ? "Legacy" : "Value"
    const opening = yield* plan(context, content, { request: { _tag, from, to: from, value: 0n }, payer })
    const spend = SpendPolicy.ofPlan(opening)
    const allowed = yield* Effect.either(context.policy.authorise(spend))
    if (Either.isLeft(allowed)) return { reason: allowed.left._tag, problem: allowed.left.message }
    const lease = yield* context.store.beginOpening(content.chain, from, spend, Duration.toMillis(openingLease))
    if (lease._tag === "Busy") return undefined
    if (lease._tag === "OverLimit") return { reason: "SpendRefused", problem: lease.problem }
    if ((yield* signatures.ofCancellation(context, content, 0)) !== undefined) return undefined
    yield* Effect.logInfo(`payouts: opening the account ${from} by a transaction of no value to itself`)
    const outcome = yield* Effect.either(
      context.permits.withPermits(1)(context.transactions.execute(opening).pipe(withRouting(content)))
    )
    if (Either.isRight(outcome)) return undefined
    const { left } = outcome
    yield* Effect.logWarning(`payouts: opening the account ${from}: ${left.message}`)
    if (left._tag === "SendUnknown") return undefined
    if (mayPass(left)) return { reason: undefined, problem: left.reason.message }
    // No request of the payment was sent, so it can be refused. A late copy of the opening moves nothing.
    yield* context.store.endOpening(content.chain, from)
    const problem = `its account ${
      Address.checksum(from)
    } has sent nothing yet, and could not be opened by a transaction whose fee ${
      payerText(payer)
    } pays: ${left.reason.message}; nothing of the payment was sent: once that is mended, pay under a new key`
    return { reason: left.reason._tag, problem }
  })

/** Who pays a fee, in words. */
const payerText = (payer: FeePayer): string => {
  if (payer._tag === "UserFeePayer") return `the fee payer ${Address.checksum(payer.address)}`
  return payer._tag === "SenderPays" ? "the account itself" : "the service's global fee payer"
}

/**
 * Whether a payment has waited for long, and the node has no transaction with the nonce that it waits behind. Then those from this one
 * on that were counted as taken, and are not, are free again.
 */
const isGone = (
  context: Context,
  { content: { chain, request: { from } }, since }: Stored,
  nonce: number,
  own: number
) =>
  Effect.gen(function*() {
    const age = clocks.since(yield* context.store.now(), since)
    if (age <= Duration.toMillis(context.stuckAfter)) return false
    const isAgreed = NonceBook.isOutOfReach(nonce, own)
      ? yield* books.isUnreachable(context, chain, from, nonce, own)
      : yield* books.isNext(context, chain, from, nonce)
    if (!isAgreed) return false
    yield* context.store.retreat(chain, from, nonce)
    return true
  })

/** The most nonces that one look of a payout fills: a node runs at least so many of an account one after the other. */
const mostFilled = 16

/**
 * Fills unused nonces with cancellations if this payout waits behind them. Either a payout that was refused or cancelled
 * left a nonce and no other payment used it, or the nonce was counted as taken by a transaction of another program, which
 * is in no block and which the node no longer knows. If another transaction uses the nonce at the same time, a block decides
 * which of the two is executed, and a payout that loses its nonce gets another one. Nothing is filled below a nonce that is out of reach: a
 * node counted transactions that the chain does not have.
 */
export const fillGaps = (context: Context, payout: Stored, next: number, own: number): Effect.Effect<void> =>
  Effect.gen(function*() {
    const gone = yield* isGone(context, payout, next, own)
    if (NonceBook.isOutOfReach(next, own)) {
      const problem = `its nonce ${own} is far above ${next}, the next one of its account: no block can have it; ` +
        "cancel it, and pay under a new key once it has ended"
      return yield* alertOnce(context, payout, problem)
    }
    for (let nonce = next; nonce < Math.min(own, next + mostFilled); nonce++) {
      yield* fillGap(context, payout, nonce, gone && nonce === next)
    }
  })

const fillGap = (context: Context, payout: Stored, nonce: number, gone: boolean): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { content, key } = payout
    const { payer, request: { from } } = content
    const filling = yield* plan(context, content, { request: { _tag: "Cancel", from, nonce }, payer })
    const spend = SpendPolicy.ofPlan(filling)
    const allowed = yield* Effect.either(context.policy.authorise(spend))
    if (Either.isLeft(allowed)) {
      return yield* Effect.logWarning(`payout ${key} waits behind nonce ${nonce}: ${allowed.left.message}`)
    }
    if (!(yield* context.store.countGap(content.chain, from, nonce, gone, spend))) return
    if ((yield* signatures.ofCancellation(context, content, nonce)) !== undefined) return
    yield* Effect.logInfo(`payout ${key} waits behind nonce ${nonce}, which is unused: a cancellation fills it`)
    yield* context.transactions.execute(filling).pipe(
      withRouting(content),
      context.permits.withPermits(1),
      Effect.catchAll((failed) => Effect.logWarning(`nonce ${nonce} of ${from}: ${failed.message}`))
    )
  })
