/** Takes a call to its result: batching, deadline, the node's errors, and waiting when the node throttles. */
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import type { Safety } from "@effect-klaytn/core/Operation"
import { CurrentRetryPolicy, type RetryPolicy } from "@effect-klaytn/core/RetryPolicy"
import type * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Equal from "effect/Equal"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type * as Tracer from "effect/Tracer"
import type { Batching } from "../Batching.js"
import type { RpcError } from "../RpcError.js"
import * as batcher from "./batcher.js"
import * as exchange from "./exchange.js"
import { Journey, Until, type Waiting } from "./journey.js"

/** A call: `operation` is its name in errors and spans, `method` its wire name. */
export interface Call {
  readonly operation: string
  readonly method: string
  readonly safety: Safety
  /** The label in metrics, if not the operation. */
  readonly label?: string | undefined
}

export type NodeError = RpcError | ServiceError

/** The caller: its fiber and clock, and the span around the call if spans are exported. */
export interface Caller {
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
  readonly clock: Clock.Clock
  readonly span: Tracer.Span | undefined
}

/** A caller, and how it turns the JSON of a result, or a failure, into its own. */
export interface Reader<A> extends Caller {
  readonly done: (result: unknown) => Effect.Effect<A, NodeError>
  readonly failed: (error: NodeError) => Effect.Effect<A, NodeError>
}

/** Passes both on unchanged. */
export const asItIs = ({ clock, fiber, span }: Caller): Reader<unknown> => ({
  clock,
  fiber,
  span,
  done: Effect.succeed,
  failed: Effect.fail
})

/** Makes calls. */
export interface Transport {
  /** The deadline of a call if none is in force. */
  readonly deadlineMillis: number
  readonly request: <A>(
    call: Call,
    params: ReadonlyArray<unknown>,
    reader: Reader<A>
  ) => Effect.Effect<A, NodeError>
  readonly notify: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<void, ServiceError>
}

const encoder = new TextEncoder()

/** The size in UTF-8. Nearly all calls are ASCII, where it equals the length. */
const bytesOf = (text: string): number => /^[\0-\x7f]*$/.test(text) ? text.length : encoder.encode(text).length

/** The size of the envelope around a call, with room for an ID of three digits: `{"jsonrpc":"2.0","id":100,...},`. */
const frame = 60

/** Whether two settings are equal by value: policies are often created where they are used. */
const isSame = (one: unknown, other: unknown): boolean =>
  Equal.equals(one, other) ||
  (one instanceof Set && other instanceof Set && one.size === other.size && [...one].every((value) => other.has(value)))

const isSamePolicy = (one: RetryPolicy, other: RetryPolicy): boolean => {
  if (one === other) return true
  const fields: Readonly<Record<string, unknown>> = { ...one }
  const others: Readonly<Record<string, unknown>> = { ...other }
  return [...new Set([...Object.keys(fields), ...Object.keys(others)])].every((name) =>
    isSame(fields[name], others[name])
  )
}

/** Whether to try each half of a batch. Calls that must not be sent twice are never split. */
const isTooLarge = (calls: ReadonlyArray<batcher.Asked<Waiting>>, cause: Cause.Cause<ServiceError>): boolean =>
  calls[0]?.first.call.safety !== "once" && Option.exists(Cause.failureOption(cause), exchange.isTooLarge)

const backoff = ({ policy }: Waiting, runs: number): Effect.Effect<number> => {
  const cap = Math.min(Duration.toMillis(policy.maxDelay), Duration.toMillis(policy.baseDelay) * 2 ** (runs - 1))
  return Effect.map(Random.next, (jitter) => Math.round(jitter * cap))
}

const submitter = (client: ServiceClient.ServiceClient, batching: Batching): batcher.Join<Waiting> =>
  batcher.make<Waiting, JsonRpc.Answer, ServiceError>({
    // With batching off, each call is a full batch of its own.
    ...(batching === "off" ? { window: Duration.zero, maxCount: 1, maxBytes: Number.MAX_SAFE_INTEGER } : batching),
    fits: (one, other) => one.call.safety === other.call.safety && isSamePolicy(one.policy, other.policy),
    run: exchange.run(client),
    splits: isTooLarge,
    backoff
  })

/** On the way of every call: as few steps of its fiber, and as few objects, as can be. */
export const make = (client: ServiceClient.ServiceClient, batching: Batching): Transport => {
  const submit = submitter(client, batching)
  const limitMillis = Duration.toMillis(client.settings.deadline)
  const gathers = batching !== "off" && Duration.toMillis(batching.window) > 0

  const request = <A>(call: Call, params: ReadonlyArray<unknown>, reader: Reader<A>): Effect.Effect<A, NodeError> => {
    const written = JsonRpc.writeParams(call.operation, params)
    if (Either.isLeft(written)) return reader.failed(written.left)
    const text = written.right
    const context = reader.fiber.currentContext
    const policy = Option.getOrElse(Context.get(context, CurrentRetryPolicy), () => client.settings.retry)
    const surrounding = Context.get(context, Deadline.CurrentDeadline)
    const deadline = Option.isSome(surrounding)
      ? surrounding.value
      : new Until(Deadline.now(reader.clock) + limitMillis, limitMillis)
    const same = batching !== "off" && call.safety === "safe" ? `${call.method} ${text}` : undefined
    const bytes = bytesOf(text) + call.method.length + frame
    const timed = gathers || Option.isSome(surrounding)
    return new Journey(call, text, same, bytes, deadline, policy, reader, timed, submit).run()
  }

  return { deadlineMillis: limitMillis, request, notify: (method, params) => JsonRpc.notify(client, method, params) }
}
