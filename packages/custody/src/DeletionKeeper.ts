/**
 * Destroys the secrets of deleted keys, some time after they were deleted.
 *
 * **Details**
 *
 * A key that is deleted can't sign from then on. Its owner can have it back until its secret is destroyed. A key that an account uses,
 * alone or with others, is not destroyed; its time begins when the last of these accounts lets go of it. Nothing is destroyed before the
 * newest block says, too, that the time is over: a machine whose clock is wrong destroys nothing. Each secret that is destroyed has a
 * line in the audit log.
 */
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { CustodyFailure } from "./CustodyError.js"
import type { WalletGuard } from "./WalletGuard.js"
import type { WalletStore } from "./WalletStore.js"

/**
 * The parts of a keeper of deletions.
 *
 * @category models
 */
export interface Parts {
  readonly store: Pick<WalletStore, "deletedKeys" | "destroyKey">
  readonly guard: Pick<WalletGuard, "frozen">
  /** The time of the newest block, in Unix seconds. */
  readonly blockTime: Effect.Effect<number, CustodyFailure>
  /** How long a deleted key can be had back. Default: 30 days. */
  readonly keep?: Duration.DurationInput | undefined
  /** How long it rests between two rounds. Default: 1 hour. */
  readonly every?: Duration.DurationInput | undefined
}

/**
 * One round: destroys what was deleted long enough ago, and gives how many keys. Nothing is destroyed while the wallet is frozen.
 *
 * @category running
 */
export const round = ({ blockTime, guard, keep = "30 days", store }: Parts): Effect.Effect<number, CustodyFailure> =>
  Effect.gen(function*() {
    if ((yield* guard.frozen) !== undefined) return 0
    const before = (yield* UnixTime.now) - Math.ceil(Duration.toSeconds(keep))
    const over = (yield* store.deletedKeys).filter(({ deletedAt, isUsed }) => deletedAt < before && !isUsed)
    if (over.length === 0) return 0
    const earlier = Math.min(before, (yield* blockTime) - Math.ceil(Duration.toSeconds(keep)))
    const sure = over.filter(({ deletedAt }) => deletedAt < earlier)
    for (const { addresses, deletedAt, key } of sure) {
      const owners = addresses.length === 0 ? "" : ` of ${addresses.join(" and ")}`
      yield* Effect.logWarning(
        `the secret of the key ${key.hash}${owners}, deleted at ${
          new Date(deletedAt * 1000).toISOString()
        }, is destroyed for good`
      )
      yield* store.destroyKey(key, earlier)
    }
    return sure.length
  })

/**
 * Rounds without end. A failure of the database or of the node is logged, and the next round tries again.
 *
 * @category running
 */
export const run = (parts: Parts): Effect.Effect<never> =>
  Effect.forever(
    round(parts).pipe(
      Effect.catchAll(({ message }) =>
        Effect.logError(`deleted keys can't be destroyed, and are tried again in the next round: ${message}`)
      ),
      Effect.zipRight(Effect.sleep(parts.every ?? "1 hour"))
    )
  )
