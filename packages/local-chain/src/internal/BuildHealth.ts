import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { StoreFailure } from "../ChainError.js"
import type { Stuck } from "../LocalChain.js"

/** Tracks whether a chain can build blocks, and logs when that changes. */
export class BuildHealth {
  #stuck: Stuck | undefined

  constructor(readonly chainId: number) {}

  /** None while blocks can be built. */
  readonly state = Effect.sync(() => Option.fromNullable(this.#stuck))

  /** Tracks the outcome of a build. */
  watch<A>(build: Effect.Effect<A, StoreFailure>): Effect.Effect<A, StoreFailure> {
    return Effect.tapBoth(build, { onFailure: (failure) => this.#failed(failure), onSuccess: () => this.#built() })
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
