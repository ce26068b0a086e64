/**
 * Gathers calls made within a window, from any fiber, and runs them together.
 *
 * The first call of a window starts a fiber that lives only while someone waits for it. An interrupted caller leaves at
 * once, a call without callers is not run, and a running batch is interrupted when its last caller leaves.
 */
import * as BatchLimits from "@effect-klaytn/core/BatchLimits"
import type { Answer } from "@effect-klaytn/core/JsonRpc"
import type { RetryPolicy } from "@effect-klaytn/core/RetryPolicy"
import { delay } from "@effect-klaytn/core/SeenBlocks"
import type { ServiceClient } from "@effect-klaytn/core/ServiceClient"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import type { Batching } from "../../Batching.js"
import * as exchange from "./exchange.js"

/** Whether two policies are equal by value: they are often created where they are used. */
const isSamePolicy = (one: RetryPolicy, other: RetryPolicy): boolean => {
  if (one === other) return true
  const { statuses, ...rest } = one
  const { statuses: otherStatuses, ...otherRest } = other
  return Equal.equals(Data.struct(rest), Data.struct(otherRest)) &&
    statuses.size === otherStatuses.size && [...statuses].every((status) => otherStatuses.has(status))
}

/** Whether two calls may be run together. */
const mayShare = (one: exchange.Waiting, other: exchange.Waiting): boolean =>
  one.call.safety === other.call.safety && isSamePolicy(one.policy, other.policy)

/**
 * `first` is the call that all others in the batch must fit; `full` is completed when the batch is full, and `undefined`
 * if the window is 0.
 */
class Batch {
  readonly slots: Set<exchange.SharedCall>
  readonly byKey = new Map<string, exchange.SharedCall>()
  bytes = 0
  fiber: Fiber.RuntimeFiber<unknown, unknown> | undefined

  constructor(
    readonly first: exchange.Waiting,
    readonly full: Deferred.Deferred<void> | undefined,
    slots: ReadonlyArray<exchange.SharedCall> = []
  ) {
    this.slots = new Set(slots)
  }
}

export class Batcher {
  /** The batches that still take calls, oldest first. */
  #open: ReadonlyArray<Batch> = []
  readonly #hasNoWindow: boolean
  readonly #request: ReturnType<typeof exchange.request>

  /** With a window of 0, a batch waits until all fibers that are ready have run once. */
  constructor(
    private readonly client: ServiceClient,
    private readonly limits: BatchLimits.BatchLimits,
    private readonly settings: Exclude<Batching, "off">
  ) {
    this.#hasNoWindow = Duration.toMillis(settings.window) === 0
    this.#request = exchange.request(client)
  }

  /**
   * Puts a call into a batch, and starts the batch if it is new. Returns a function to leave it, for a caller that no
   * longer waits.
   */
  join(waiter: exchange.Waiting, caller: Fiber.RuntimeFiber<unknown, unknown>): () => void {
    const batch = this.#batchFor(waiter)
    const slot = this.#placeIn(batch, waiter)
    batch.fiber ??= Runtime.runFork(runtimeOf(caller), this.#runBatch(batch), { immediate: false })
    return () => this.#leave(batch, slot, waiter)
  }

  /**
   * Runs some calls as a batch of their own, in the calling fiber, whose interruption ends it. No others may join, and
   * they are not compared with each other.
   */
  runTogether(waiters: ReadonlyArray<exchange.Waiting>): Effect.Effect<void> {
    const [first] = waiters
    if (first === undefined) return Effect.void
    return Effect.suspend(() => {
      const slots = waiters.map((waiter) => new exchange.SharedCall(waiter))
      return this.#runSlots(new Batch(first, undefined, slots), slots, 1)
    })
  }

  #maxCount(): number {
    return Math.min(this.settings.maxCount, this.limits.calls)
  }

  #batchFor(waiter: exchange.Waiting): Batch {
    const { maxBytes } = this.settings
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

