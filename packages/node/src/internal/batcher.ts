/**
 * Calls of any fibers that are made within a window, run together.
 *
 * The first call of a window starts a fiber of its own, which lives only as long as somebody waits for it: who is
 * interrupted leaves at once, what nobody waits for any more is not run, and when the last one leaves while it runs, it
 * is interrupted.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"

/** Somebody who waits for an answer. None of the two may throw. */
export interface Waiter<B, E> {
  /** Calls of one group with the same text are run once; none if this one is to be run by itself. */
  readonly same: string | undefined
  readonly bytes: number
  readonly done: (answer: B) => void
  readonly failed: (cause: Cause.Cause<E>) => void
}

export interface Options<A extends Waiter<B, E>, B, E> {
  /** How long a first call waits for others; 0 is until all fibers that are ready have run once. */
  readonly window: Duration.Duration
  readonly maxCount: number
  readonly maxBytes: number
  /** Whether two calls may be run together. */
  readonly fits: (one: A, other: A) => boolean
  /** Runs some calls; an answer for each, in order. */
  readonly run: (calls: ReadonlyArray<Asked<A>>) => Effect.Effect<ReadonlyArray<B>, E>
}

/** A call, by all who ask for it. */
export interface Asked<out A> {
  readonly first: A
  readonly others: ReadonlyArray<A>
}

/** Puts a call into a batch; gives back how to leave it, for a caller that does not wait any more. */
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

  /** Takes somebody out; whether nobody is left. */
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
  /** What all its calls fit to. */
  readonly first: A
  readonly slots: Set<Slot<A>>
  readonly bySame: Map<string, Slot<A>>
  /** Done when there is no more room; none if the window has no length. */
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

  const settle = (slots: ReadonlyArray<Asked<A>>, exit: Exit.Exit<ReadonlyArray<B>, E>): void => {
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i]
      if (slot === undefined) continue
      const answer = Exit.isSuccess(exit) ? exit.value[i] : undefined
      const tell = (waiter: A): void =>
        Exit.isFailure(exit)
          ? waiter.failed(exit.cause)
          : answer === undefined
          ? waiter.failed(Cause.die("a call was given no answer"))
          : waiter.done(answer)
      tell(slot.first)
      slot.others.forEach(tell)
    }
  }

  const work = (batch: Batch<A>): Effect.Effect<void> =>
    Effect.flatMap(waited(batch), () => {
      close(batch)
      const slots = [...batch.slots]
      return slots.length === 0 ? Effect.void : options.run(slots).pipe(
        Effect.onExit((exit) => Effect.sync(() => settle(slots, exit))),
        Effect.ignore
      )
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

/** A fiber that is nobody's child begins with what its maker has. */
const runtimeOf = (fiber: Fiber.RuntimeFiber<unknown, unknown>): Runtime.Runtime<never> =>
  Runtime.make({
    context: fiber.currentContext,
    fiberRefs: fiber.getFiberRefs(),
    runtimeFlags: Runtime.defaultRuntimeFlags
  })
