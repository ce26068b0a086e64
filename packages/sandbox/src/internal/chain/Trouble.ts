import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Stuck } from "../../Chain.js"
import type { StoreFailure } from "../../ChainError.js"

/** Watches whether a chain can build blocks, and says so on the console when that changes. */
export class BuildHealth {
  #stuck: Stuck | undefined

  constructor(readonly chainId: number) {}

  /** Nothing while blocks can be built. */
  readonly state = Effect.sync(() => Option.fromNullable(this.#stuck))

  /** A build whose end is noticed. */
  watch<A>(build: Effect.Effect<A, StoreFailure>): Effect.Effect<A, StoreFailure> {
    return build.pipe(
      Effect.tapError((failure) => this.#failed(failure)),
      Effect.tap(() => this.#built())
    )
  }

  #failed({ message }: StoreFailure): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const { attempts = 0, since = Math.floor(now / 1000) } = this.#stuck ?? {}
      this.#stuck = { since, attempts: attempts + 1, message }
      return attempts > 0 ? Effect.void : Effect.logError(`chain ${this.chainId} can't build blocks: ${message}`)
    })
  }

  #built(): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#stuck === undefined) return Effect.void
      this.#stuck = undefined
      return Effect.logInfo(`chain ${this.chainId} builds blocks again`)
    })
  }
}
