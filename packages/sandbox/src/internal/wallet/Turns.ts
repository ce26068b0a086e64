import * as Effect from "effect/Effect"

interface Queue {
  readonly semaphore: Effect.Semaphore
  users: number
}

/** Lets those who want the same thing take their turn: one at a time for each name, in the order they came. */
export class Turns {
  readonly #queues = new Map<string, Queue>()

  /** Runs an effect when nobody else has the turn of a name. */
  take(name: string): <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> {
    return (effect) =>
      Effect.acquireUseRelease(
        Effect.sync(() => this.#join(name)),
        ({ semaphore }) => semaphore.withPermits(1)(effect),
        (queue) => Effect.sync(() => this.#leave(name, queue))
      )
  }

  #join(name: string): Queue {
    const queue = this.#queues.get(name) ?? { semaphore: Effect.unsafeMakeSemaphore(1), users: 0 }
    queue.users++
    this.#queues.set(name, queue)
    return queue
  }

  #leave(name: string, queue: Queue): void {
    if (--queue.users === 0) this.#queues.delete(name)
  }
}
