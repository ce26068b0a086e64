import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { BlockClock } from "../LocalChain.js"

/** The settings of a clock. */
export interface TimeSettings {
  /** Seconds that the chain was moved ahead: in total for the system's clock, since the last block for a fixed one. */
  readonly ahead: number
  /** Timestamp of the next block, if it was set. */
  readonly nextAt?: number
  /** Seconds from each block to the next, if they were set. */
  readonly interval?: number | undefined
}

/** The clock of a chain. */
export class ChainTime {
  settings: TimeSettings = { ahead: 0 }

  constructor(private readonly clock: BlockClock) {}

  /** Timestamp of the genesis block. */
  get genesis(): Effect.Effect<number> {
    return this.clock === "system" ? seconds : Effect.succeed(this.clock.start)
  }

  /** The current time, by the newest block's. */
  now(head: number): Effect.Effect<number> {
    return this.clock === "system"
      ? Effect.map(seconds, (now) => Math.max(head, now + this.settings.ahead))
      : Effect.succeed(head + this.settings.ahead)
  }

  /** The timestamp of the next block; never before the newest one's. */
  next(head: number): Effect.Effect<number> {
    const { clock, settings: { ahead, interval, nextAt } } = this
    const step = interval ?? (clock === "system" ? undefined : clock.step + ahead)
    const wanted = nextAt ?? (step === undefined ? undefined : head + step)
    if (wanted === undefined) return this.now(head)
    return Effect.map(seconds, (now) => {
      const next = Math.max(head, wanted)
      // Time goes on from there.
      this.settings = { ahead: clock === "system" ? next - now : 0, interval }
      return next
    })
  }
}

const seconds = Effect.map(Clock.currentTimeMillis, (millis) => Math.floor(millis / 1000))
