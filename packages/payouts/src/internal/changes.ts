/** The changes of payouts as streams. */
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { Change } from "../Payout.js"
import type { DatabaseFailed } from "../PayoutError.js"
import * as PayoutState from "../PayoutState.js"
import { orFailed } from "./databaseErrors.js"
import type * as stores from "./store.js"

/** How many changes one query reads. */
const chunk = 500

/** Transactions that take longer than this may be missed by the stream of all changes. */
const overlap = Duration.minutes(1)

/** The changes of one payout, from its beginning until it is final. */
export const ofOne = (
  store: stores.Store,
  key: string,
  pollInterval: Duration.Duration
): Stream.Stream<Change, DatabaseFailed> =>
  Stream.paginateChunkEffect(
    0,
    Effect.fnUntraced(function*(seen: number) {
      const history = yield* orFailed(store.history(key))
      const fresh = history.filter(({ version }) => version > seen)
      const last = fresh.at(-1)
      if (last === undefined) yield* Effect.sleep(pollInterval)
      const isOver = last !== undefined && PayoutState.isFinal(last.state)
      return [Chunk.unsafeFromArray(fresh), isOver ? Option.none() : Option.some(last?.version ?? seen)] as const
    })
  )

/**
 * The changes of all payouts from now on. A number is assigned when a transaction begins, so a lower one may be committed
 * later: the last minute is read again.
 */
export const ofAll = (
  store: stores.Store,
  pollInterval: Duration.Duration
): Stream.Stream<Change, DatabaseFailed> =>
  Stream.unwrap(Effect.gen(function*() {
    const lastSettled = Clock.currentTimeMillis.pipe(
      Effect.flatMap((now) => store.lastBefore(now - Duration.toMillis(overlap))),
      orFailed
    )
    const seen = new Set<number>()
    const begin = yield* lastSettled
    const read = Effect.gen(function*() {
      const fresh: Array<Change> = []
      const from = Math.max(begin, yield* lastSettled)
      for (let at = from;;) {
        const page = yield* orFailed(store.changesAfter(at, chunk))
        for (const { change, seq } of page) {
          if (!seen.has(seq)) fresh.push(change)
          seen.add(seq)
          at = seq
        }
        if (page.length < chunk) break
      }
      for (const seq of seen) if (seq <= from) seen.delete(seq)
      return fresh
    })
    // Earlier changes are not emitted.
    yield* read
    return Stream.repeatEffectWithSchedule(read, Schedule.spaced(pollInterval)).pipe(Stream.flattenIterables)
  }))