  #placeIn(batch: Batch, waiter: exchange.Waiting): exchange.SharedCall {
    const { bytes, key } = waiter
    const known = key === undefined ? undefined : batch.byKey.get(key)
    if (known !== undefined) {
      known.add(waiter)
      return known
    }
    const slot = new exchange.SharedCall(waiter)
    batch.slots.add(slot)
    batch.bytes += bytes
    if (key !== undefined) batch.byKey.set(key, slot)
    if (batch.slots.size >= this.#maxCount()) this.#close(batch)
    return slot
  }

  #close(batch: Batch): void {
    this.#open = this.#open.filter((other) => other !== batch)
    if (batch.full !== undefined) Deferred.unsafeDone(batch.full, Effect.void)
  }

  #runBatch(batch: Batch): Effect.Effect<void> {
    const window = batch.full === undefined
      ? Effect.yieldNow()
      : Effect.raceFirst(Effect.sleep(this.settings.window), Deferred.await(batch.full))
    return Effect.flatMap(window, () => {
      this.#close(batch)
      return this.#runSlots(batch, [...batch.slots], 1)
    })
  }

  #runSlots(batch: Batch, slots: ReadonlyArray<exchange.SharedCall>, runs: number): Effect.Effect<void> {
    const [one] = slots
    if (one === undefined) return Effect.void
    return BatchLimits.send({
      limits: this.limits,
      endpoint: this.client.settings.endpoints.node,
      bytes: ({ first }) => first.bytes,
      safety: one.first.call.safety,
      // What the node throttles is sent once more as it is, then in parts, and if even a call alone is throttled, as it is.
      mayRepeat: runs !== 2,
      isWanted: (slot) => batch.slots.has(slot),
      request: this.#request,
      settle: (calls, exit) => {
        const asking = settle(batch, calls, exit)
        return asking.length === 0 ? Effect.void : this.#repeat(batch, asking, runs)
      }
    }, slots)
  }

  /** Waits once for all calls that ask again, then runs them together. */
  #repeat(batch: Batch, slots: ReadonlyArray<exchange.SharedCall>, runs: number): Effect.Effect<void> {
    const { isBlockMissing, policy } = slots[0]?.first ?? batch.first
    return Effect.flatMap(delay(policy, runs, isBlockMissing), (millis) => {
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

  #leave(batch: Batch, slot: exchange.SharedCall, waiter: exchange.Waiting): void {
    if (slot.retain((one) => one !== waiter)) return
    if (batch.slots.delete(slot)) batch.bytes -= waiter.bytes
    if (waiter.key !== undefined) batch.byKey.delete(waiter.key)
    if (batch.slots.size > 0 || batch.fiber === undefined) return
    this.#open = this.#open.filter((other) => other !== batch)
    batch.fiber.unsafeInterruptAsFork(FiberId.none)
  }
}

/** Delivers an answer to the waiters of a slot; returns whether any of them asks again. */
const deliver = (slot: exchange.SharedCall, answer: Answer | undefined): boolean => {
  if (answer === undefined) {
    slot.forEach((waiter) => waiter.onFailure(Cause.die("a call got no answer")))
    return false
  }
  return slot.isShared ? slot.retain((waiter) => waiter.onAnswer(answer)) : slot.first.onAnswer(answer)
}

/** Delivers the outcome of some calls to their waiters; returns the slots that ask again. */
const settle = (
  batch: Batch,
  slots: ReadonlyArray<exchange.SharedCall>,
  exit: Exit.Exit<ReadonlyArray<Answer>, ServiceError>
): ReadonlyArray<exchange.SharedCall> => {
  if (Exit.isFailure(exit)) exchange.forEachCaller(slots, (waiter) => waiter.onFailure(exit.cause))
  return slots.filter((slot, i) => {
    const stays = Exit.isSuccess(exit) && batch.slots.has(slot) && deliver(slot, exit.value[i])
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
