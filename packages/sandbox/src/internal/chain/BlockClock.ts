import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { BlockClock } from "../../Engine.js"

/** Says what time it is on a chain. */
export class ChainTime {
  readonly #clock: BlockClock
  /** Seconds that the chain was moved ahead, in all for the system's clock, since the last block for a fixed one. */
  ahead = 0

  constructor(clock: BlockClock) {
    this.#clock = clock
  }

  /** Timestamp of the genesis block. */
  get genesis(): Effect.Effect<number> {
    return this.#clock === "system" ? seconds : Effect.succeed(this.#clock.start)
  }

  /** The present, given the newest block. */
  now(head: number): Effect.Effect<number> {
    return this.#clock === "system"
      ? Effect.map(seconds, (now) => Math.max(head, now + this.ahead))
      : Effect.succeed(head + this.ahead)
  }

  /** Timestamp for the next block; never before that of the newest. */
  next(head: number): Effect.Effect<number> {
    const clock = this.#clock
    if (clock === "system") return this.now(head)
    return Effect.sync(() => {
      const next = head + clock.step + this.ahead
      this.ahead = 0
      return next
    })
  }
}

const seconds = Effect.map(Clock.currentTimeMillis, (millis) => Math.floor(millis / 1000))
