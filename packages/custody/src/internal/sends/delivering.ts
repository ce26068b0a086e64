/** Gives the bytes of a request's send to the node, for as long as the request waits. */
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type CustodyFailure, NodeFailure, TransactionRejected, type WalletRefused } from "../../CustodyError.js"
import * as SendLife from "../../SendLife.js"
import * as SendRefusal from "../../SendRefusal.js"
import type { Sent } from "../../Sends.js"
import type { StoredSend } from "../../SendStore.js"
import { asks } from "../wallet/nonces.js"
import { give, submit } from "./giving.js"
import * as records from "./record.js"
import { winnerOf } from "./winning.js"

/** What a request waits with. */
export interface Parts extends records.Parts {
  /** How long a request waits for an answer that proves that the node has its transaction. Default: 10 seconds. */
  readonly patience?: Duration.DurationInput | undefined
  /** Does what the keeper of sends would do about a nonce. Default: the keeper does it in its next round. */
  readonly repair?: ((send: StoredSend) => Effect.Effect<void, CustodyFailure | TransactionRejected>) | undefined
}

export type Failure = TransactionRejected | CustodyFailure

export const tooLow = new TransactionRejected({ reason: "NonceTooLow", message: "nonce too low" })

export const sentOf = ({ hash, raw }: StoredSend): Sent => ({ hash, raw })

export const inDoubt = ({ hash, refusal }: StoredSend): NodeFailure =>
  new NodeFailure({
    operation: "send",
    message: `it is not known yet whether the node has ${hash}; its bytes are stored and are sent again` +
      (refusal === undefined ? "" : `; the last answer was: ${refusal.text}`)
  })

const firstWait = 100
const longestWait = 1000

/** How long a request has the repair of a nonce for itself after each time that it gives the bytes to the node, in seconds. */
const leaseSeconds = 10

/** Looks what became of stored bytes until something says so, or patience ends. */
const looking = ({ chain, patience = "10 seconds", store }: Parts) => {
  const limit = Duration.toMillis(patience)

  /** What a block says; nothing if the node does not answer. */
  const look = (send: StoredSend) =>
    Effect.catchTag(chain.verdict(send), "NodeFailure", () => Effect.succeed({ _tag: "open" } as const))

  /** The outcome by a block, if there is one. */
  const decided = (send: StoredSend): Effect.Effect<Sent | undefined, Failure> =>
    Effect.gen(function*() {
      const verdict = yield* look(send)
      if (verdict._tag === "open") return undefined
      if (verdict._tag === "mined") return sentOf(send)
      const winner = yield* winnerOf(store, [send], verdict)
      // The same payment at a higher price.
      if (winner?.payment === send.payment) return sentOf(winner)
      yield* store.settle(send, "replaced", yield* UnixTime.now, { winner: verdict.by })
      return yield* tooLow
    })

  /** Repeats a look until it finds something, or patience ends. */
  const during = (
    send: StoredSend,
    once: (send: StoredSend) => Effect.Effect<Sent | undefined, Failure>
  ): Effect.Effect<Sent, Failure> =>
    Effect.gen(function*() {
      const since = yield* Clock.currentTimeMillis
      const left = yield* Deadline.left
      for (let wait = firstWait;; wait = Math.min(2 * wait, longestWait)) {
        const found = (yield* decided(send)) ?? (yield* once(send))
        if (found !== undefined) return found
        const now = yield* Clock.currentTimeMillis
        if (now - since >= Math.min(limit, left)) return yield* inDoubt((yield* store.byHash(send.hash)) ?? send)
        yield* Effect.sleep(wait)
      }
    })

  return { look, during }
}

