/** What an operator decides about a payout. Each decision is stored; the processes that work carry it out. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type DatabaseFailed, InvalidTransition, NoSuchPayout } from "../PayoutError.js"
import type { Resolution, Service } from "../Payouts.js"
import * as PayoutState from "../PayoutState.js"
import { type Context, publish } from "./context.js"
import * as inputs from "./inputs.js"
import * as resolving from "./resolving.js"
import * as stores from "./store.js"

type Store = stores.Store<DatabaseFailed>

/** A payout that is stored. */
export const find = (store: Store, key: string): Effect.Effect<stores.Stored, NoSuchPayout | DatabaseFailed> =>
  Effect.flatMap(store.find(key), Effect.mapError(() => new NoSuchPayout({ key })))

/** `start` gives a run of a payout to the engine. */
export const make = (
  context: Context,
  store: Store,
  start: (key: string, run: number) => Effect.Effect<unknown>
): Pick<Service, "adopt" | "approve" | "cancel" | "resolve"> => {
  /** Applies an event: to the payout as it is now, or only if it still has the version that was checked. */
  const change = (key: string, event: PayoutState.PayoutEvent, version?: number) =>
    Effect.gen(function*() {
      const before = yield* find(store, key)
      const after = yield* store.apply(key, event, version)
      if (Either.isLeft(after)) {
        return yield* new InvalidTransition({ key, state: before.state._tag, problem: after.left })
      }
      yield* publish(context, after.right, event)
      if (!PayoutState.isFinal(after.right.state)) yield* start(key, after.right.run)
      return stores.toPayout(after.right)
    })

  const resolve = (key: string, resolution: Resolution) =>
    Effect.gen(function*() {
      const known = yield* inputs.readResolution(resolution)
      const hash = known._tag === "Sent" ? known.transactionHash : undefined
      const payout = yield* find(store, key)
      const event = yield* resolving.eventOf(context, payout, yield* store.history(key), hash)
      if (Either.isLeft(event)) {
        return yield* new InvalidTransition({ key, state: payout.state._tag, problem: event.left })
      }
      return event.right === undefined ? stores.toPayout(payout) : yield* change(key, event.right, payout.version)
    })

  const adopt = (key: string) =>
    Effect.gen(function*() {
      const payout = yield* find(store, key)
      const { id } = context.limits
      if (payout.limits === id) return stores.toPayout(payout)
      const before = payout.limits ?? undefined
      return yield* change(key, { _tag: "Adopted", limits: id, before }, payout.version)
    })

  return {
    adopt,
    approve: (key) => change(key, { _tag: "Approved" }),
    cancel: (key) => change(key, { _tag: "CancelRequested", problem: "an operator cancelled it" }),
    resolve
  }
}
