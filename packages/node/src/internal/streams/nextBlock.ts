/** Waits for the next block: until the node announces one, or for the interval of polling. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { BlockHeads } from "../../BlockHeads.js"
import { farthest } from "./headSubscription.js"

/** How long a subscription is relied on without an announcement. */
const longest = Duration.seconds(15)

/**
 * Waits until it is worth asking again for a block; the polling interval is the limit where there is no subscription. `next` is
 * the lowest height that is new, or `undefined` for any block.
 */
export const wait = (interval: Duration.DurationInput, next?: bigint): Effect.Effect<void> =>
  Effect.flatMap(Effect.serviceOption(BlockHeads), (found) => {
    if (Option.isNone(found)) return Effect.sleep(interval)
    const { changes, current } = found.value
    return Effect.flatMap(current, ({ isSubscribed, newest }) => {
      const known = Option.getOrElse(newest, () => -1n)
      const wanted = next ?? known + 1n
      if (known >= wanted) {
        // The node that answers calls lags behind the one that announced the block, or no node has it.
        return Effect.sleep(known - wanted <= farthest ? Duration.times(Duration.decode(interval), 0.1) : interval)
      }
      const limit = isSubscribed ? Duration.max(interval, longest) : Duration.decode(interval)
      const announced = changes.pipe(
        Stream.filter((now) =>
          Option.getOrElse(now.newest, () => -1n) >= wanted || (isSubscribed && !now.isSubscribed)
        ),
        Stream.take(1),
        Stream.runDrain
      )
      return Effect.raceFirst(announced, Effect.sleep(limit))
    })
  })
