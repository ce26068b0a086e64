/** One HTTP exchange for the calls of a batch. */
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import type { Safety } from "@effect-klaytn/core/Operation"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import type * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type { SharedCall } from "./batcher.js"

/** A call of a batch. */
export interface Outgoing {
  readonly call: {
    readonly method: string
    readonly safety: Safety
  }
  /** The parameters as JSON, serialised once: to compare calls, and for the wire. */
  readonly params: string
  readonly deadline: Deadline.Deadline
  readonly policy: RetryPolicy.RetryPolicy
  readonly span: Tracer.AnySpan | undefined
  /** The outcome of earlier attempts of the call, if there were any. */
  readonly earlier: ServiceClient.Earlier | undefined
  /** Called when it is sent, with the time until which the exchange may last and the number of calls in it. */
  readonly onSent: (until: number, count: number) => void
  /** Called with attempts that ended neither in an answer to the call nor in the failure of its exchange. */
  readonly remember: (earlier: ServiceClient.Earlier) => void
}

const withoutParent = (context: Context.Context<never>): Context.Context<never> =>
  Context.unsafeMake(new Map([...context.unsafeMap].filter(([key]) => key !== Tracer.ParentSpan.key)))

/** The span of a request of several callers has no parent; it is linked to the spans of all callers. */
const trace = <A, E>(
  spans: ReadonlyArray<Tracer.AnySpan>,
  count: number,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  // With a tracer that exports spans, there is one around each call.
  if (spans.length === 0) return effect
  const annotated = Effect.annotateSpans(effect, { "rpc.system": "jsonrpc", "rpc.batch.size": count })
  return spans.length === 1
    ? annotated
    : spans.reduceRight((linked, span) => Effect.linkSpans(linked, span), annotated).pipe(
      Effect.mapInputContext(withoutParent)
    )
}

/** The calls of an exchange, as it sends them. */
interface Sending {
  readonly requests: Array<JsonRpc.Request>
  readonly spans: Array<Tracer.AnySpan>
  /** The latest of the callers' deadlines: the request is kept for the caller with the most time. */
  deadline: Deadline.Deadline | undefined
}

const gather = (calls: ReadonlyArray<SharedCall<Outgoing>>): Sending => {
  const sending: Sending = { requests: [], spans: [], deadline: undefined }
  const take = (caller: Outgoing): void => {
    if (caller.span !== undefined) sending.spans.push(caller.span)
    const latest = sending.deadline
    if (latest === undefined || caller.deadline.expiresAt > latest.expiresAt) sending.deadline = caller.deadline
  }
  for (const { first, others } of calls) {
    sending.requests.push({ method: first.call.method, params: first.params })
    take(first)
    others.forEach(take)
  }
  const until = sending.deadline?.expiresAt ?? 0
  for (const { first, others } of calls) {
    first.onSent(until, calls.length)
    for (const other of others) other.onSent(until, calls.length)
  }
  return sending
}

const remember = (calls: ReadonlyArray<SharedCall<Outgoing>>, earlier: ServiceClient.Earlier): void => {
  for (const { first, others } of calls) {
    first.remember(earlier)
    for (const other of others) other.remember(earlier)
  }
}

/** Whether a failure says that the body was too large. */
export const isTooLarge = (error: ServiceError): boolean => "status" in error && error.status === 413

/** Applies the attempts that remain for calls that were attempted before. */
const withPolicyLeft = <A, E>(first: Outgoing | undefined, effect: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  if (first === undefined || first.earlier === undefined) return effect
  const attempts = Math.max(1, first.policy.attempts - first.earlier.attempts.length)
  return RetryPolicy.withRetryPolicy(effect, { ...first.policy, attempts })
}

/** Sends some calls of the same safety, each with everyone who makes it; returns the answer to each, in order. */
export const run = (client: ServiceClient.ServiceClient) =>
(
  calls: ReadonlyArray<SharedCall<Outgoing>>
): Effect.Effect<ReadonlyArray<JsonRpc.Answer>, ServiceError> =>
  Effect.suspend(() => {
    const { deadline, requests, spans } = gather(calls)
    const first = calls[0]?.first
    return JsonRpc.exchange(client, {
      name: "node.exchange",
      safety: first?.call.safety ?? "once",
      requests,
      read: (answers, { attempts, uncertain }) => {
        if (attempts.length > 0) remember(calls, { attempts: [...attempts], uncertain })
        return Either.right(answers)
      }
    }).pipe(
      Effect.tapError((error) => {
        if (requests.length > 1 && isTooLarge(error)) {
          remember(calls, { attempts: error.attempts, uncertain: error._tag === "OutcomeUnknown" })
        }
        return Effect.void
      }),
      (effect) => withPolicyLeft(first, effect),
      Effect.provideService(Deadline.CurrentDeadline, Option.fromNullable(deadline)),
      (effect) => trace(spans, requests.length, effect)
    )
  })
