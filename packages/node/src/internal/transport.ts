/** From a call to its result: batching, deadline, errors of the node, and waiting when the node asks for it. */
import * as Deadline from "@effect-klaytn/core/Deadline"
import type { Safety } from "@effect-klaytn/core/Operation"
import { CurrentRetryPolicy, type RetryPolicy } from "@effect-klaytn/core/RetryPolicy"
import type * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { RateLimited, ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
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

/** Makes a call; its result is the JSON of the answer. */
export interface Transport {
  readonly request: (call: Call) => Effect.Effect<unknown, NodeError>
  readonly notify: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<void, ServiceError>
}

interface Waiting extends Outgoing {
  readonly policy: RetryPolicy
  readonly text: string
}

type Submit = (input: Waiting) => Effect.Effect<Answer, ServiceError>

const encoder = new TextEncoder()

/** Nearly all calls are ASCII, where it is the length. */
const bytesOf = (text: string): number => /^[\0-\x7f]*$/.test(text) ? text.length : encoder.encode(text).length

/** The frame around a call, with room for an ID of three digits: `{"jsonrpc":"2.0","id":100,...},`. */
const frame = 60

const submitter = (client: ServiceClient.ServiceClient, batching: Batching): Submit => {
  const run = exchange.run(client)
  const exits = (calls: ReadonlyArray<ReadonlyArray<Waiting>>) =>
    Effect.map(run(calls), (answers) => answers.map((answer) => Exit.succeed(answer)))
  return batching === "off"
    ? (input) => Effect.flatMap(exits([[input]]), ([exit]) => exit ?? Effect.dieMessage("no answer was dealt"))
    : batcher.make<Waiting, Answer, ServiceError>({
      ...batching,
      group: (input) => [input.safety, input.policy],
      same: (input) => input.safety === "safe" ? input.text : undefined,
      bytes: (input) => bytesOf(input.text) + frame,
      run: exits
    })
}

/** A caller's own deadline ends its waiting, unless the exchange ends no later: then that tells more. */
const bounded = (
  call: Call,
  waiting: Waiting,
  started: number,
  submit: Submit
): Effect.Effect<Answer, ServiceError> =>
  Effect.raceFirst(
    Effect.interruptible(submit(waiting)),
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

  /** Runs on the path of every call: what a fiber has is read at once instead of step by step. */
  const request = (call: Call): Effect.Effect<unknown, NodeError> =>
    Effect.withFiberRuntime((fiber) => {
      const clock = Context.get(fiber.currentDefaultServices, Clock.Clock)
      const text = textOf(call)
      if (text === undefined) return Effect.fail(failure.notJson(call.operation))
      const context = fiber.currentContext
      const policy = Option.getOrElse(Context.get(context, CurrentRetryPolicy), () => client.settings.retry)
      const surrounding = Context.get(context, Deadline.CurrentDeadline)
      const limitMillis = Duration.toMillis(client.settings.deadline)
      const deadline = Option.getOrElse(surrounding, () => ({
        expiresAt: clock.unsafeCurrentTimeMillis() + limitMillis,
        limitMillis
      }))
      const span = Option.fromNullable(fiber.currentSpan)

      const attempt = (made: number): Effect.Effect<unknown, NodeError> => {
        const { method, params, safety } = call
        const waiting: Waiting = { method, params, safety, deadline, span, policy, text, sentUntil: undefined }
        const answer = Option.isSome(surrounding)
          ? bounded(call, waiting, clock.unsafeCurrentTimeMillis(), submit)
          : submit(waiting)
        return Effect.matchEffect(answer, {
          onFailure: (error) => Effect.fail(named(call, error)),
          onSuccess: (found) =>
            found._tag === "Result" ? Effect.succeed(found.result) : again(errorOf(call, found), made)
        })
      }

      const again = (error: NodeError, made: number): Effect.Effect<unknown, NodeError> => {
        if (!isThrottled(error) || made >= policy.attempts || !policy.statuses.has(429)) return Effect.fail(error)
        const cap = Math.min(
          Duration.toMillis(policy.maxDelay),
          Duration.toMillis(policy.baseDelay) * 2 ** (made - 1)
        )
        return Effect.flatMap(Random.next, (jitter) => {
          const millis = Math.round(jitter * cap)
          return clock.unsafeCurrentTimeMillis() + millis >= deadline.expiresAt
            ? Effect.fail(error)
            : Effect.delay(Effect.suspend(() => attempt(made + 1)), millis)
        })
      }

      return attempt(1)
    })

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
