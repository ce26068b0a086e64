import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { BlockClock } from "../LocalChain.js"

/** The clock of a chain. */
export class ChainTime {
  readonly #clock: BlockClock
  /** Seconds that the chain was moved ahead: in total for the system's clock, since the last block for a fixed one. */
  ahead = 0
  /** Timestamp of the next block, if it was set. */
  nextAt: number | undefined
  /** Seconds from each block to the next, if they were set. */
  interval: number | undefined

  constructor(clock: BlockClock) {
    this.#clock = clock
  }

  /** Sets how far the chain is ahead, and the timestamp of the next block, if there is one. */
  set(ahead: number, nextAt?: number): void {
    this.ahead = ahead
    this.nextAt = nextAt
  }

  /** Timestamp of the genesis block. */
  get genesis(): Effect.Effect<number> {
    return this.#clock === "system" ? seconds : Effect.succeed(this.#clock.start)
  }

  /** The current time, by the newest block's. */
  now(head: number): Effect.Effect<number> {
    return this.#clock === "system"
      ? Effect.map(seconds, (now) => Math.max(head, now + this.ahead))
      : Effect.succeed(head + this.ahead)
  }

  /** The timestamp of the next block; never before the newest one's. */
  next(head: number): Effect.Effect<number> {
    const clock = this.#clock
    const step = this.interval ?? (clock === "system" ? undefined : clock.step + this.ahead)
    const wanted = this.nextAt ?? (step === undefined ? undefined : head + step)
    if (wanted === undefined) return this.now(head)
    return Effect.map(seconds, (now) => {
      const next = Math.max(head, wanted)
      // Time goes on from there.
      this.set(clock === "system" ? next - now : 0)
      return next
    })
  }
}

const seconds = Effect.map(Clock.currentTimeMillis, (millis) => Math.floor(millis / 1000))
