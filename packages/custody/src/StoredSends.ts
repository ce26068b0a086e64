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
import { type CustodyFailure, type StoreFailure, TransactionRejected, WalletRefused } from "./CustodyError.js"
import * as delivering from "./internal/sends/delivering.js"
import { winnerOf } from "./internal/sends/winning.js"
import { nonces } from "./internal/wallet/nonces.js"
import { checkRoom } from "./internal/wallet/room.js"
import { acceptResult, decodeStored } from "./internal/wallet/signing.js"
import * as SendOutcome from "./SendOutcome.js"
import type { Sends, Sent, Signed } from "./Sends.js"
import { endedByOwner, type StoredSend } from "./SendStore.js"
import { isCancel, priceOf } from "./TransactionFields.js"
import { currentOrigin } from "./WalletCaller.js"

/**
 * The parts of stored sends.
 *
 * @category models
 */
export interface Parts extends delivering.Parts {
  /** Why the wallet takes no new keys; undefined if it takes them. Default: it does. */
  readonly newKeysRefused?: Effect.Effect<string | undefined, StoreFailure> | undefined
}

type Failure = TransactionRejected | CustodyFailure

/** So many payments of a caller may be under way. */
const mostOpen = { all: 5000, ofAccount: 1000 }

const taken = new TransactionRejected({
  reason: "NonceTaken",
  message: "there is another tx which has the same nonce in the tx pool"
})

const ended = new TransactionRejected({
  reason: "Ended",
  message:
    "the owner of the wallet has ended this payment; what the node has of it may run until a block has another one with its nonce"
})

/** The same for the first time: most answers come at once. */
const firstLeaseSeconds = 4

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

  return { standing, known, behind }
}

/** Goes on with what was sent before. */
const repeating = (
  { chain, newKeysRefused = Effect.succeed(undefined), store }: Parts,
  { first, resumed }: ReturnType<typeof delivering.deliver>,
  { standing }: Pick<ReturnType<typeof finding>, "standing">
) => {
  /** Whether a send of the same request may still run, and its outcome if so. */
  const resume = (found: StoredSend): Effect.Effect<Sent | undefined, Failure> =>
    Effect.gen(function*() {
      const prior = yield* standing(found)
      if (prior.state === "mined") return delivering.sentOf(prior)
      if (prior.state === "open") return yield* resumed(prior)
      // Another transaction of this wallet has the nonce.
      if (prior.state === "replaced" && prior.winner !== undefined && (yield* store.byHash(prior.winner))) {
        return undefined
      }
      const verdict = yield* chain.verdict(prior)
      if (verdict._tag === "open" && prior.why === endedByOwner) return yield* ended
      const now = yield* UnixTime.now
      if (verdict._tag === "mined") {
        yield* store.settle(prior, "mined", now)
        return delivering.sentOf(prior)
      }
      if (verdict._tag === "replaced") {
        const winner = yield* winnerOf(store, [prior], verdict)
        // One of its attempts may have run before its owner ended it.
        if (winner?.payment !== prior.payment && prior.why === endedByOwner) return yield* ended
        yield* store.settle(prior, "replaced", now, { winner: verdict.by })
        return winner?.payment === prior.payment ? delivering.sentOf(winner) : undefined
      }
      const leasedUntil = now + firstLeaseSeconds
      // Only what was refused is sent again: of one that was replaced, only a block can say what became of it.
      return (yield* store.retake(prior, now, leasedUntil))
        ? yield* first({ ...prior, leasedUntil })
        : yield* delivering.inDoubt(prior)
    })

  /**
   * A payment that can't run at its nonce may be made anew, unless this is a copy: the wallet of which it is one may have done so already,
   * at another nonce.
   */
  const mayPayAgain = ({ hash }: StoredSend) =>
    Effect.flatMap(newKeysRefused, (why) =>
      why === undefined
        ? Effect.void
        : new WalletRefused({
          reason: "keys",
          message: `${hash} can't run any more, and may have been made anew since: ${why}`
        }))

  const prior = (account: Hex): Effect.Effect<Sent | undefined, Failure> =>
    Effect.gen(function*() {
      const request = yield* CurrentRequest
      const found = request === undefined ? undefined : yield* store.ofRequest(request, account)
      if (found === undefined) return undefined
      const sent = yield* Effect.catchTag(resume(found), "TransactionRejected", (refusal) =>
        Effect.zipRight(mayPayAgain(found), refusal))
      if (sent === undefined) {
        yield* mayPayAgain(found)
      }
      return sent
    })

  return { resume, prior }
}

/**
 * Sends that are stored.
 *
 * @category constructors
 */
export const make = (parts: Parts): Sends => {
  const { store } = parts
  const delivery = delivering.deliver(parts)
  const { first } = delivery
  const { behind, known, standing } = finding(parts)
  const { prior, resume } = repeating(parts, delivery, { standing })
  const { checkNonce, nextNonce } = nonces(parts)

  const submit = ({ from, isRaisable = false, raw, transaction }: Signed): Effect.Effect<Sent, Failure> =>
    Effect.gen(function*() {
      const request = yield* CurrentRequest
      const resumed = yield* prior(from)
      if (resumed !== undefined) return resumed
      const hash = yield* acceptResult(Transaction.hash(transaction))
      const senderHash = yield* acceptResult(Transaction.senderHash(transaction))
      const origin = yield* currentOrigin
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
        cancels: isCancel(transaction) ? "own" : "none",
        request,
        isRaisable,
        ...origin,
        leasedUntil: now + firstLeaseSeconds
      }, now)
      if (send !== undefined) return yield* Effect.flatMap(first(send), (sent) => behind(sent, from, nonce))
      const same = yield* known(hash, senderHash, from, nonce)
      if (same === undefined) return yield* taken
      return (yield* resume(same)) ?? (yield* delivering.tooLow)
    })

  /** A caller that has too many under way sends no more. */
  const mayHaveMore = (account: Hex) =>
    checkRoom(account, { count: store.countOf, most: mostOpen, what: "are under way" })

  /** The same transaction may be sent again: what its sender signs is the same. */
  const mayTake: NonNullable<Sends["mayTake"]> = (from, transaction, { hasNextNonce = false } = {}) =>
    Effect.gen(function*() {
      const { nonce } = transaction
      yield* checkNonce(from, nonce)
      if (isCancel(transaction)) return
      // Nothing that is stored has the next nonce.
      const live = hasNextNonce ? undefined : yield* store.live(from, nonce)
      if (live === undefined) return yield* mayHaveMore(from)
      const before = yield* decodeStored("sends", live.raw)
      const digests = [before, transaction].map((one) => Transaction.senderDigest(one, parts.chain.chainId))
      const [one, other] = yield* Effect.forEach(digests, acceptResult)
      if (one === other) return
      // The first bytes of a payment that was raised since are answered with what stands for the payment.
      // A transaction without signatures has no hash yet, so it is another payment.
      const hash = Transaction.hash(transaction)
      if (!hash.ok || (yield* store.byHash(hash.value)) === undefined) return yield* taken
    })

  return {
    outcome: SendOutcome.ofHash(store),
    nextNonce,
    mayTake,
    prior,
    submit
  }
}