/** Goes on with a send that is stored, as `SendLife` says. */
const resuming = (parts: Parts) => {
  const { store } = parts
  const { during } = looking(parts)

  /** What has to be signed again, the keeper signs; the next look finds what came of it. */
  const repaired = (send: StoredSend) => Effect.as(parts.repair?.(send) ?? Effect.void, undefined)

  /** Goes on with a send that a request made before: whoever has the repair of its nonce does what is to be done. */
  const resumed = (send: StoredSend) =>
    during(send, () =>
      Effect.gen(function*() {
        const rows = yield* store.openAt(send.account, send.nonce)
        const front = rows.findLast(({ cancels }) => cancels === "none")
        if (front === undefined || rows.some(({ cancels }) => cancels !== "none")) return undefined
        const isTaken = front.refusal === undefined || front.refusal.kind === "gap"
        if (isTaken && front.attempts > 0) return sentOf(front)
        const now = yield* UnixTime.now
        const view = yield* records.viewOf(parts)
        const record = records.recordOf(rows, { canSign: true, isRevoked: false, limitPrice: undefined })
        const step = SendLife.next(record, view, records.patienceOf(parts), now)
        if (step._tag !== "Submit") return yield* step._tag === "Wait" ? Effect.succeed(undefined) : repaired(send)
        if (!(yield* store.lease(send, now, now + leaseSeconds))) return undefined
        const answer = yield* Effect.ensuring(
          give(parts, front, { noted: step.noted }),
          Effect.ignoreLogged(store.release(send))
        )
        return answer === undefined && step.noted === undefined ? sentOf(front) : undefined
      }))

  return resumed
}

/** Gives stored bytes to the node until a block or the node says that it has them, or patience ends. */
export const deliver = (parts: Parts) => {
  const { store } = parts
  const { during, look } = looking(parts)
  const resumed = resuming(parts)

  /** The bytes again: an earlier copy may have been accepted, so no refusal proves anything. */
  const again = (send: StoredSend) =>
    during(send, () =>
      Effect.gen(function*() {
        const now = yield* UnixTime.now
        // It is this request's.
        yield* store.lease(send, now + leaseSeconds, now + leaseSeconds)
        const current = (yield* store.byHash(send.hash)) ?? send
        return (yield* give(parts, current)) === undefined ? sentOf(send) : undefined
      })).pipe(
        // Who has given up leaves the send to the keeper at once.
        Effect.ensuring(Effect.ignoreLogged(store.release(send)))
      )

  /**
   * The end of bytes that only this request has given to the node. A request that was slow has lost their repair to the keeper, who gives
   * them again, or signs the payment again.
   */
  const ended = (send: StoredSend, refusal: TransactionRejected | WalletRefused): Effect.Effect<Sent, Failure> =>
    Effect.flatMap(
      Effect.flatMap(UnixTime.now, (now) => store.refuse(send, now, refusal.message)),
      (isEnded) => isEnded ? refusal : resumed(send)
    )

  /**
   * Something on the way may have given the node these bytes twice, and then the refusal is of the second copy: the nonce is used,
   * or the account has the key that the first copy gave it. A block that has them is believed, and no refusal is.
   */
  const refused = (send: StoredSend, refusal: TransactionRejected): Effect.Effect<Sent, Failure> =>
    Effect.gen(function*() {
      if (refusal.reason === "NonceTooLow") return yield* again(send)
      // A copy of the node that lags behind may not have the block yet.
      for (let asked = 0; asked < asks; asked++) if ((yield* look(send))._tag === "mined") return sentOf(send)
      return yield* ended(send, refusal)
    })

  /** The base fee has risen meanwhile: it is signed again, at a price that the caller can't choose. */
  const raised = (send: StoredSend, { message: text }: TransactionRejected): Effect.Effect<Sent, Failure> =>
    Effect.gen(function*() {
      const now = yield* UnixTime.now
      yield* store.note(send, { kind: "price", text, since: now }, now)
      yield* store.release(send)
      return yield* resumed(send)
    })

  /** The bytes have not been sent, or were refused each time: no copy of them is known to be accepted. */
  const first = (send: StoredSend): Effect.Effect<Sent, Failure> =>
    Effect.catchTags(Effect.as(submit(parts, send), sentOf(send)), {
      TransactionRejected: (refusal) =>
        send.isRaisable && SendRefusal.kindOf(refusal.message) === "price"
          ? raised(send, refusal)
          : refused(send, refusal),
      NodeFailure: (failure) =>
        Effect.gen(function*() {
          const now = yield* UnixTime.now
          const meaning = failure.text ?? failure.message
          yield* store.note(send, { kind: "passing", text: meaning, since: now }, now)
          return yield* Effect.zipRight(Effect.sleep(firstWait), again(send))
        }),
      // Nothing has left.
      WalletRefused: (refusal) => ended(send, refusal)
    })

  return { first, resumed }
}
