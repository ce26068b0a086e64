import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"

/** Blocks in a row, and the fiber that reads them. */
interface Group<A, E> {
  readonly from: number
  readonly count: number
  readonly fiber: Fiber.Fiber<ReadonlyArray<A>, E>
}

/** How much a group weighs at most, if its blocks weigh as much as those of the group before. */
const mostWeight = 500

/**
 * Reads the next blocks while those before them are stored: a group that is asked for, and one behind it. A group that
 * fails halves the size of the next, one that is whole raises it by a quarter, as far as its weight allows.
 */
export class ReadAhead<A, E> {
  #count: number
  #groups: ReadonlyArray<Group<A, E>> = []
  /** The blocks of the group that was asked for last. */
  #read: Omit<Group<A, E>, "fiber"> & { readonly blocks: ReadonlyArray<A> } = { from: 0, count: 0, blocks: [] }

  constructor(
    private readonly read: (from: number, count: number) => Effect.Effect<ReadonlyArray<A>, E>,
    private readonly weigh: (block: A) => number,
    private readonly maxCount: number,
    private readonly scope: Scope.Scope
  ) {
    this.#count = Math.min(4, maxCount)
  }

  /** The block at a height; none if the source has no such block yet. */
  block(height: number): Effect.Effect<A | undefined, E> {
    const known = this.#read.blocks[height - this.#read.from]
    return known !== undefined ? Effect.succeed(known) : Effect.gen(this, function*() {
      const isHere = ({ count, from }: { readonly count: number; readonly from: number }): boolean =>
        from <= height && height < from + count
      if (!isHere(this.#read)) this.#read = yield* this.#join(this.#groups.find(isHere), height)
      const block = this.#read.blocks[height - this.#read.from]
      // The source had no such block when the group was read. It may have by now.
      if (block === undefined) yield* this.forget
      return block
    })
  }

  /** The blocks of a group, which is begun unless it is; while they are stored, the group behind them is read. */
  #join(begun: Group<A, E> | undefined, height: number) {
    return Effect.gen(this, function*() {
      const group = begun ?? (yield* this.#begin(height))
      const { count, from } = group
      const blocks = yield* Effect.onError(Fiber.join(group.fiber), () =>
        Effect.suspend(() => {
          this.#count = Math.max(1, Math.floor(this.#count / 2))
          return this.forget
        }))
      this.#groups = this.#groups.filter((one) => one.from > from)
      if (blocks.length === count && this.#groups.length === 0) {
        const weight = blocks.reduce((sum, block) => sum + this.weigh(block), 0)
        const lightest = weight === 0 ? this.maxCount : Math.max(1, Math.floor(mostWeight * count / weight))
        this.#count = Math.min(this.maxCount, lightest, Math.ceil(this.#count * 1.25))
        yield* this.#begin(from + count)
      }
      return { from, count, blocks }
    })
  }

  /** Forgets what was read, and ends what is being read: the source may have other blocks now. */
  readonly forget: Effect.Effect<void> = Effect.suspend(() => {
    const fibers = this.#groups.map(({ fiber }) => fiber)
    this.#groups = []
    this.#read = { from: 0, count: 0, blocks: [] }
    return Effect.forEach(fibers, Fiber.interruptFork, { discard: true })
  })

  /** Begins to read a group, in a fiber of its own, so that the caller stores blocks in the meantime. */
  #begin(from: number): Effect.Effect<Group<A, E>> {
    const count = this.#count
    return Effect.map(Effect.forkIn(this.read(from, count), this.scope), (fiber) => {
      const group = { from, count, fiber }
      this.#groups = [...this.#groups, group]
      return group
    })
  }
}
