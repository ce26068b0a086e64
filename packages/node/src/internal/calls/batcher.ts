/**
 * Gathers calls made within a window, from any fiber, and runs them together.
 *
 * The first call of a window starts a fiber that lives only while someone waits for it. An interrupted caller leaves at
 * once, a call without callers is not run, and a running batch is interrupted when its last caller leaves.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"

/** A call of one caller. Its functions must not throw. */
export interface Waiter<B, E> {
  /** Calls in a batch with the same key are run once; `undefined` if this call must be run by itself. */
  readonly key: string | undefined
  readonly bytes: number
  /** Receives an answer. Returns true to ask again later: the answer says so, and there is time. */
  readonly onAnswer: (answer: B) => boolean
  readonly onFailure: (cause: Cause.Cause<E>) => void
  /** Receives the wait before the next run. Returns false to leave, because that is too long. */
  readonly onWait: (millis: number) => boolean
}

export interface Options<A extends Waiter<B, E>, B, E> {
  /** How long the first call waits for others; with 0, until all fibers that are ready have run once. */
  readonly window: Duration.DurationInput
  readonly maxCount: number
  readonly maxBytes: number
  /** The most calls that the node takes in a request, as far as that is known. */
  readonly learnedCount: () => number
  /** Whether two calls may be run together. */
  readonly mayShare: (one: A, other: A) => boolean
  /** Runs some calls, in one request or more. Each gets an outcome by `settle`, once. */
  readonly run: <S extends SharedCall<A>>(calls: ReadonlyArray<S>, settling: Settling<S, B, E>) => Effect.Effect<void>
  /** How many milliseconds to wait before running the calls that ask again, of which `first` is one. */
  readonly backoff: (first: A, runs: number) => Effect.Effect<number>
}

/** How calls that run get their outcomes. */
export interface Settling<S, B, E> {
  /** How often these calls were run before. */
  readonly repeats: number
  /** Whether anybody waits for a call. */
  readonly isWanted: (call: S) => boolean
  /** Delivers answers in the order of the calls, or the failure of all. Ends when calls that ask again have run again. */
  readonly settle: (calls: ReadonlyArray<S>, exit: Exit.Exit<ReadonlyArray<B>, E>) => Effect.Effect<void>
}

/** A call, and everyone who makes it. */
export interface SharedCall<out A> {
  readonly first: A
  readonly others: ReadonlyArray<A>
}

export const forEachCaller = <A>(calls: ReadonlyArray<SharedCall<A>>, visit: (caller: A) => void): void => {
  for (const { first, others } of calls) {
    visit(first)
    others.forEach((other) => visit(other))
  }
}

const none: ReadonlyArray<never> = []

/** The place of a call in its batch. */
class Slot<A> implements SharedCall<A> {
  #list: Array<A> | undefined

  constructor(
    public first: A,
    readonly key: string | undefined,
    readonly bytes: number
  ) {}

  get others(): ReadonlyArray<A> {
    return this.#list ?? none
  }

  add(waiter: A): void {
    if (this.#list === undefined) this.#list = [waiter]
    else this.#list.push(waiter)
  }

  /** Keeps the waiters that stay; returns whether any is left. */
  retain(stays: (waiter: A) => boolean): boolean {
    const [first, ...others] = [this.first, ...this.others].filter(stays)
    if (first === undefined) return false
    this.first = first
    this.#list = others
    return true
  }
}

/**
 * `first` is the call that all others in the batch must fit; `full` is completed when the batch is full, and `undefined`
 * if the window is 0.
 */
class Batch<A> {
  readonly slots: Set<Slot<A>>
  readonly byKey = new Map<string, Slot<A>>()
  bytes = 0
  fiber: Fiber.RuntimeFiber<unknown, unknown> | undefined

  constructor(
    readonly first: A,
    readonly full: Deferred.Deferred<void> | undefined,
    slots: ReadonlyArray<Slot<A>> = none
  ) {
    this.slots = new Set(slots)
  }
}

export class Batcher<A extends Waiter<B, E>, B, E> {
  /** The batches that still take calls, oldest first. */
  #open: ReadonlyArray<Batch<A>> = []
  readonly #hasNoWindow: boolean

  constructor(private readonly options: Options<A, B, E>) {
    this.#hasNoWindow = Duration.toMillis(options.window) === 0
  }

  /**
   * Puts a call into a batch, and starts the batch if it is new. Returns a function to leave it, for a caller that no
   * longer waits.
   */
  join(waiter: A, caller: Fiber.RuntimeFiber<unknown, unknown>): () => void {
    const batch = this.#batchFor(waiter)
    const slot = this.#placeIn(batch, waiter)
    batch.fiber ??= Runtime.runFork(runtimeOf(caller), this.#runBatch(batch), { immediate: false })
    return () => this.#leave(batch, slot, waiter)
  }

  /**
   * Runs some calls as a batch of their own, in the calling fiber, whose interruption ends it. No others may join, and
   * they are not compared with each other.
   */
  runTogether(waiters: ReadonlyArray<A>): Effect.Effect<void> {
    const [first] = waiters
    if (first === undefined) return Effect.void
    return Effect.suspend(() => {
      const slots = waiters.map((waiter) => new Slot(waiter, undefined, waiter.bytes))
      return this.#runSlots(new Batch(first, undefined, slots), slots, 1)
    })
  }

  #maxCount(): number {
    return Math.min(this.options.maxCount, this.options.learnedCount())
  }

