import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** A clock whose time of day is set while time passes. Sleeps of up to half a second are over at once, others never. */
export class SteppedClock implements Clock.Clock {
  readonly [Clock.ClockTypeId]: Clock.ClockTypeId = Clock.ClockTypeId
  /** By how much the time of day was set forward or back. */
  stepMillis = 0
  /** How much time has passed. */
  passedMillis = 0
  readonly currentTimeMillis = Effect.sync(() => this.unsafeCurrentTimeMillis())
  readonly currentTimeNanos = Effect.sync(() => this.unsafeCurrentTimeNanos())

  unsafeCurrentTimeMillis(): number {
    return 1_763_683_200_000 + this.passedMillis + this.stepMillis
  }

  unsafeCurrentTimeNanos(): bigint {
    return BigInt(this.passedMillis) * 1_000_000n
  }

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    const millis = Duration.toMillis(duration)
    return millis > 500 ? Effect.never : Effect.sync(() => void (this.passedMillis += millis))
  }
}
