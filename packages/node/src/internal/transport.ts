/** From a call to its result: batching, deadline, errors of the node, and waiting when the node asks for it. */
import * as Deadline from "@effect-klaytn/core/Deadline"
import type { Safety } from "@effect-klaytn/core/Operation"
import { CurrentRetryPolicy, type RetryPolicy } from "@effect-klaytn/core/RetryPolicy"
import type * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { RateLimited, ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type * as Tracer from "effect/Tracer"
import type { Batching } from "../Batching.js"
import type { RpcError } from "../RpcError.js"
import * as batcher from "./batcher.js"
import type { Answer, Outgoing } from "./exchange.js"
import * as exchange from "./exchange.js"
import * as failure from "./failure.js"
import * as rpcError from "./rpcError.js"

/** A call: `operation` names it in errors and spans, `method` on the wire. */
export interface Call {
  readonly operation: string
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly safety: Safety
}

export type NodeError = RpcError | ServiceError

/** What becomes of the JSON of a result, or of a failure. */
export interface Settle<A> {
  readonly done: (result: unknown) => Effect.Effect<A, NodeError>
  readonly failed: (error: NodeError) => Effect.Effect<A, NodeError>
}

/** Both as they are. */
export const asItIs: Settle<unknown> = { done: Effect.succeed, failed: Effect.fail }

/** Who makes a call: its fiber, and the span around the call if anybody sees spans. */
export interface Caller {
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
  readonly span: Tracer.Span | undefined
}

/** Makes calls. */
export interface Transport {
  readonly request: <A>(call: Call, caller: Caller, settle: Settle<A>) => Effect.Effect<A, NodeError>
  readonly notify: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<void, ServiceError>
}

interface Waiting extends Outgoing {
  readonly call: Call
  readonly policy: RetryPolicy
  readonly text: string
}

type Submit = batcher.Join<Waiting, Answer, ServiceError>

const encoder = new TextEncoder()

/** Nearly all calls are ASCII, where it is the length. */
const bytesOf = (text: string): number => /^[\0-\x7f]*$/.test(text) ? text.length : encoder.encode(text).length

/** The frame around a call, with room for an ID of three digits: `{"jsonrpc":"2.0","id":100,...},`. */
const frame = 60

const submitter = (client: ServiceClient.ServiceClient, batching: Batching): Submit => {
  const run = exchange.run(client)
  return batcher.make({
    // Without sharing, each call is a full batch of its own.
    ...(batching === "off" ? { window: Duration.zero, maxCount: 1, maxBytes: Number.MAX_SAFE_INTEGER } : batching),
    fits: (one, other) => one.call.safety === other.call.safety && one.policy === other.policy,
    same: (input) => batching !== "off" && input.call.safety === "safe" ? input.text : undefined,
    bytes: (input) => bytesOf(input.text) + frame,
    run: (calls) => Effect.map(run(calls), (answers) => answers.map((answer) => Exit.succeed(answer)))
  })
}

const errorOf = (call: Call, answer: Exclude<Answer, { readonly _tag: "Result" }>): NodeError => {
  switch (answer._tag) {
    case "Error":
      return rpcError.classify(call, answer.body)
    case "Malformed":
      return failure.malformed(call, answer.mismatch)
    case "Gateway":
      return failure.gateway(call, answer.body)
  }
}

/** Too many calls, said inside of an answer: that one was not carried out, so any may be made again. */
const isThrottled = (error: NodeError): error is RateLimited =>
  error._tag === "RateLimited" && error.origin === "service" && error.status === 200

const named = (call: Call, error: NodeError): NodeError =>
  "method" in error || error.operation === call.operation ? error : failure.ofCall(call.operation, error)

/** One call on its way: made again when the node says that there were too many. */
interface Journey<A> {
  readonly waiting: Waiting
  readonly caller: Caller
  readonly clock: Clock.Clock
  readonly settle: Settle<A>
}

/** A caller's own deadline ends its waiting, unless the exchange ends no later: then that tells more. */
const bounded = <A>(
  { clock, settle, waiting }: Journey<A>,
  effect: Effect.Effect<A, NodeError>
): Effect.Effect<A, NodeError> => {
  const { call, deadline } = waiting
  const left = deadline.expiresAt - clock.unsafeCurrentTimeMillis()
  return Effect.raceFirst(
    Effect.interruptible(effect),
    Effect.interruptible(Effect.delay(
      Effect.suspend(() =>
        waiting.sentUntil !== undefined && waiting.sentUntil <= deadline.expiresAt
          ? Effect.never
          : settle.failed(failure.expired(call, deadline, left, waiting.sentUntil !== undefined))
      ),
      Math.max(0, left)
    ))
  )
}

/** On the way of every call: as few steps of its fiber as can be. */
export const make = (client: ServiceClient.ServiceClient, batching: Batching): Transport => {
  const submit = submitter(client, batching)

  /** Whoever is interrupted leaves. The same as `Effect.async` with a way out, in half the steps. */
  const attempt = <A>(journey: Journey<A>, made: number): Effect.Effect<A, NodeError> =>
    Effect.uninterruptibleMask((restore) => {
      const { caller, settle, waiting } = journey
      let leave: (() => void) | undefined
      return Effect.matchCauseEffect(
        restore(Effect.async<Answer, ServiceError>((resume) => {
          leave = submit(waiting, caller.fiber, resume)
        })),
        {
          onFailure: (cause): Effect.Effect<A, NodeError> => {
            if (Cause.isInterrupted(cause)) leave?.()
            const error = Cause.failureOrCause(cause)
            return Either.isLeft(error)
              ? settle.failed(named(waiting.call, error.left))
              : Effect.failCause(error.right)
          },
          onSuccess: (answer): Effect.Effect<A, NodeError> =>
            answer._tag === "Result"
              ? settle.done(answer.result)
              : restore(again(journey, errorOf(waiting.call, answer), made))
        }
      )
    })

  const again = <A>(journey: Journey<A>, error: NodeError, made: number): Effect.Effect<A, NodeError> => {
    const { clock, settle, waiting } = journey
    const { deadline, policy } = waiting
    if (!isThrottled(error) || made >= policy.attempts || !policy.statuses.has(429)) return settle.failed(error)
    const cap = Math.min(Duration.toMillis(policy.maxDelay), Duration.toMillis(policy.baseDelay) * 2 ** (made - 1))
    return Effect.flatMap(Random.next, (jitter) => {
      const millis = Math.round(jitter * cap)
      if (clock.unsafeCurrentTimeMillis() + millis >= deadline.expiresAt) return settle.failed(error)
      waiting.sentUntil = undefined
      return Effect.delay(attempt(journey, made + 1), millis)
    })
  }

  const request = <A>(call: Call, caller: Caller, settle: Settle<A>): Effect.Effect<A, NodeError> => {
    const text = textOf(call)
    if (text === undefined) return settle.failed(failure.notJson(call.operation))
    const clock = Context.get(caller.fiber.currentDefaultServices, Clock.Clock)
    const context = caller.fiber.currentContext
    const policy = Option.getOrElse(Context.get(context, CurrentRetryPolicy), () => client.settings.retry)
    const surrounding = Context.get(context, Deadline.CurrentDeadline)
    const deadline = Option.isSome(surrounding) ? surrounding.value : {
      expiresAt: clock.unsafeCurrentTimeMillis() + Duration.toMillis(client.settings.deadline),
      limitMillis: Duration.toMillis(client.settings.deadline)
    }
    const waiting: Waiting = { call, deadline, span: caller.span, policy, text, sentUntil: undefined }
    const journey: Journey<A> = { waiting, caller, clock, settle }
    return Option.isSome(surrounding) ? bounded(journey, attempt(journey, 1)) : attempt(journey, 1)
  }

  return { request, notify: (method, params) => exchange.notify(client, method, params) }
}

/** What makes two calls equal, and how long they are; none if the parameters can't be written as JSON. */
const textOf = (call: Call): string | undefined => {
  try {
    return `${call.method} ${JSON.stringify(call.params)}`
  } catch {
    return undefined
  }
}
