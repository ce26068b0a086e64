/** Makes the calls of a list: some requests at a time, each with many calls, without a fiber for each call. */
import type { BatchLimits } from "@effect-klaytn/core/BatchLimits"
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import { CurrentRetryPolicy, type RetryPolicy } from "@effect-klaytn/core/RetryPolicy"
import type { SeenBlocks } from "@effect-klaytn/core/SeenBlocks"
import type * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Batching } from "../../Batching.js"
import type { CallDescriptor, NodeError } from "../errors/failure.js"
import { AnsweredCall } from "./answeredCall.js"
import type { Batcher } from "./batcher.js"
import { bytesOf } from "./exchange.js"
import { CallDeadline, type Caller } from "./pendingCall.js"

/** A call of a list, which gets the JSON of its result, or an error. */
export interface ListItem {
  readonly call: CallDescriptor
  readonly params: ReadonlyArray<unknown>
  /** Called with what stands for the exchange that carries it; its answer is from the last one. */
  readonly onSent: (exchange: object) => void
  readonly onResult: (result: unknown) => void
  readonly onError: (error: NodeError) => void
}

export interface List {
  /** The next call; `undefined` at the end. */
  readonly next: () => ListItem | undefined
  /** Called when the calls of a request have their outcomes. */
  readonly onSettled: () => void
  /** The most calls in one request; `undefined` for that of the settings. */
  readonly maxCount: number | undefined
  /** The most requests at the same time. */
  readonly concurrency: number
}

/** Runs the effects that `next` makes, some at a time, until it makes none. */
export const inParallel = (
  concurrency: number,
  next: () => Effect.Effect<void> | undefined
): Effect.Effect<void> => {
  const worker: Effect.Effect<void> = Effect.suspend(() => {
    const step = next()
    return step === undefined ? Effect.void : Effect.zipRight(step, worker)
  })
  return concurrency === 1 ? worker : Effect.forEach(
    Array.from({ length: concurrency }, () => worker),
    (one) => one,
    { concurrency, discard: true }
  )
}

/** What the calls of one request share. */
interface Shared {
  readonly deadline: Deadline.Deadline
  readonly policy: RetryPolicy
  readonly clock: Clock.Clock
  readonly seen: SeenBlocks
  /** The first defect among them, which is one of the whole list. */
  defect: Cause.Cause<never> | undefined
}

class ListedCall extends AnsweredCall {
  /** Equal calls of a list are not recognised: comparing them would cost more than sending them. */
  readonly key = undefined

  /** The list has a span, and its calls have none. */
  readonly span = undefined

  constructor(private readonly item: ListItem, private readonly shared: Shared, params: string, bytes: number) {
    super(item.call, params, bytes, shared.deadline, shared.policy, shared.seen, shared.clock)
  }

  override onSent(until: number, count: number, exchange: object): void {
    super.onSent(until, count, exchange)
    this.item.onSent(exchange)
  }

  protected succeed(result: unknown): void {
    this.item.onResult(result)
  }

  protected fail(error: NodeError): void {
    this.item.onError(error)
  }

  protected die(cause: Cause.Cause<never>): void {
    this.shared.defect ??= cause
  }
}

export interface Options {
  readonly batcher: Batcher
  readonly batching: Batching
  readonly limits: BatchLimits
  readonly seen: SeenBlocks
  /** The time of a request under no deadline of the caller's. */
  readonly limitMillis: number
  readonly policy: RetryPolicy
}

/** Takes calls from a list for one request at a time, within the limits. */
const taker = (next: List["next"], maxCount: () => number, maxBytes: number) => {
  /** The first call that the previous request had no room for. */
  let left: readonly [item: ListItem, params: string, bytes: number] | undefined
  const one = (): typeof left => {
    for (let item = next(); item !== undefined; item = next()) {
      const text = JsonRpc.writeParams(item.call.operation, item.params)
      if (Either.isRight(text)) return [item, text.right, bytesOf(item.call, text.right)]
      item.onError(text.left)
    }
    return undefined
  }
  return (shared: Shared): ReadonlyArray<ListedCall> => {
    const taken: Array<ListedCall> = []
    const most = maxCount()
    let total = 0
    for (left ??= one(); left !== undefined; left = one()) {
      const [item, params, bytes] = left
      if (taken.length > 0 && (taken.length >= most || total + bytes > maxBytes)) break
      taken.push(new ListedCall(item, shared, params, bytes))
      total += bytes
    }
    return taken
  }
}

/** Each request has the client's deadline, unless the caller set one, which is that of the whole list. */
export const run = ({ batcher, batching, limitMillis, limits, policy, seen }: Options) =>
(
  { concurrency, maxCount, next, onSettled }: List,
  { clock, fiber }: Caller
): Effect.Effect<void> => {
  const context = fiber.currentContext
  const surrounding = Option.getOrUndefined(Context.get(context, Deadline.CurrentDeadline))
  const current = Option.getOrElse(Context.get(context, CurrentRetryPolicy), () => policy)
  // With batching off, each call is a request of its own.
  const take = batching === "off"
    ? taker(next, () => 1, Number.MAX_SAFE_INTEGER)
    : taker(next, () => Math.min(maxCount ?? batching.maxListCount, limits.calls), batching.maxBytes)
  return inParallel(concurrency, () => {
    const shared: Shared = {
      deadline: surrounding ?? new CallDeadline(Deadline.now(clock) + limitMillis, limitMillis),
      policy: current,
      clock,
      seen,
      defect: undefined
    }
    const calls = take(shared)
    return calls.length === 0 ? undefined : Effect.flatMap(
      Effect.map(batcher.runTogether(calls), onSettled),
      () => shared.defect === undefined ? Effect.void : Effect.failCause(shared.defect)
    )
  })
}
