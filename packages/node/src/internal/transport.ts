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
    fits: (one, other) => one.safety === other.safety && one.policy === other.policy,
    same: (input) => batching !== "off" && input.safety === "safe" ? input.text : undefined,
    bytes: (input) => bytesOf(input.text) + frame,
    run: (calls) => Effect.map(run(calls), (answers) => answers.map((answer) => Exit.succeed(answer)))
  })
}

/** A caller's own deadline ends its waiting, unless the exchange ends no later: then that tells more. */
const bounded = (
  call: Call,
  waiting: Waiting,
  started: number,
  answer: Effect.Effect<Answer, ServiceError>
): Effect.Effect<Answer, ServiceError> =>
  Effect.raceFirst(
    Effect.interruptible(answer),
    Effect.interruptible(Effect.delay(
      Effect.suspend(() =>
        waiting.sentUntil !== undefined && waiting.sentUntil <= waiting.deadline.expiresAt
          ? Effect.never
          : Effect.fail(failure.expired(
            call,
            waiting.deadline,
            waiting.deadline.expiresAt - started,
            waiting.sentUntil !== undefined
          ))
      ),
      Math.max(0, waiting.deadline.expiresAt - started)
    ))
  )

/**
 * Waits for something that can be left: whoever is interrupted does so, and nothing else is interrupted for it. The same
 * as `Effect.async` with a way out, in half the steps: `next` goes on at once.
 */
const leaving = <A>(
  join: (done: (exit: Exit.Exit<Answer, ServiceError>) => void) => Effect.Effect<void>,
  next: (exit: Exit.Exit<Answer, ServiceError>) => Effect.Effect<A, NodeError>
): Effect.Effect<A, NodeError> =>
  Effect.uninterruptibleMask((restore) => {
    let leave = Effect.void
    return Effect.matchCauseEffect(
      restore(Effect.async<Answer, ServiceError>((resume) => {
        leave = join(resume)
      })),
      {
        onFailure: (cause): Effect.Effect<A, NodeError> =>
          Cause.isInterrupted(cause)
            ? Effect.zipRight(leave, Effect.failCause(cause))
            : restore(next(Exit.failCause(cause))),
        onSuccess: (value): Effect.Effect<A, NodeError> => {
          const after = next(Exit.succeed(value))
          return Exit.isExit(after) ? after : restore(after)
        }
      }
    )
  })

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

export const make = (client: ServiceClient.ServiceClient, batching: Batching): Transport => {
  const submit = submitter(client, batching)

  const named = (call: Call, error: NodeError): NodeError =>
    "method" in error || error.operation === call.operation ? error : failure.ofCall(call.operation, error)

  /** On the way of every call: as few steps of its fiber as can be. */
  const request = <A>(call: Call, { fiber, span }: Caller, settle: Settle<A>): Effect.Effect<A, NodeError> => {
    const clock = Context.get(fiber.currentDefaultServices, Clock.Clock)
    const text = textOf(call)
    if (text === undefined) return settle.failed(failure.notJson(call.operation))
    const context = fiber.currentContext
    const policy = Option.getOrElse(Context.get(context, CurrentRetryPolicy), () => client.settings.retry)
    const surrounding = Context.get(context, Deadline.CurrentDeadline)
    const deadline = Option.isSome(surrounding) ? surrounding.value : {
      expiresAt: clock.unsafeCurrentTimeMillis() + Duration.toMillis(client.settings.deadline),
      limitMillis: Duration.toMillis(client.settings.deadline)
    }

    const attempt = (made: number): Effect.Effect<A, NodeError> => {
      const { method, params, safety } = call
      const waiting: Waiting = { method, params, safety, deadline, span, policy, text, sentUntil: undefined }
      const settled = (exit: Exit.Exit<Answer, ServiceError>): Effect.Effect<A, NodeError> => {
        if (Exit.isSuccess(exit)) {
          return exit.value._tag === "Result" ? settle.done(exit.value.result) : again(errorOf(call, exit.value), made)
        }
        const error = Cause.failureOrCause(exit.cause)
        return Either.isLeft(error) ? settle.failed(named(call, error.left)) : Effect.failCause(error.right)
      }
      return Option.isNone(surrounding)
        ? leaving((done) => submit(waiting, fiber, done), settled)
        : Effect.flatMap(
          Effect.exit(
            bounded(
              call,
              waiting,
              clock.unsafeCurrentTimeMillis(),
              Effect.async((resume) => submit(waiting, fiber, resume))
            )
          ),
          settled
        )
    }

    const again = (error: NodeError, made: number): Effect.Effect<A, NodeError> => {
      if (!isThrottled(error) || made >= policy.attempts || !policy.statuses.has(429)) return settle.failed(error)
      const cap = Math.min(Duration.toMillis(policy.maxDelay), Duration.toMillis(policy.baseDelay) * 2 ** (made - 1))
      return Effect.flatMap(Random.next, (jitter) => {
        const millis = Math.round(jitter * cap)
        return clock.unsafeCurrentTimeMillis() + millis >= deadline.expiresAt
          ? settle.failed(error)
          : Effect.delay(Effect.suspend(() => attempt(made + 1)), millis)
      })
    }

    return attempt(1)
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
