/** A clock that skips waits: as soon as nothing else is left to do, time moves to the end of the next wait. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

interface Waiting {
  readonly at: bigint
  readonly wake: () => void
}

/** Idle turns of the event loop before time moves on, so that pending work comes first. */
const quietTurns = 3

class SkippingClock implements Clock.Clock {
  readonly [Clock.ClockTypeId]: Clock.ClockTypeId = Clock.ClockTypeId
  private nanos = 1_700_000_000_000_000_000n
  private readonly waiting = new Set<Waiting>()
  private isArmed = false

  readonly currentTimeMillis = Effect.sync(() => this.unsafeCurrentTimeMillis())
  readonly currentTimeNanos = Effect.sync(() => this.nanos)

  unsafeCurrentTimeMillis(): number {
    return Number(this.nanos / 1_000_000n)
  }

  unsafeCurrentTimeNanos(): bigint {
    return this.nanos
  }

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    if (!Duration.isFinite(duration)) return Effect.never
    return Effect.async<void>((resume) => {
      const nanos = BigInt(Math.ceil(Duration.toMillis(duration))) * 1_000_000n
      const one = { at: this.nanos + nanos, wake: () => resume(Effect.void) }
      this.waiting.add(one)
      this.arm(quietTurns)
      return Effect.sync(() => void this.waiting.delete(one))
    })
  }

  private arm(turns: number): void {
    if (this.isArmed) return
    this.isArmed = true
    setImmediate(() => {
      this.isArmed = false
      if (turns > 1) this.arm(turns - 1)
      else this.skip()
    })
  }

  private skip(): void {
    let first: Waiting | undefined
    for (const one of this.waiting) if (first === undefined || one.at < first.at) first = one
    if (first === undefined) return
    this.waiting.delete(first)
    if (first.at > this.nanos) this.nanos = first.at
    first.wake()
    if (this.waiting.size > 0) this.arm(quietTurns)
  }
}

/** Makes a clock that skips waits. */
export const make = (): Clock.Clock => new SkippingClock()
