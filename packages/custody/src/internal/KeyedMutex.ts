import * as Effect from "effect/Effect"

interface Queue {
  readonly semaphore: Effect.Semaphore
  users: number
}

/** Runs effects of the same name one at a time, in the order they came. */
export class KeyedMutex {
  readonly #queues = new Map<string, Queue>()

  /** Runs an effect when no other of that name is running. */
  take(name: string): <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> {
    const join = Effect.sync(() => {
      const queue = this.#queues.get(name) ?? { semaphore: Effect.unsafeMakeSemaphore(1), users: 0 }
      queue.users++
      this.#queues.set(name, queue)
      return queue
    })
    return (effect) =>
      Effect.acquireUseRelease(join, ({ semaphore }) => semaphore.withPermits(1)(effect), (queue) =>
        Effect.sync(() => {
          if (--queue.users === 0) this.#queues.delete(name)
        }))
  }
}
