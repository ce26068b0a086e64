import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** A clock that stands still until the test moves it. */
export const makeClock = () => {
  let now = 1_700_000_000_000
  const clock: Clock.Clock = Object.assign(Object.create(Clock.make()), {
    unsafeCurrentTimeMillis: () => now,
    currentTimeMillis: Effect.sync(() => now)
  })
  return { move: (millis: number) => Effect.sync(() => void (now += millis)), use: Effect.withClock(clock) }
}
