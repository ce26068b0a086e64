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
    const wanted = this.nextAt ?? (this.interval === undefined ? undefined : head + this.interval)
    if (wanted !== undefined) {
      return Effect.map(seconds, (now) => {
        this.nextAt = undefined
        const next = Math.max(head, wanted)
        // Time goes on from there.
        this.ahead = clock === "system" ? next - now : 0
        return next
      })
    }
    if (clock === "system") return this.now(head)
    return Effect.sync(() => {
      const next = head + clock.step + this.ahead
      this.ahead = 0
      return next
    })
  }
}

const seconds = Effect.map(Clock.currentTimeMillis, (millis) => Math.floor(millis / 1000))
