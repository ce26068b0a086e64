/** One HTTP exchange for the calls of a batch. */
import * as BatchLimits from "@effect-klaytn/core/BatchLimits"
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import type * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { EarlierAttempts, ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Tracer from "effect/Tracer"
import type { CallDescriptor } from "../errors/failure.js"
import { forEachCaller, type Settling, type SharedCall } from "./batcher.js"

const encoder = new TextEncoder()

/** The size of an envelope, with room for an ID of three digits: `{"jsonrpc":"2.0","id":100,...},`. */
const envelopeBytes = 60

/** The size of a call in UTF-8. Nearly all parameters are ASCII, where it equals their length. */
export const bytesOf = ({ method }: CallDescriptor, params: string): number =>
  (/^[\0-\x7f]*$/.test(params) ? params.length : encoder.encode(params).length) + method.length + envelopeBytes

/** A call of a batch. */
export interface BatchedCall {
  readonly call: CallDescriptor
  /** The parameters as JSON, serialised once: to compare calls, and for the wire. */
  readonly params: string
  readonly bytes: number
  readonly deadline: Deadline.Deadline
  readonly policy: RetryPolicy.RetryPolicy
  readonly span: Tracer.AnySpan | undefined
  /** The outcome of earlier attempts of the call, if there were any. */
  readonly earlier: EarlierAttempts | undefined
  /** Called when it is sent, with the time until which the exchange may last and the number of calls in it. */
  readonly onSent: (until: number, count: number) => void
  /** Called with attempts that did not end the call: neither its answer nor the failure of its exchange. */
  readonly remember: (earlier: EarlierAttempts) => void
}

/** A request of several callers has a span without a parent, linked to the spans of all callers. */
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
      Effect.mapInputContext(Context.omit(Tracer.ParentSpan))
    )
}

/** What an exchange sends, and until when. */
interface Outgoing {
  readonly requests: Array<JsonRpc.Request>
  readonly spans: Array<Tracer.AnySpan>
  /** The latest deadline of all callers. */
  deadline: Deadline.Deadline | undefined
}

const prepare = (calls: ReadonlyArray<SharedCall<BatchedCall>>): Outgoing => {
  const requests = calls.map(({ first }) => ({ method: first.call.method, params: first.params }))
  const outgoing: Outgoing = { requests, spans: [], deadline: undefined }
  forEachCaller(calls, ({ deadline, span }) => {
    if (span !== undefined) outgoing.spans.push(span)
    const latest = outgoing.deadline
    if (latest === undefined || deadline.expiresAt > latest.expiresAt) outgoing.deadline = deadline
  })
  const until = outgoing.deadline?.expiresAt ?? 0
  forEachCaller(calls, (caller) => caller.onSent(until, calls.length))
  return outgoing
}

const remember = (calls: ReadonlyArray<SharedCall<BatchedCall>>, earlier: EarlierAttempts): void =>
  forEachCaller(calls, (caller) => caller.remember(earlier))

/** The parameters of a call, from their text. */
export const parseParams = (text: string): ReadonlyArray<unknown> => {
  const list = Either.getOrUndefined(JsonRpc.parse(text))
  return Array.isArray(list) ? list : []
}

/** Whether a call searches the logs of more than one block: its range may be why it is refused. */
export const isWideSearch = ({ call, params }: Pick<BatchedCall, "call" | "params">): boolean => {
  if (!call.method.endsWith("_getLogs")) return false
  const [filter] = parseParams(params)
  return Predicate.isRecord(filter) && filter["blockHash"] === undefined && filter["fromBlock"] !== filter["toBlock"]
}

/** The policies of exchanges of many calls, by those of the calls: a policy is checked when it is first used. */
const policiesOfMany = new WeakMap<RetryPolicy.RetryPolicy, RetryPolicy.RetryPolicy>()

const policyOfMany = (policy: RetryPolicy.RetryPolicy): RetryPolicy.RetryPolicy => {
  const found = policiesOfMany.get(policy) ?? { ...policy, statusAttempts: 2 }
  policiesOfMany.set(policy, found)
  return found
}

/**
 * The policy of an exchange: calls that were attempted before have the attempts left that their policy has. Many calls that change
 * nothing are sent twice with a status that may refuse their number, and then in parts. So is a log search over many blocks.
 */
const withPolicy = <A, E>(
  first: BatchedCall | undefined,
  count: number,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  const isMany = first?.call.safety === "safe" && (count > 1 || isWideSearch(first))
  if (first === undefined || first.earlier === undefined && !isMany) return effect
  const policy = isMany ? policyOfMany(first.policy) : first.policy
  const made = first.earlier?.attempts.length ?? 0
  return RetryPolicy.withRetryPolicy(
    effect,
    made === 0 ? policy : { ...policy, attempts: Math.max(1, policy.attempts - made) }
  )
}

/** Sends some calls of the same safety, each with everyone who makes it; returns the answer to each, in order. */
const request = (client: ServiceClient.ServiceClient) =>
(
  calls: ReadonlyArray<SharedCall<BatchedCall>>
): Effect.Effect<ReadonlyArray<JsonRpc.Answer>, ServiceError> =>
  Effect.suspend(() => {
    const { deadline, requests, spans } = prepare(calls)
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
        if (requests.length > 1 && BatchLimits.mayBeSize(error)) {
          remember(calls, { attempts: error.attempts, uncertain: error._tag === "OutcomeUnknown" })
        }
        return Effect.void
      }),
      (effect) => withPolicy(first, requests.length, effect),
      Effect.provideService(Deadline.CurrentDeadline, Option.fromNullable(deadline)),
      (effect) => trace(spans, requests.length, effect)
    )
  })

/** Sends some calls of the same safety in as few requests as the node takes. */
export const run = (client: ServiceClient.ServiceClient, limits: BatchLimits.BatchLimits) => {
  const send = request(client)
  return <S extends SharedCall<BatchedCall>>(
    calls: ReadonlyArray<S>,
    { isWanted, repeats, settle }: Settling<S, JsonRpc.Answer, ServiceError>
  ): Effect.Effect<void> =>
    BatchLimits.send<S>({
      limits,
      endpoint: client.settings.endpoints.node,
      bytes: ({ first }) => first.bytes,
      safety: calls[0]?.first.call.safety ?? "once",
      // What the node throttles is sent once more as it is, then in parts, and if even a call alone is throttled, as it is.
      mayRepeat: repeats !== 1,
      isWanted,
      request: send,
      settle
    }, calls)
}
