/** One HTTP exchange for the calls of a batch. */
import * as BatchLimits from "@effect-klaytn/core/BatchLimits"
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import type * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { EarlierAttempts, ServiceError } from "@effect-klaytn/core/ServiceError"
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Tracer from "effect/Tracer"
import type { CallDescriptor } from "../errors/failure.js"

const encoder = new TextEncoder()

/** The size of an envelope, with room for an ID of three digits: `{"jsonrpc":"2.0","id":100,...},`. */
const envelopeBytes = 60

/** The size of a call in UTF-8. Nearly all parameters are ASCII, where it equals their length. */
export const bytesOf = ({ method }: CallDescriptor, params: string): number =>
  (/^[\0-\x7f]*$/.test(params) ? params.length : encoder.encode(params).length) + method.length + envelopeBytes

/** A call of one caller that waits for its batch. Its functions must not throw. */
export interface Waiting {
  readonly call: CallDescriptor
  /** The parameters as JSON, serialised once: to compare calls, and for the wire. */
  readonly params: string
  /** Calls in a batch with the same key are run once; `undefined` if this call must be run by itself. */
  readonly key: string | undefined
  readonly bytes: number
  readonly deadline: Deadline.Deadline
  readonly policy: RetryPolicy.RetryPolicy
  readonly span: Tracer.AnySpan | undefined
  /** The outcome of earlier attempts of the call, if there were any. */
  readonly earlier: EarlierAttempts | undefined
  /** Whether the call asks again because the node lacks a block that the client has seen. */
  readonly isBlockMissing: boolean
  /** Called when it is sent, with the time until which the exchange may last, the number of calls in it, and what stands for it alone. */
  readonly onSent: (until: number, count: number, exchange: object) => void
  /** Called with attempts that did not end the call: neither its answer nor the failure of its exchange. */
  readonly remember: (earlier: EarlierAttempts) => void
  /** Receives an answer. Returns true to ask again later: the answer says so, and there is time. */
  readonly onAnswer: (answer: JsonRpc.Answer) => boolean
  readonly onFailure: (cause: Cause.Cause<ServiceError>) => void
  /** Receives the wait before the next run. Returns false to leave, because that is too long. */
  readonly onWait: (millis: number) => boolean
}

/** The place of a call in its batch: the call, and the equal calls of others who make it. */
export class SharedCall {
  #others: Array<Waiting> | undefined

  constructor(public first: Waiting) {}

  get isShared(): boolean {
    return this.#others !== undefined && this.#others.length > 0
  }

  add(waiter: Waiting): void {
    if (this.#others === undefined) this.#others = [waiter]
    else this.#others.push(waiter)
  }

  forEach(visit: (waiter: Waiting) => void): void {
    visit(this.first)
    this.#others?.forEach((other) => visit(other))
  }

  /** Keeps the waiters that stay; returns whether any is left. */
  retain(stays: (waiter: Waiting) => boolean): boolean {
    const [first, ...others] = [this.first, ...this.#others ?? []].filter(stays)
    if (first === undefined) return false
    this.first = first
    this.#others = others
    return true
  }
}

export const forEachCaller = (calls: ReadonlyArray<SharedCall>, visit: (caller: Waiting) => void): void =>
  calls.forEach((call) => call.forEach(visit))

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

const prepare = (calls: ReadonlyArray<SharedCall>): Outgoing => {
  const requests = calls.map(({ first }) => ({ method: first.call.method, params: first.params }))
  const outgoing: Outgoing = { requests, spans: [], deadline: undefined }
  forEachCaller(calls, ({ deadline, span }) => {
    if (span !== undefined) outgoing.spans.push(span)
    const latest = outgoing.deadline
    if (latest === undefined || deadline.expiresAt > latest.expiresAt) outgoing.deadline = deadline
  })
  const until = outgoing.deadline?.expiresAt ?? 0
  forEachCaller(calls, (caller) => caller.onSent(until, calls.length, outgoing))
  return outgoing
}

const remember = (calls: ReadonlyArray<SharedCall>, earlier: EarlierAttempts): void =>
  forEachCaller(calls, (caller) => caller.remember(earlier))

/** The parameters of a call, from their text. */
export const parseParams = (text: string): ReadonlyArray<unknown> => {
  const list = Either.getOrUndefined(JsonRpc.parse(text))
  return Array.isArray(list) ? list : []
}

/** Whether a call searches the logs of more than one block: its range may be why it is refused. */
export const isWideSearch = ({ call, params }: Pick<Waiting, "call" | "params">): boolean => {
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
  first: Waiting | undefined,
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
export const request = (client: ServiceClient.ServiceClient) =>
(
  calls: ReadonlyArray<SharedCall>
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
