/** How many requests may be under way at once: fewer when the service throttles, more again while it answers. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as STM from "effect/STM"
import * as TRef from "effect/TRef"

export type Throttle = Effect.Effect.Success<ReturnType<typeof make>>

export const make = (maxConcurrency: number) =>
  STM.commit(STM.gen(function*() {
    const limit = yield* TRef.make(maxConcurrency)
    const active = yield* TRef.make(0)
    let heldUntil = 0
    let slowed = Number.NEGATIVE_INFINITY
    const enter = STM.commit(STM.gen(function*() {
      const count = yield* TRef.get(active)
      if (count >= Math.floor(yield* TRef.get(limit))) return yield* STM.retry
      yield* TRef.set(active, count + 1)
    }))
    const leave = STM.commit(TRef.update(active, (count) => count - 1))
    const hold = Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => heldUntil > now ? Effect.sleep(heldUntil - now) : Effect.void
    )
    return {
      /** Runs a request in its turn. */
      run: <A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        Effect.uninterruptibleMask((restore) =>
          // A fiber that waits for a place can be interrupted: it has none yet.
          Effect.zipRight(restore(enter), Effect.ensuring(restore(Effect.zipRight(hold, request)), leave))
        ),
      /**
       * Halves the limit and holds all requests back. Requests that were under way together when the service began to
       * throttle count as one signal. Returns the limit.
       */
      slow: (began: number, waitMillis: number): Effect.Effect<number> =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          heldUntil = Math.max(heldUntil, now + waitMillis)
          const isNew = began > slowed
          if (isNew) slowed = now
          const halve = TRef.updateAndGet(limit, (current) => isNew ? Math.max(1, current / 2) : current)
          return Effect.map(STM.commit(halve), Math.floor)
        }),
      /** An answer came: the limit grows by one for as many answers as it has places. */
      succeeded: STM.commit(TRef.update(limit, (current) => Math.min(maxConcurrency, current + 1 / current)))
    }
  }))
