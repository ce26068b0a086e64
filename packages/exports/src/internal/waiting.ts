/** A session that waits while its store does not answer. */
import * as DatabaseLog from "@effect-klaytn/store/DatabaseLog"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Session, SinkError } from "../Sink.js"

const shortest = 250
const longest = 5_000

/**
 * Repeats what a store did not answer until it has not answered for as long as `giveUpAfter` says, in milliseconds, and logs
 * each wait. A commit that is repeated may have been done before: then its window has gone on, which is a `conflict`.
 */
export const untilAnswered =
  (giveUpAfter: number) => <A, E, R>(effect: Effect.Effect<A, E | SinkError, R>): Effect.Effect<A, E | SinkError, R> =>
    Effect.flatMap(Clock.currentTimeMillis, (since) => {
      const isUnavailable = (error: E | SinkError): error is SinkError =>
        error instanceof SinkError && error.reason === "unavailable"
      const attempt = (wait: number): Effect.Effect<A, E | SinkError, R> =>
        Effect.catchIf(effect, isUnavailable, (error) =>
          Effect.gen(function*() {
            if ((yield* Clock.currentTimeMillis) + wait - since > giveUpAfter) return yield* Effect.fail(error)
            yield* DatabaseLog.waiting(`exports: ${error.problem}; trying again in ${wait} ms`)
            yield* Effect.sleep(wait)
            return yield* attempt(Math.min(longest, wait * 2))
          }))
      return attempt(shortest)
    })

/** A session of which every step waits while its store does not answer. */
export const waiting = (session: Session, giveUpAfter: number): Session => {
  const wait = untilAnswered(giveUpAfter)
  return {
    plan: wait(session.plan),
    states: wait(session.states),
    extend: (plan) => wait(session.extend(plan)),
    commit: (page) => wait(session.commit(page)),
    restart: (before, rewrite) => wait(session.restart(before, rewrite)),
    // What was read before the store failed is read again.
    ids: (window, part) =>
      Stream.catchAll(session.ids(window, part), (error) =>
        error.reason === "unavailable"
          ? Stream.fromIterableEffect(wait(Stream.runCollect(session.ids(window, part))))
          : Stream.fail(error)),
    damages: wait(session.damages),
    verify: (window) => wait(session.verify(window)),
    extras: wait(session.extras),
    mark: (window, extras) => wait(session.mark(window, extras)),
    remove: (before, ids) => wait(session.remove(before, ids)),
    finish: (manifest) => wait(session.finish(manifest))
  }
}