  #batchFor(waiter: A): Batch<A> {
    const { options: { maxBytes, mayShare } } = this
    const maxCount = this.#maxCount()
    for (const batch of this.#open) {
      if (!mayShare(batch.first, waiter)) continue
      const hasRoom = batch.slots.size < maxCount && batch.bytes + waiter.bytes <= maxBytes
      if (hasRoom || (waiter.key !== undefined && batch.byKey.has(waiter.key))) return batch
      this.#close(batch)
    }
    const batch = new Batch(waiter, this.#hasNoWindow ? undefined : Deferred.unsafeMake<void>(FiberId.none))
    this.#open = [...this.#open, batch]
    return batch
  }

  #placeIn(batch: Batch<A>, waiter: A): Slot<A> {
    const { bytes, key } = waiter
    const known = key === undefined ? undefined : batch.byKey.get(key)
    if (known !== undefined) {
      known.add(waiter)
      return known
    }
    const slot = new Slot(waiter, key, bytes)
    batch.slots.add(slot)
    batch.bytes += bytes
    if (key !== undefined) batch.byKey.set(key, slot)
    if (batch.slots.size >= this.#maxCount()) this.#close(batch)
    return slot
  }

  #close(batch: Batch<A>): void {
    this.#open = this.#open.filter((other) => other !== batch)
    if (batch.full !== undefined) Deferred.unsafeDone(batch.full, Effect.void)
  }

  #runBatch(batch: Batch<A>): Effect.Effect<void> {
    const window = batch.full === undefined
      ? Effect.yieldNow()
      : Effect.raceFirst(Effect.sleep(this.options.window), Deferred.await(batch.full))
    return Effect.flatMap(window, () => {
      this.#close(batch)
      return this.#runSlots(batch, [...batch.slots], 1)
    })
  }

  #runSlots(batch: Batch<A>, slots: ReadonlyArray<Slot<A>>, runs: number): Effect.Effect<void> {
    if (slots.length === 0) return Effect.void
    return this.options.run(slots, {
      repeats: runs - 1,
      isWanted: (slot) => batch.slots.has(slot),
      settle: (calls, exit) => {
        const asking = settle<A, B, E>(batch, calls, exit)
        return asking.length === 0 ? Effect.void : this.#repeat(batch, asking, runs)
      }
    })
  }

  /** Waits once for all calls that ask again, then runs them together. */
  #repeat(batch: Batch<A>, slots: ReadonlyArray<Slot<A>>, runs: number): Effect.Effect<void> {
    const first = slots[0]?.first ?? batch.first
    return Effect.flatMap(this.options.backoff(first, runs), (millis) => {
      const patient = slots.filter((slot) => {
        const stays = slot.retain((waiter) => waiter.onWait(millis))
        if (!stays) batch.slots.delete(slot)
        return stays
      })
      return patient.length === 0 ? Effect.void : Effect.delay(
        Effect.suspend(() => this.#runSlots(batch, patient.filter((slot) => batch.slots.has(slot)), runs + 1)),
        millis
      )
    })
  }

  #leave(batch: Batch<A>, slot: Slot<A>, waiter: A): void {
    if (slot.retain((one) => one !== waiter)) return
    if (batch.slots.delete(slot)) batch.bytes -= slot.bytes
    if (slot.key !== undefined) batch.byKey.delete(slot.key)
    if (batch.slots.size > 0 || batch.fiber === undefined) return
    this.#open = this.#open.filter((other) => other !== batch)
    batch.fiber.unsafeInterruptAsFork(FiberId.none)
  }
}

const fail = <B, E>(slots: ReadonlyArray<Slot<Waiter<B, E>>>, cause: Cause.Cause<E>): void =>
  forEachCaller(slots, (waiter) => waiter.onFailure(cause))

/** Delivers an answer to the waiters of a slot; returns whether any of them asks again. */
const deliver = <B, E>(slot: Slot<Waiter<B, E>>, answer: B | undefined): boolean => {
  if (answer === undefined) {
    fail([slot], Cause.die("a call got no answer"))
    return false
  }
  return slot.others.length === 0 ? slot.first.onAnswer(answer) : slot.retain((waiter) => waiter.onAnswer(answer))
}

/** Delivers answers to the waiters of some slots; returns the slots that ask again. */
const settle = <A extends Waiter<B, E>, B, E>(
  batch: Batch<A>,
  slots: ReadonlyArray<Slot<A>>,
  exit: Exit.Exit<ReadonlyArray<B>, E>
): ReadonlyArray<Slot<A>> => {
  if (Exit.isFailure(exit)) {
    fail<B, E>(slots, exit.cause)
    for (const slot of slots) batch.slots.delete(slot)
    return []
  }
  return slots.filter((slot, i) => {
    const stays = batch.slots.has(slot) && deliver<B, E>(slot, exit.value[i])
    if (!stays) batch.slots.delete(slot)
    return stays
  })
}

/** The runtime for a fiber without a parent: it inherits from the fiber that creates it. */
export const runtimeOf = (fiber: Fiber.RuntimeFiber<unknown, unknown>): Runtime.Runtime<never> =>
  Runtime.make({
    context: fiber.currentContext,
    fiberRefs: fiber.getFiberRefs(),
    runtimeFlags: Runtime.defaultRuntimeFlags
  })
