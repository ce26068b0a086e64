/** The callers in this process that wait for payouts to become final. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import type { Payout } from "../Payout.js"
import type { DatabaseFailed } from "../PayoutError.js"
import * as PayoutState from "../PayoutState.js"
import * as stores from "./store.js"

export const make = (store: stores.Store<DatabaseFailed>) => {
  const waiting = new Map<string, Deferred.Deferred<Payout, DatabaseFailed>>()

  /** Releases the callers that wait for a payout, if it is final. */
  const notify = (payout: stores.Stored): Effect.Effect<void> =>
    Effect.suspend(() => {
      const wait = waiting.get(payout.key)
      if (wait === undefined || !PayoutState.isFinal(payout.state)) return Effect.void
      waiting.delete(payout.key)
      return Effect.asVoid(Deferred.succeed(wait, stores.toPayout(payout)))
    })

  const untilFinal = (payout: stores.Stored): Effect.Effect<Payout, DatabaseFailed> =>
    Effect.suspend(() => {
      if (PayoutState.isFinal(payout.state)) return Effect.succeed(stores.toPayout(payout))
      const wait = waiting.get(payout.key) ?? Deferred.unsafeMake<Payout, DatabaseFailed>(FiberId.none)
      waiting.set(payout.key, wait)
      return Deferred.await(wait)
    })

  /** Notices payouts that other processes made final. */
  const poll = Effect.suspend(() =>
    Effect.flatMap(store.findFinal(waiting.keys()), Effect.forEach(notify, { discard: true }))
  )

  /** Fails all callers: the database will not answer until its configuration is changed. */
  const fail = (error: DatabaseFailed): Effect.Effect<void> =>
    Effect.suspend(() => {
      const all = [...waiting.values()]
      waiting.clear()
      return Effect.forEach(all, (wait) => Deferred.fail(wait, error), { discard: true })
    })

  return { notify, untilFinal, poll, fail }
}
