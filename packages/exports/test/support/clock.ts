/** Clocks of machines whose time is another. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** A clock that is at a second and goes on from there. */
export const clockFrom = (second: number): Clock.Clock => {
  const real = Clock.make()
  const ahead = second * 1000 - real.unsafeCurrentTimeMillis()
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    sleep: (duration) => real.sleep(duration),
    currentTimeMillis: Effect.map(real.currentTimeMillis, (now) => now + ahead),
    unsafeCurrentTimeMillis: () => real.unsafeCurrentTimeMillis() + ahead,
    currentTimeNanos: Effect.map(real.currentTimeNanos, (now) => now + BigInt(Math.round(ahead)) * 1_000_000n),
    unsafeCurrentTimeNanos: () => real.unsafeCurrentTimeNanos() + BigInt(Math.round(ahead)) * 1_000_000n
  }
}
