/**
 * Sends that survive: each is stored with its signed bytes in the statement that takes its nonce, before anything is sent.
 *
 * **Details**
 *
 * Only the stored bytes are ever sent, so however often a send is repeated, it can't run twice. An answer of the node that is lost
 * or in doubt is followed by the same bytes again. What became of a send is decided by blocks alone: the transaction is in one, or
 * another transaction with its nonce is.
 */
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { CurrentRequest } from "./CurrentRequest.js"
import { type CustodyFailure, NodeFailure, TransactionRejected } from "./CustodyError.js"
import { asks, nonces } from "./internal/wallet/nonces.js"
import { acceptResult } from "./internal/wallet/signing.js"
import type { Sends, Sent, Signed } from "./Sends.js"
import type { SendStore, StoredSend } from "./SendStore.js"
import type { RemoteChain } from "./WalletChain.js"

/**
 * The parts of stored sends.
 *
 * @category models
 */
export interface Parts {
  readonly chain: RemoteChain
  readonly store: SendStore
  /** How long a request waits for an answer that proves that the node has its transaction. Default: 10 seconds. */
  readonly patience?: Duration.DurationInput | undefined
}

type Failure = TransactionRejected | CustodyFailure

const tooLow = new TransactionRejected({ reason: "NonceTooLow", message: "nonce too low" })

const taken = new TransactionRejected({
  reason: "NonceTaken",
  message: "there is another tx which has the same nonce in the tx pool"
})

const sentOf = ({ hash, raw }: StoredSend): Sent => ({ hash, raw })

const inDoubt = (hash: Hex): NodeFailure =>
  new NodeFailure({
    operation: "send",
    message: `it is not known yet whether the node has ${hash}; its bytes are stored and are sent again`
  })

const firstWait = 100
const longestWait = 1000

/** Gives stored bytes to the node until a block or the node says that it has them, or patience ends. */
const deliver = ({ chain, patience = "10 seconds", store }: Parts) => {
  const limit = Duration.toMillis(patience)

  /** What a block says; nothing if the node does not answer. */
  const look = (send: StoredSend) =>
    Effect.catchTag(chain.verdict(send), "NodeFailure", () => Effect.succeed("open" as const))

  const again = (send: StoredSend, since: number, wait: number): Effect.Effect<Sent, Failure> =>
    Effect.gen(function*() {
      const verdict = yield* look(send)
      if (verdict === "mined") return sentOf(send)
      const now = yield* Clock.currentTimeMillis
      if (verdict === "replaced") {
        yield* store.settle(send, "replaced", Math.floor(now / 1000))
        return yield* tooLow
      }
      if (now - since >= limit) return yield* inDoubt(send.hash)
      yield* Effect.sleep(wait)
      yield* store.attempted(send, Math.floor(now / 1000))
      return yield* Effect.catchTags(Effect.as(chain.submitRaw(send.raw), sentOf(send)), {
        // An earlier copy may have been accepted: only a block proves that this one was refused.
        TransactionRejected: () => again(send, since, Math.min(2 * wait, longestWait)),
        NodeFailure: () => again(send, since, Math.min(2 * wait, longestWait))
      })
    })

  /**
   * Something on the way may have given the node these bytes twice, and then the refusal is of the second copy: the nonce is used,
   * or the account has the key that the first copy gave it. A block that has them is believed, and no refusal is.
   */
  const refused = (send: StoredSend, refusal: TransactionRejected, since: number): Effect.Effect<Sent, Failure> =>
    Effect.gen(function*() {
      if (refusal.reason === "NonceTooLow") return yield* again(send, since, firstWait)
      // A copy of the node that lags behind may not have the block yet.
      for (let asked = 0; asked < asks; asked++) if ((yield* look(send)) === "mined") return sentOf(send)
      yield* store.settle(send, "refused", Math.floor(since / 1000))
      return yield* refusal
    })

  /** The bytes have not been sent, or were refused each time: no copy of them is known to be accepted. */
  const first = (send: StoredSend): Effect.Effect<Sent, Failure> =>
    Effect.gen(function*() {
      const since = yield* Clock.currentTimeMillis
      return yield* Effect.catchTags(Effect.as(chain.submitRaw(send.raw), sentOf(send)), {
        TransactionRejected: (refusal) => refused(send, refusal, since),
        NodeFailure: () => again(send, since, firstWait)
      })
    })

  return {
    first,
    again: (send: StoredSend) => Effect.flatMap(Clock.currentTimeMillis, (now) => again(send, now, firstWait))
  }
}

const isCancel = ({ type }: Transaction.Transaction): boolean =>
  type === "Cancel" || type === "FeeDelegatedCancel" || type === "FeeDelegatedCancelWithRatio"

/**
 * Sends that are stored.
 *
 * @category constructors
 */
export const make = (parts: Parts): Sends => {
  const { chain, store } = parts
  const { again, first } = deliver(parts)
  const { checkNonce, nextNonce } = nonces(parts)

  /** Whether a send of the same request may still run, and its outcome if so. */
  const resume = (prior: StoredSend): Effect.Effect<Sent | undefined, Failure> =>
    Effect.gen(function*() {
      if (prior.state === "mined") return sentOf(prior)
      if (prior.state === "replaced") return undefined
      if (prior.state === "open") return yield* again(prior)
      const verdict = yield* chain.verdict(prior)
      const now = yield* UnixTime.now
      if (verdict !== "open") yield* store.settle(prior, verdict, now)
      if (verdict === "mined") return sentOf(prior)
      if (verdict === "replaced") return undefined
      return (yield* store.retake(prior, now)) ? yield* first(prior) : yield* inDoubt(prior.hash)
    })

  /** The same transaction that was stored before, with or without another signature of a fee payer. */
  const known = (hash: Hex, senderHash: Hex, account: Hex, nonce: bigint) =>
    Effect.gen(function*() {
      const same = yield* store.byHash(hash)
      if (same !== undefined) return same
      const live = yield* store.live(account, nonce)
      return live?.senderHash === senderHash ? live : undefined
    })

  const prior = (account: Hex): Effect.Effect<Sent | undefined, Failure> =>
    Effect.gen(function*() {
      const request = yield* CurrentRequest
      const found = request === undefined ? undefined : yield* store.ofRequest(request, account)
      return found && (yield* resume(found))
    })

  const submit = ({ from, raw, transaction }: Signed): Effect.Effect<Sent, Failure> =>
    Effect.gen(function*() {
      const request = yield* CurrentRequest
      const resumed = yield* prior(from)
      if (resumed !== undefined) return resumed
      const hash = yield* acceptResult(Transaction.hash(transaction))
      const senderHash = yield* acceptResult(Transaction.senderHash(transaction))
      const { nonce } = transaction
      yield* checkNonce(from, nonce)
      const now = yield* UnixTime.now
      const send = yield* store.take(
        { account: from, nonce, hash, senderHash, raw, isCancel: isCancel(transaction), request },
        now
      )
      if (send !== undefined) return yield* first(send)
      const same = yield* known(hash, senderHash, from, nonce)
      if (same === undefined) return yield* taken
      return (yield* resume(same)) ?? (yield* tooLow)
    })

  return {
    nextNonce,
    prior,
    submit
  }
}
