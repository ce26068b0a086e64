/**
 * Removes old requests that came with an `Idempotency-Key`, in small pieces.
 *
 * **Details**
 *
 * A key is kept for seven days. It is kept for longer as long as a transaction of its request may still run: none of its sends is
 * open, and each that the node refused has a nonce that a block has used. A key that was removed is a new one.
 */
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "./CustodyError.js"
import type { RequestStore } from "./SendStore.js"

/**
 * The parts of a keeper of requests.
 *
 * @category models
 */
export interface Parts {
  readonly store: Pick<RequestStore, "forget">
  /** How long a key is kept at least. Default: 7 days. */
  readonly age?: Duration.DurationInput | undefined
  /** How many requests are removed in one transaction, 1 or more. Default: 200. */
  readonly piece?: number | undefined
  /** How long it rests between two rounds. Default: 10 minutes. */
  readonly every?: Duration.DurationInput | undefined
}

/**
 * One round: removes what is old enough, and gives how many requests were removed.
 *
 * @category running
 */
export const round = ({ age = "7 days", piece = 200, store }: Parts): Effect.Effect<number, StoreFailure> =>
  Effect.gen(function*() {
    const before = (yield* UnixTime.now) - Math.ceil(Duration.toSeconds(age))
    for (let removed = 0;;) {
      const more = yield* store.forget(before, piece)
      removed += more
      if (more === 0 || more < piece) return removed
      // Requests of callers get a turn.
      yield* Effect.sleep(0)
    }
  })

/**
 * Rounds without end. A failure of the database is logged, and the next round tries again.
 *
 * @category running
 */
export const run = (parts: Parts): Effect.Effect<never> =>
  Effect.forever(
    round(parts).pipe(
      Effect.catchAll(({ message }) =>
        Effect.logError(`old requests can't be removed, and are tried again in the next round: ${message}`)
      ),
      Effect.zipRight(Effect.sleep(parts.every ?? "10 minutes"))
    )
  )
