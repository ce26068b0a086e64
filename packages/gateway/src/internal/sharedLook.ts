/**
 * A look at the node that requests share.
 *
 * **Details**
 *
 * Whoever asks while a look is under way waits for that one, as long as its own request has time. A fiber of its own looks, with a
 * deadline of its own: a request that ends, or has little time left, ends no look of others. `Effect.cachedWithTTL` would let a failed or
 * slow look be repeated for each request that waits, one after the other.
 */
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"

/** A look that requests share. */
export interface SharedLook<A, E> {
  readonly read: Effect.Effect<A, E>
  /** The next request looks anew, also if a look is under way. */
  readonly forget: Effect.Effect<void>
}

interface Look<A, E> {
  readonly result: Deferred.Deferred<A, E>
  readonly goodUntil: number
  isUnderWay: boolean
}

/**
 * A look whose result is good for a time, counted from its start; a failure is not kept. `limit` ends a look, and `late` is the failure of
 * a request whose own time is over.
 */
export const make = <A, E>(look: Effect.Effect<A, E>, options: {
  readonly goodFor: Duration.DurationInput
  readonly limit: Duration.DurationInput
  readonly late: () => E
}): SharedLook<A, E> => {
  const goodFor = Duration.toMillis(options.goodFor)
  let last: Look<A, E> | undefined
  const bounded = look.pipe(
    Deadline.withDeadline(options.limit),
    Effect.provideService(Deadline.CurrentDeadline, Option.none())
  )
  /** Uninterruptible: a look that is noted and never forked would keep all later requests waiting. */
  const begin = (now: number): Effect.Effect<Look<A, E>> =>
    Effect.uninterruptible(Effect.suspend(() => {
      const begun: Look<A, E> = {
        result: Deferred.unsafeMake(FiberId.none),
        goodUntil: now + goodFor,
        isUnderWay: true
      }
      last = begun
      const run = Effect.flatMap(Effect.exit(bounded), (exit) =>
        Effect.suspend(() => {
          begun.isUnderWay = false
          if (exit._tag === "Failure" && last === begun) last = undefined
          return Deferred.done(begun.result, exit)
        }))
      return Effect.as(Effect.forkDaemon(Effect.interruptible(run)), begun)
    }))
  const current = Effect.flatMap(
    Clock.currentTimeMillis,
    (now) =>
      Effect.suspend(() =>
        last !== undefined && (last.isUnderWay || now < last.goodUntil) ? Effect.succeed(last) : begin(now)
      )
  )
  return {
    read: Effect.flatMap(Deadline.left, (left) =>
      left <= 0
        ? Effect.fail(options.late())
        : Effect.flatMap(current, ({ isUnderWay, result }) =>
          isUnderWay && left < Infinity
            ? Effect.timeoutFail(Deferred.await(result), { duration: left, onTimeout: options.late })
            : Deferred.await(result))),
    forget: Effect.sync(() => last = undefined)
  }
}
