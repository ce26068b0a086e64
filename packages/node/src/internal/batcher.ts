/**
 * Gathers calls made within a window, from any fiber, and runs them together.
 *
 * The first call of a window starts a fiber that lives only as long as somebody waits for it. An interrupted caller
 * leaves immediately, a call that nobody waits for any more is not run, and a running batch is interrupted when its
 * last caller leaves.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"

/** A caller waiting for an answer. None of its functions may throw. */
export interface Waiter<B, E> {
  /** Calls of one group with the same text are run once; `undefined` if this call must be run by itself. */
  readonly same: string | undefined
  readonly bytes: number
  /** Receives an answer. Returns true if the answer says to ask again later and there is time for that. */
  readonly done: (answer: B) => boolean
  readonly failed: (cause: Cause.Cause<E>) => void
  /**
   * Is told how long the wait before the next run is. Returns false if that is too long, which ends this caller's wait.
   */
  readonly awaits: (millis: number) => boolean
}

export interface Options<A extends Waiter<B, E>, B, E> {
  /** How long the first call waits for others; with 0, until all fibers that are ready have run once. */
  readonly window: Duration.Duration
  readonly maxCount: number
  readonly maxBytes: number
  /** Whether two calls may be run together. */
  readonly fits: (one: A, other: A) => boolean
  /** Runs some calls; returns an answer for each, in order. */
  readonly run: (calls: ReadonlyArray<Asked<A>>) => Effect.Effect<ReadonlyArray<B>, E>
  /** Whether a failure means that there were too many calls in the batch: each half is then run by itself. */
  readonly splits: (calls: ReadonlyArray<Asked<A>>, cause: Cause.Cause<E>) => boolean
  /** How many milliseconds to wait before running the calls that ask again. */
  readonly backoff: (first: A, runs: number) => Effect.Effect<number>
}

/** A call with everyone who asked for it. */
export interface Asked<out A> {
  readonly first: A
  readonly others: ReadonlyArray<A>
}

/** Puts a call into a batch. Returns a function to leave it, for a caller that no longer waits. */
export type Join<A> = (waiter: A, caller: Fiber.RuntimeFiber<unknown, unknown>) => () => void

const nobody: ReadonlyArray<never> = []

/** The place of a call in its batch. */
class Slot<A> implements Asked<A> {
  private list: Array<A> | undefined

  constructor(
    public first: A,
    readonly same: string | undefined,
    readonly bytes: number
  ) {}

  get others(): ReadonlyArray<A> {
    return this.list ?? nobody
  }

  gains(waiter: A): void {
    if (this.list === undefined) this.list = [waiter]
    else this.list.push(waiter)
  }

  /** Keeps the waiters for which `stays` holds; returns whether any is left. */
  keeps(stays: (waiter: A) => boolean): boolean {
    const all = [this.first, ...this.others].filter(stays)
    const [first, ...others] = all
    if (first === undefined) return false
    this.first = first
    this.list = others
    return true
  }

  /** Removes a waiter; returns whether none is left. */
  loses(waiter: A): boolean {
    if (waiter !== this.first) {
      const place = this.list?.indexOf(waiter) ?? -1
      if (place >= 0) this.list?.splice(place, 1)
      return false
    }
    const next = this.list?.shift()
    if (next === undefined) return true
    this.first = next
    return false
  }
}

interface Batch<A> {
  /** The call that all others in the batch must fit. */
  readonly first: A
  readonly slots: Set<Slot<A>>
  readonly bySame: Map<string, Slot<A>>
  /** Completed when the batch is full; `undefined` if the window is 0. */
  readonly full: Deferred.Deferred<void> | undefined
  bytes: number
  fiber: Fiber.RuntimeFiber<unknown, unknown> | undefined
}

