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
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"

export interface Options<A, B, E> {
  /** How long a first call waits for others; 0 is until all fibers that are ready have run once. */
  readonly window: Duration.Duration
  readonly maxCount: number
  readonly maxBytes: number
  /** Calls that differ in one of these are never run together. */
  readonly group: (input: A) => ReadonlyArray<unknown>
  /** Calls of one group with the same text are run once. */
  readonly same: (input: A) => string | undefined
  readonly bytes: (input: A) => number
  /** Runs some calls, each given by all inputs that ask for it; an exit for each, in order. */
  readonly run: (calls: ReadonlyArray<ReadonlyArray<A>>) => Effect.Effect<ReadonlyArray<Exit.Exit<B, E>>, E>
}

interface Slot<A, B, E> {
  readonly same: string | undefined
  readonly bytes: number
  readonly inputs: Set<A>
  readonly done: Deferred.Deferred<B, E>
}

interface Batch<A, B, E> {
  readonly group: ReadonlyArray<unknown>
  readonly slots: Set<Slot<A, B, E>>
  readonly bySame: Map<string, Slot<A, B, E>>
  /** Done when there is no more room. */
  readonly full: Deferred.Deferred<void>
  bytes: number
  started: boolean
  fiber: Fiber.RuntimeFiber<unknown, unknown> | undefined
}

const agree = (left: ReadonlyArray<unknown>, right: ReadonlyArray<unknown>): boolean =>
  left.every((part, i) => part === right[i])

export const make = <A, B, E>(options: Options<A, B, E>): (input: A) => Effect.Effect<B, E> => {
  const open = new Set<Batch<A, B, E>>()

  const hasRoom = (batch: Batch<A, B, E>, bytes: number): boolean =>
    batch.slots.size < options.maxCount && batch.bytes + bytes <= options.maxBytes

  const close = (batch: Batch<A, B, E>): void => {
    open.delete(batch)
    Deferred.unsafeDone(batch.full, Effect.void)
  }

  const batchFor = (group: ReadonlyArray<unknown>, bytes: number, same: string | undefined): Batch<A, B, E> => {
    for (const batch of open) {
      if (!agree(batch.group, group)) continue
      if (hasRoom(batch, bytes) || (same !== undefined && batch.bySame.has(same))) return batch
      close(batch)
    }
    const batch: Batch<A, B, E> = {
      group,
      slots: new Set(),
      bySame: new Map(),
      full: Deferred.unsafeMake(FiberId.none),
      bytes: 0,
      started: false,
      fiber: undefined
    }
    open.add(batch)
    return batch
  }

  const join = (input: A): readonly [batch: Batch<A, B, E>, slot: Slot<A, B, E>] => {
    const same = options.same(input)
    const bytes = options.bytes(input)
    const batch = batchFor(options.group(input), bytes, same)
    const known = same === undefined ? undefined : batch.bySame.get(same)
    if (known !== undefined) {
      known.inputs.add(input)
      return [batch, known]
    }
    const slot: Slot<A, B, E> = {
      same,
      bytes,
      inputs: new Set([input]),
      done: Deferred.unsafeMake(FiberId.none)
    }
    batch.slots.add(slot)
    batch.bytes += bytes
    if (same !== undefined) batch.bySame.set(same, slot)
    if (batch.slots.size >= options.maxCount) close(batch)
    return [batch, slot]
  }

  const waited = (batch: Batch<A, B, E>): Effect.Effect<void> =>
    Duration.toMillis(options.window) === 0
      ? Effect.yieldNow()
      : Effect.raceFirst(Effect.sleep(options.window), Deferred.await(batch.full))

  const work = (batch: Batch<A, B, E>): Effect.Effect<void> =>
    Effect.flatMap(waited(batch), () => {
      close(batch)
      const slots = [...batch.slots]
      return slots.length === 0 ? Effect.void : options.run(slots.map((slot) => [...slot.inputs])).pipe(
        Effect.onExit((exit) =>
          Effect.sync(() => {
            slots.forEach((slot, i) => {
              const outcome = Exit.isSuccess(exit)
                ? exit.value[i] ?? Exit.die("a call was given no exit")
                : Exit.failCause(exit.cause)
              Deferred.unsafeDone(slot.done, outcome)
            })
          })
        ),
        Effect.ignore
      )
    })

  const leave = (batch: Batch<A, B, E>, slot: Slot<A, B, E>, input: A): Effect.Effect<void> =>
    Effect.suspend(() => {
      slot.inputs.delete(input)
      if (slot.inputs.size > 0) return Effect.void
      if (batch.slots.delete(slot)) batch.bytes -= slot.bytes
      if (slot.same !== undefined) batch.bySame.delete(slot.same)
      if (batch.slots.size > 0 || batch.fiber === undefined) return Effect.void
      open.delete(batch)
      return Fiber.interruptFork(batch.fiber)
    })

  return (input) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const [batch, slot] = join(input)
        const first = !batch.started
        batch.started = true
        const started = first
          ? Effect.map(Effect.forkDaemon(Effect.interruptible(work(batch))), (fiber) => {
            batch.fiber = fiber
          })
          : Effect.void
        return Effect.zipRight(started, restore(Deferred.await(slot.done))).pipe(
          Effect.onInterrupt(() => leave(batch, slot, input))
        )
      })
    )
}
