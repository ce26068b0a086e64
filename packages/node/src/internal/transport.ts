/** From a call to its result: batching, deadline, errors of the node, and waiting when the node asks for it. */
import * as Deadline from "@effect-klaytn/core/Deadline"
import type { Safety } from "@effect-klaytn/core/Operation"
import { CurrentRetryPolicy, type RetryPolicy } from "@effect-klaytn/core/RetryPolicy"
import type * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { RateLimited, ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type * as Tracer from "effect/Tracer"
import type { JSONRPCResponse } from "json-rpc-2.0"
import type { Batching } from "../Batching.js"
import type { RpcError } from "../RpcError.js"
import * as batcher from "./batcher.js"
import * as envelope from "./envelope.js"
import type { Outgoing } from "./exchange.js"
import * as exchange from "./exchange.js"
import * as failure from "./failure.js"
import * as rpcError from "./rpcError.js"

/** What is called: `operation` names it in errors and spans, `method` on the wire. */
export interface Call {
  readonly operation: string
  readonly method: string
  readonly safety: Safety
}

export type NodeError = RpcError | ServiceError

/** Who makes a call: its fiber and clock, and the span around the call if anybody sees spans. */
export interface Caller {
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
  readonly clock: Clock.Clock
  readonly span: Tracer.Span | undefined
}

/** A caller, and what it makes of the JSON of a result or of a failure. */
export interface Reader<A> extends Caller {
  readonly done: (result: unknown) => Effect.Effect<A, NodeError>
  readonly failed: (error: NodeError) => Effect.Effect<A, NodeError>
}

/** Takes both as they are. */
export const asItIs = ({ clock, fiber, span }: Caller): Reader<unknown> => ({
  clock,
  fiber,
  span,
  done: Effect.succeed,
  failed: Effect.fail
})

/** Makes calls. */
export interface Transport {
  readonly request: <A>(
    call: Call,
    params: ReadonlyArray<unknown>,
    reader: Reader<A>
  ) => Effect.Effect<A, NodeError>
  readonly notify: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<void, ServiceError>
}

const encoder = new TextEncoder()

/** Nearly all calls are ASCII, where it is the length. */
const bytesOf = (text: string): number => /^[\0-\x7f]*$/.test(text) ? text.length : encoder.encode(text).length

/** The frame around a call, with room for an ID of three digits: `{"jsonrpc":"2.0","id":100,...},`. */
const frame = 60

/** A call that waits to be answered. */
interface Waiting extends Outgoing, batcher.Waiter<JSONRPCResponse, ServiceError> {
  readonly call: Call
  readonly policy: RetryPolicy
}

type Submit = batcher.Join<Waiting>

const submitter = (client: ServiceClient.ServiceClient, batching: Batching): Submit =>
  batcher.make<Waiting, JSONRPCResponse, ServiceError>({
    // Without sharing, each call is a full batch of its own.
    ...(batching === "off" ? { window: Duration.zero, maxCount: 1, maxBytes: Number.MAX_SAFE_INTEGER } : batching),
    fits: (one, other) => one.call.safety === other.call.safety && one.policy === other.policy,
    run: exchange.run(client)
  })

const errorOf = (call: Call, refusal: envelope.Refusal): NodeError => {
  switch (refusal._tag) {
    case "Error":
      return rpcError.classify(call, refusal.body)
    case "Malformed":
      return failure.malformed(call, refusal.mismatch)
    case "Gateway":
      return failure.gateway(call, refusal.body)
  }
}

/** Too many calls, said inside of an answer: that one was not carried out, so any may be made again. */
const isThrottled = (error: NodeError): error is RateLimited =>
  error._tag === "RateLimited" && error.origin === "service" && error.status === 200

const named = (call: Call, error: NodeError): NodeError =>
  "method" in error || error.operation === call.operation ? error : failure.ofCall(call.operation, error)

// What lives as long as a call waits is made by a class here. Of a literal the engine notes that it outlives the first
// collections while a program starts, and from then on lets it, and all it leads to, outlive thousands.

const ignored = (): void => undefined

/** A deadline of a call's own. */
class Until implements Deadline.Deadline {
  constructor(readonly expiresAt: number, readonly limitMillis: number) {}
}

/** One call on its way: made again when the node says that there were too many. */
class Journey<A> implements Waiting {
  sentUntil: number | undefined
  private made = 0
  private resume: (outcome: Effect.Effect<A, NodeError>) => void = ignored

  constructor(
    readonly call: Call,
    readonly params: string,
    readonly same: string | undefined,
    readonly bytes: number,
    readonly deadline: Deadline.Deadline,
    readonly policy: RetryPolicy,
    readonly reader: Reader<A>,
    private readonly submit: Submit
  ) {}

  get span(): Tracer.Span | undefined {
    return this.reader.span
  }

  /** Whoever is interrupted leaves. The same as `Effect.async` with a way out, in half the steps. */
  attempt(): Effect.Effect<A, NodeError> {
    return Effect.uninterruptibleMask((restore) => {
      let leave: (() => void) | undefined
      return Effect.catchAllCause(
        restore(Effect.async<A, NodeError>((resume) => {
          this.made++
          this.resume = resume
          leave = this.submit(this, this.reader.fiber)
        })),
        (cause) => {
          if (Cause.isInterrupted(cause)) leave?.()
          return Effect.failCause(cause)
        }
      )
    })
  }

  done(response: JSONRPCResponse): void {
    let outcome: Effect.Effect<A, NodeError>
    try {
      const refusal = envelope.refusalIn(response)
      outcome = refusal === undefined
        ? this.reader.done(response.result)
        : this.again(errorOf(this.call, refusal))
    } catch (defect) {
      outcome = Effect.die(defect)
    }
    this.resume(outcome)
  }

  failed(cause: Cause.Cause<ServiceError>): void {
    const error = Cause.failureOrCause(cause)
    this.resume(
      Either.isLeft(error) ? this.reader.failed(named(this.call, error.left)) : Effect.failCause(error.right)
    )
  }

  private again(error: NodeError): Effect.Effect<A, NodeError> {
    const { deadline, made, policy, reader } = this
    if (!isThrottled(error) || made >= policy.attempts || !policy.statuses.has(429)) return reader.failed(error)
    const cap = Math.min(Duration.toMillis(policy.maxDelay), Duration.toMillis(policy.baseDelay) * 2 ** (made - 1))
    return Effect.flatMap(Random.next, (jitter) => {
      const millis = Math.round(jitter * cap)
      if (reader.clock.unsafeCurrentTimeMillis() + millis >= deadline.expiresAt) return reader.failed(error)
      this.sentUntil = undefined
      return Effect.delay(this.attempt(), millis)
    })
  }
}

/** A caller's own deadline ends its waiting, unless the exchange ends no later: then that tells more. */
const bounded = <A>(journey: Journey<A>): Effect.Effect<A, NodeError> => {
  const { call, deadline, reader } = journey
  const left = deadline.expiresAt - reader.clock.unsafeCurrentTimeMillis()
  return Effect.raceFirst(
    Effect.interruptible(journey.attempt()),
    Effect.interruptible(Effect.delay(
      Effect.suspend(() =>
        journey.sentUntil !== undefined && journey.sentUntil <= deadline.expiresAt
          ? Effect.never
          : reader.failed(failure.expired(call, deadline, left, journey.sentUntil !== undefined))
      ),
      Math.max(0, left)
    ))
  )
}

/** On the way of every call: as few steps of its fiber, and as few objects, as can be. */
export const make = (client: ServiceClient.ServiceClient, batching: Batching): Transport => {
  const submit = submitter(client, batching)
  const limitMillis = Duration.toMillis(client.settings.deadline)

  const request = <A>(call: Call, params: ReadonlyArray<unknown>, reader: Reader<A>): Effect.Effect<A, NodeError> => {
    const text = textOf(params)
    if (text === undefined) return reader.failed(failure.notJson(call.operation))
    const context = reader.fiber.currentContext
    const policy = Option.getOrElse(Context.get(context, CurrentRetryPolicy), () => client.settings.retry)
    const surrounding = Context.get(context, Deadline.CurrentDeadline)
    const deadline = Option.isSome(surrounding)
      ? surrounding.value
      : new Until(reader.clock.unsafeCurrentTimeMillis() + limitMillis, limitMillis)
    const same = batching !== "off" && call.safety === "safe" ? `${call.method} ${text}` : undefined
    const bytes = bytesOf(text) + call.method.length + frame
    const journey = new Journey(call, text, same, bytes, deadline, policy, reader, submit)
    return Option.isSome(surrounding) ? bounded(journey) : journey.attempt()
  }

  return { request, notify: (method, params) => exchange.notify(client, method, params) }
}

/** The parameters as they go over the wire; none if they can't be written as JSON. */
const textOf = (params: ReadonlyArray<unknown>): string | undefined => {
  try {
    return JSON.stringify(params)
  } catch {
    return undefined
  }
}
