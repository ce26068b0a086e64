/** The changes of payouts as streams. */
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Change, RecordedChange } from "../Payout.js"
import type { DatabaseFailed } from "../PayoutError.js"
import type { FeedInput } from "../Payouts.js"
import * as PayoutState from "../PayoutState.js"
import * as inputs from "./inputs.js"
import type * as stores from "./store.js"

type Store = stores.Store<DatabaseFailed>

/** How many changes one query reads. */
const pageSize = 500

/**
 * Reads changes page by page. `next` returns the number after which the next page begins, or none if a change is the last
 * one. An empty page is followed by a pause, or by the end of the stream without `pollInterval`.
 */
const pages = <A>(
  start: number,
  read: (after: number) => Effect.Effect<ReadonlyArray<A>, DatabaseFailed>,
  next: (last: A) => Option.Option<number>,
  pollInterval: Duration.Duration | undefined
): Stream.Stream<A, DatabaseFailed> =>
  Stream.paginateChunkEffect(start, (after) =>
    Effect.gen(function*() {
      const page = yield* read(after)
      const last = Arr.last(page)
      if (Option.isSome(last)) return [Chunk.unsafeFromArray(page), next(last.value)]
      if (pollInterval === undefined) return [Chunk.empty(), Option.none()]
      yield* Effect.sleep(pollInterval)
      return [Chunk.empty(), Option.some(after)]
    }))

/** The changes of one payout, from its beginning until it is final. */
export const ofOne = (
  store: Store,
  key: string,
  pollInterval: Duration.Duration
): Stream.Stream<Change, DatabaseFailed> =>
  pages(
    0,
    (version) => store.history(key, version),
    ({ state, version }) => PayoutState.isFinal(state) ? Option.none() : Option.some(version),
    pollInterval
  )

/** The changes of all payouts after a number; without `pollInterval`, until the last one that is committed. */
const after = (
  store: Store,
  start: number,
  pollInterval: Duration.Duration | undefined
): Stream.Stream<RecordedChange, DatabaseFailed> =>
  pages(
    start,
    (number) => store.changesAfter(number, pageSize),
    ({ cursor }) => Option.some(Number(cursor)),
    pollInterval
  )

/** The changes of all payouts from now on. */
export const fromNow = (store: Store, pollInterval: Duration.Duration) =>
  Stream.unwrap(Effect.map(store.lastChange(), (last) => after(store, last, pollInterval)))

/** The changes after a cursor, or from the first one. */
export const feed = (store: Store, input: FeedInput, pollInterval: Duration.Duration) =>
  Stream.unwrap(Effect.gen(function*() {
    const { after: cursor = "0", ends } = yield* inputs.readFeed(input)
    if (Number(cursor) > (yield* store.lastChange())) {
      const problem = "no change of this database has come so far: was another database or an older copy opened?"
      return yield* InvalidInput.at("payouts.feed", ["after"], problem)
    }
    return after(store, Number(cursor), ends ? undefined : pollInterval)
  }))
