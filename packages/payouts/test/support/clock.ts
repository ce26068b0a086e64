import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { PostgresTime } from "../../src/internal/clock.js"

/** A clock that stands still until the test moves it, of this machine and of the database. */
export const makeClock = () => {
  let now = 1_700_000_000_000
  const clock: Clock.Clock = Object.assign(Object.create(Clock.make()), {
    unsafeCurrentTimeMillis: () => now,
    unsafeCurrentTimeNanos: () => BigInt(now) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => now)
  })
  return {
    move: (millis: number) => Effect.sync(() => void (now += millis)),
    use: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      effect.pipe(Effect.withClock(clock), Effect.provideService(PostgresTime, () => clock.currentTimeMillis))
  }
}
