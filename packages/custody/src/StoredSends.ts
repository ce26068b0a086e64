/**
 * Sends that survive: each is stored with its signed bytes in the statement that takes its nonce, before anything is sent.
 *
 * **Details**
 *
 * Only stored bytes are ever sent, so however often a send is repeated, it can't run twice. An answer of the node that is lost
 * or in doubt is followed by the same bytes again. What became of a send is decided by blocks alone: the transaction is in one, or
 * another transaction with its nonce is. A request has the repair of its send for itself as long as it is at work; from then on a
 * request that is repeated does what `SendLife` says, as the keeper of sends does, and leaves what has to be signed to the keeper.
 */
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import { CurrentRequest } from "./CurrentRequest.js"
import { type CustodyFailure, TransactionRejected } from "./CustodyError.js"
import * as delivering from "./internal/sends/delivering.js"
import { nonces } from "./internal/wallet/nonces.js"
import { acceptResult } from "./internal/wallet/signing.js"
import * as SendOutcome from "./SendOutcome.js"
import type { Sends, Sent, Signed } from "./Sends.js"
import type { StoredSend } from "./SendStore.js"
import { priceOf } from "./TransactionFields.js"
import { CurrentCaller } from "./WalletCaller.js"

/**
 * The parts of stored sends.
 *
 * @category models
 */
export interface Parts extends delivering.Parts {}

type Failure = TransactionRejected | CustodyFailure

const taken = new TransactionRejected({
  reason: "NonceTaken",
  message: "there is another tx which has the same nonce in the tx pool"
})

/** The same for the first time: most answers come at once. */
const firstLeaseSeconds = 4

const cancelsOf = ({ type }: Transaction.Transaction): StoredSend["cancels"] =>
  type === "Cancel" || type === "FeeDelegatedCancel" || type === "FeeDelegatedCancelWithRatio" ? "own" : "none"

/** Finds what was stored before. */
const finding = ({ store }: Pick<Parts, "store">) => {
  /**
   * The attempt that stands for a payment: one at a higher price that is open or in a block, whatever became of the first. The request
   * of a payment knows the first.
   */
  const standing = (prior: StoredSend) =>
    Effect.gen(function*() {
      const live = yield* store.live(prior.account, prior.nonce)
      if (live?.payment === prior.payment) return live
      const winner = prior.winner === undefined ? undefined : yield* store.byHash(prior.winner)
      return winner?.payment === prior.payment ? winner : prior
    })

  /** The attempt of a payment that has a hash. */
  const ownAttempt = ({ payment }: StoredSend, hash: Hex) =>
    Effect.map(store.byHash(hash), (row) => row?.payment === payment ? delivering.sentOf(row) : undefined)

  /** The same transaction that was stored before, with or without another signature of a fee payer. */
  const known = (hash: Hex, senderHash: Hex, account: Hex, nonce: bigint) =>
    Effect.gen(function*() {
      const same = yield* store.byHash(hash)
      if (same !== undefined) return same
      const live = yield* store.live(account, nonce)
      return live?.senderHash === senderHash ? live : undefined
    })

  /** Says what a send waits for, if a transaction before it does not run. */
  const behind = (sent: Sent, account: Hex, nonce: bigint) =>
    Effect.map(
      store.stuckBefore(account, nonce),
      (stuck): Sent => stuck === undefined ? sent : { ...sent, waitsFor: { hash: stuck.hash, nonce: stuck.nonce } }
    )

  return { standing, ownAttempt, known, behind }
}

/**
 * Sends that are stored.
 *
 * @category constructors
 */
export const make = (parts: Parts): Sends => {
  const { chain, store } = parts
  const { first, resumed } = delivering.deliver(parts)
  const { behind, known, ownAttempt, standing } = finding(parts)
  const { checkNonce, nextNonce } = nonces(parts)

  /** Whether a send of the same request may still run, and its outcome if so. */
  const resume = (found: StoredSend): Effect.Effect<Sent | undefined, Failure> =>
    Effect.gen(function*() {
      const prior = yield* standing(found)
      if (prior.state === "mined") return delivering.sentOf(prior)
      if (prior.state === "replaced") return undefined
      if (prior.state === "open") return yield* resumed(prior)
      const verdict = yield* chain.verdict(prior)
      const now = yield* UnixTime.now
      if (verdict._tag === "mined") {
        yield* store.settle(prior, "mined", now)
        return delivering.sentOf(prior)
      }
      if (verdict._tag === "replaced") {
        yield* store.settle(prior, "replaced", now, { winner: verdict.by })
        return yield* ownAttempt(prior, verdict.by)
      }
      return (yield* store.retake(prior, now, now + firstLeaseSeconds))
        ? yield* first(prior)
        : yield* delivering.inDoubt(prior)
    })

  const prior = (account: Hex): Effect.Effect<Sent | undefined, Failure> =>
    Effect.gen(function*() {
      const request = yield* CurrentRequest
      const found = request === undefined ? undefined : yield* store.ofRequest(request, account)
      return found && (yield* resume(found))
    })

  const submit = ({ from, isRaisable = false, raw, transaction }: Signed): Effect.Effect<Sent, Failure> =>
    Effect.gen(function*() {
      const request = yield* CurrentRequest
      const resumed = yield* prior(from)
      if (resumed !== undefined) return resumed
      const hash = yield* acceptResult(Transaction.hash(transaction))
      const senderHash = yield* acceptResult(Transaction.senderHash(transaction))
      const caller = (yield* CurrentCaller)?.caller.name
      const { nonce } = transaction
      yield* checkNonce(from, nonce)
      const now = yield* UnixTime.now
      const send = yield* store.take({
        account: from,
        nonce,
        hash,
        senderHash,
        raw,
        price: priceOf(transaction),
        cancels: cancelsOf(transaction),
        request,
        isRaisable,
        caller,
        leasedUntil: now + firstLeaseSeconds
      }, now)
      if (send !== undefined) return yield* Effect.flatMap(first(send), (sent) => behind(sent, from, nonce))
      const same = yield* known(hash, senderHash, from, nonce)
      if (same === undefined) return yield* taken
      return (yield* resume(same)) ?? (yield* delivering.tooLow)
    })

  return {
    outcome: SendOutcome.ofHash(store),
    nextNonce,
    prior,
    submit
  }
}