export const make = <A extends Waiter<B, E>, B, E>(options: Options<A, B, E>): Join<A> => {
  let open: ReadonlyArray<Batch<A>> = []
  const isMoment = Duration.toMillis(options.window) === 0

  const hasRoom = (batch: Batch<A>, bytes: number): boolean =>
    batch.slots.size < options.maxCount && batch.bytes + bytes <= options.maxBytes

  const close = (batch: Batch<A>): void => {
    open = open.filter((other) => other !== batch)
    if (batch.full !== undefined) Deferred.unsafeDone(batch.full, Effect.void)
  }

  const batchFor = (waiter: A): Batch<A> => {
    for (const batch of open) {
      if (!options.fits(batch.first, waiter)) continue
      if (hasRoom(batch, waiter.bytes) || (waiter.same !== undefined && batch.bySame.has(waiter.same))) return batch
      close(batch)
    }
    const batch: Batch<A> = {
      first: waiter,
      slots: new Set(),
      bySame: new Map(),
      full: isMoment ? undefined : Deferred.unsafeMake(FiberId.none),
      bytes: 0,
      fiber: undefined
    }
    open = [...open, batch]
    return batch
  }

  const slotIn = (batch: Batch<A>, waiter: A): Slot<A> => {
    const { bytes, same } = waiter
    const known = same === undefined ? undefined : batch.bySame.get(same)
    if (known !== undefined) {
      known.gains(waiter)
      return known
    }
    const slot = new Slot(waiter, same, bytes)
    batch.slots.add(slot)
    batch.bytes += bytes
    if (same !== undefined) batch.bySame.set(same, slot)
    if (batch.slots.size >= options.maxCount) close(batch)
    return slot
  }

  const waited = (batch: Batch<A>): Effect.Effect<void> =>
    batch.full === undefined
      ? Effect.yieldNow()
      : Effect.raceFirst(Effect.sleep(options.window), Deferred.await(batch.full))

  const fail = (slots: ReadonlyArray<Slot<A>>, cause: Cause.Cause<E>): void => {
    for (const slot of slots) {
      slot.first.failed(cause)
      for (const waiter of slot.others) waiter.failed(cause)
    }
  }

  /** Whether any waiter of a slot asks again. */
  const answer = (slot: Slot<A>, given: B | undefined): boolean => {
    if (given === undefined) {
      fail([slot], Cause.die("a call was given no answer"))
      return false
    }
    return slot.others.length === 0 ? slot.first.done(given) : slot.keeps((waiter) => waiter.done(given))
  }

  /** Delivers answers to the waiters of some slots; returns the slots that ask again. */
  const settle = (
    batch: Batch<A>,
    slots: ReadonlyArray<Slot<A>>,
    exit: Exit.Exit<ReadonlyArray<B>, E>
  ): ReadonlyArray<Slot<A>> => {
    if (Exit.isFailure(exit)) {
      fail(slots, exit.cause)
      for (const slot of slots) batch.slots.delete(slot)
      return []
    }
    return slots.filter((slot, i) => {
      const stays = batch.slots.has(slot) && answer(slot, exit.value[i])
      if (!stays) batch.slots.delete(slot)
      return stays
    })
  }

  /** Waits once for all calls that ask again, then runs them together. */
  const again = (batch: Batch<A>, slots: ReadonlyArray<Slot<A>>, runs: number): Effect.Effect<void> =>
    Effect.flatMap(options.backoff(batch.first, runs), (millis) => {
      const patient = slots.filter((slot) => {
        const stays = slot.keeps((waiter) => waiter.awaits(millis))
        if (!stays) batch.slots.delete(slot)
        return stays
      })
      return patient.length === 0 ? Effect.void : Effect.delay(
        Effect.suspend(() => runThem(batch, patient.filter((slot) => batch.slots.has(slot)), runs + 1)),
        millis
      )
    })

  const halves = (batch: Batch<A>, slots: ReadonlyArray<Slot<A>>, runs: number): Effect.Effect<void> => {
    const middle = Math.ceil(slots.length / 2)
    return Effect.forEach(
      [slots.slice(0, middle), slots.slice(middle)],
      (half) => runThem(batch, half, runs),
      { concurrency: "unbounded", discard: true }
    )
  }

  const runThem = (batch: Batch<A>, slots: ReadonlyArray<Slot<A>>, runs: number): Effect.Effect<void> =>
    slots.length === 0 ? Effect.void : Effect.flatMap(
      Effect.exit(options.run(slots)),
      (exit) => {
        if (Exit.isFailure(exit) && slots.length > 1 && options.splits(slots, exit.cause)) {
          return halves(batch, slots.filter((slot) => batch.slots.has(slot)), runs)
        }
        const asking = settle(batch, slots, exit)
        return asking.length === 0 ? Effect.void : again(batch, asking, runs)
      }
    )

  const work = (batch: Batch<A>): Effect.Effect<void> =>
    Effect.flatMap(waited(batch), () => {
      close(batch)
      return runThem(batch, [...batch.slots], 1)
    })

  const leave = (batch: Batch<A>, slot: Slot<A>, waiter: A): void => {
    if (!slot.loses(waiter)) return
    if (batch.slots.delete(slot)) batch.bytes -= slot.bytes
    if (slot.same !== undefined) batch.bySame.delete(slot.same)
    if (batch.slots.size > 0 || batch.fiber === undefined) return
    open = open.filter((other) => other !== batch)
    batch.fiber.unsafeInterruptAsFork(FiberId.none)
  }

  return (waiter, caller) => {
    const batch = batchFor(waiter)
    const slot = slotIn(batch, waiter)
    batch.fiber ??= Runtime.runFork(runtimeOf(caller), work(batch), { immediate: false })
    return () => leave(batch, slot, waiter)
  }
}

/** The runtime for a fiber without a parent: it inherits from the fiber that creates it. */
export const runtimeOf = (fiber: Fiber.RuntimeFiber<unknown, unknown>): Runtime.Runtime<never> =>
  Runtime.make({
    context: fiber.currentContext,
    fiberRefs: fiber.getFiberRefs(),
    runtimeFlags: Runtime.defaultRuntimeFlags
  })
