/**
 * Calls of any fibers that are made within a window, run together.
 *
 * The first call of a window starts a fiber of its own, which lives only as long as somebody waits for it: who is
 * interrupted leaves at once, what nobody waits for any more is not run, and when the last one leaves while it runs, it
 * is interrupted.
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"

export interface Options<A, B, E> {
  /** How long a first call waits for others; 0 is until all fibers that are ready have run once. */
  readonly window: Duration.Duration
  readonly maxCount: number
  readonly maxBytes: number
  /** Whether two calls may be run together. */
  readonly fits: (one: A, other: A) => boolean
  /** Calls of one group with the same text are run once. */
  readonly same: (input: A) => string | undefined
  readonly bytes: (input: A) => number
  /** Runs some calls, each given by all who ask for it; an exit for each, in order. */
  readonly run: (calls: ReadonlyArray<ReadonlyArray<Asked<A>>>) => Effect.Effect<ReadonlyArray<Exit.Exit<B, E>>, E>
}

/** What somebody asks for. */
export interface Asked<A> {
  readonly input: A
}

interface Waiter<A, B, E> extends Asked<A> {
  readonly done: (outcome: Exit.Exit<B, E>) => void
}

/** Puts a call into a batch; gives back how to leave it, for a caller that does not wait for `done`. */
export type Join<A, B, E> = (
  input: A,
  caller: Fiber.RuntimeFiber<unknown, unknown>,
  done: (outcome: Exit.Exit<B, E>) => void
) => () => void

interface Slot<A, B, E> {
  readonly same: string | undefined
  readonly bytes: number
  readonly waiters: Array<Waiter<A, B, E>>
}

interface Batch<A, B, E> {
  /** What all its calls fit to. */
  readonly first: A
  readonly slots: Set<Slot<A, B, E>>
  readonly bySame: Map<string, Slot<A, B, E>>
  /** Done when there is no more room; none if the window has no length. */
  readonly full: Deferred.Deferred<void> | undefined
  bytes: number
  fiber: Fiber.RuntimeFiber<unknown, unknown> | undefined
}

export const make = <A, B, E>(options: Options<A, B, E>): Join<A, B, E> => {
  const open = new Set<Batch<A, B, E>>()
  const isMoment = Duration.toMillis(options.window) === 0

  const hasRoom = (batch: Batch<A, B, E>, bytes: number): boolean =>
    batch.slots.size < options.maxCount && batch.bytes + bytes <= options.maxBytes

  const close = (batch: Batch<A, B, E>): void => {
    open.delete(batch)
    if (batch.full !== undefined) Deferred.unsafeDone(batch.full, Effect.void)
  }

  const batchFor = (input: A, bytes: number, same: string | undefined): Batch<A, B, E> => {
    for (const batch of open) {
      if (!options.fits(batch.first, input)) continue
      if (hasRoom(batch, bytes) || (same !== undefined && batch.bySame.has(same))) return batch
      close(batch)
    }
    const batch: Batch<A, B, E> = {
      first: input,
      slots: new Set(),
      bySame: new Map(),
      full: isMoment ? undefined : Deferred.unsafeMake(FiberId.none),
      bytes: 0,
      fiber: undefined
    }
    open.add(batch)
    return batch
  }

  const slotIn = (batch: Batch<A, B, E>, bytes: number, same: string | undefined): Slot<A, B, E> => {
    const known = same === undefined ? undefined : batch.bySame.get(same)
    if (known !== undefined) return known
    const slot: Slot<A, B, E> = { same, bytes, waiters: [] }
    batch.slots.add(slot)
    batch.bytes += bytes
    if (same !== undefined) batch.bySame.set(same, slot)
    if (batch.slots.size >= options.maxCount) close(batch)
    return slot
  }

  const waited = (batch: Batch<A, B, E>): Effect.Effect<void> =>
    batch.full === undefined
      ? Effect.yieldNow()
      : Effect.raceFirst(Effect.sleep(options.window), Deferred.await(batch.full))

  const work = (batch: Batch<A, B, E>): Effect.Effect<void> =>
    Effect.flatMap(waited(batch), () => {
      close(batch)
      const slots = [...batch.slots]
      return slots.length === 0 ? Effect.void : options.run(slots.map(({ waiters }) => waiters)).pipe(
        Effect.onExit((exit) =>
          Effect.sync(() => {
            slots.forEach((slot, i) => {
              const outcome = Exit.isSuccess(exit)
                ? exit.value[i] ?? Exit.die("a call was given no exit")
                : Exit.failCause(exit.cause)
              for (const waiter of slot.waiters) waiter.done(outcome)
            })
          })
        ),
        Effect.ignore
      )
    })

  const leave = (batch: Batch<A, B, E>, slot: Slot<A, B, E>, waiter: Waiter<A, B, E>): void => {
    const place = slot.waiters.indexOf(waiter)
    if (place >= 0) slot.waiters.splice(place, 1)
    if (slot.waiters.length > 0) return
    if (batch.slots.delete(slot)) batch.bytes -= slot.bytes
    if (slot.same !== undefined) batch.bySame.delete(slot.same)
    if (batch.slots.size > 0 || batch.fiber === undefined) return
    open.delete(batch)
    batch.fiber.unsafeInterruptAsFork(FiberId.none)
  }

  return (input, caller, done) => {
    const same = options.same(input)
    const bytes = options.bytes(input)
    const batch = batchFor(input, bytes, same)
    const slot = slotIn(batch, bytes, same)
    const waiter: Waiter<A, B, E> = { input, done }
    slot.waiters.push(waiter)
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
