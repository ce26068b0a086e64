/** Makes calls: in batches, under a deadline, waiting when the node throttles. */
import * as BatchLimits from "@effect-klaytn/core/BatchLimits"
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import { CurrentRetryPolicy } from "@effect-klaytn/core/RetryPolicy"
import { SeenBlocks } from "@effect-klaytn/core/SeenBlocks"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Array from "effect/Array"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import type { Batching } from "../../Batching.js"
import * as rpcError from "../errors/classifyError.js"
import type { CallDescriptor, NodeError } from "../errors/failure.js"
import { Batcher } from "./batcher.js"
import { bytesOf } from "./exchange.js"
import * as listedCalls from "./listedCalls.js"
import { CallDeadline, type Caller, PendingCall, type ResponseHandler } from "./pendingCall.js"

export interface Transport {
  /** The deadline of a call that sets none. */
  readonly deadlineMillis: number
  /** What the node was seen to take in a request. */
  readonly learned: () => BatchLimits.Learned
  readonly request: <A>(
    call: CallDescriptor,
    params: ReadonlyArray<unknown>,
    handler: ResponseHandler<A>
  ) => Effect.Effect<A, NodeError>
  /** Makes the calls of a list in requests of their own, in the calling fiber; each call gets its outcome. */
  readonly list: (list: listedCalls.List, caller: Caller) => Effect.Effect<void>
  readonly notify: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<void, ServiceError>
}

/** Every call comes through here: it takes as few fiber steps and objects as possible. */
export const make = (client: ServiceClient.ServiceClient, batching: Batching): Transport => {
  const limits = new BatchLimits.BatchLimits()
  const seen = new SeenBlocks()
  // With batching off, each call is a full batch of its own.
  const settings = batching === "off"
    ? { window: 0, maxCount: 1, maxBytes: Number.MAX_SAFE_INTEGER, maxListCount: 1 }
    : batching
  const batcher = new Batcher(client, limits, settings)
  const limitMillis = Duration.toMillis(client.settings.deadline)
  const isGathering = Duration.toMillis(settings.window) > 0

  const request = <A>(
    call: CallDescriptor,
    params: ReadonlyArray<unknown>,
    handler: ResponseHandler<A>
  ): Effect.Effect<A, NodeError> => {
    const text = JsonRpc.writeParams(call.operation, params)
    if (Either.isLeft(text)) return handler.onError(text.left)
    const context = handler.fiber.currentContext
    const problem = ServiceClient.limitsProblem(call.operation, context)
    if (Option.isSome(problem)) return handler.onError(problem.value)
    const policy = Option.getOrElse(Context.get(context, CurrentRetryPolicy), () => client.settings.retry)
    const surrounding = Context.get(context, Deadline.CurrentDeadline)
    const deadline = Option.isSome(surrounding)
      ? surrounding.value
      : new CallDeadline(Deadline.now(handler.clock) + limitMillis, limitMillis)
    return new PendingCall({
      call,
      params: text.right,
      key: batching !== "off" && call.safety === "safe" ? `${call.method} ${text.right}` : undefined,
      bytes: bytesOf(call, text.right),
      deadline,
      policy,
      handler,
      isTimed: isGathering || Option.isSome(surrounding),
      batcher,
      seen
    }).run()
  }

  return {
    deadlineMillis: limitMillis,
    learned: () => limits.learned,
    request,
    list: listedCalls.run({ batcher, batching, limits, seen, limitMillis, policy: client.settings.retry }),
    notify: (method, params) => JsonRpc.notify(client, method, params)
  }
}

/** Answers a call: with a result as JSON, with an error in the form of a node, or with any other failure. */
type Answerer = (
  method: string,
  params: ReadonlyArray<unknown>
) => Effect.Effect<
  unknown,
  NodeError | { readonly code: number; readonly message: string; readonly data?: unknown }
>

/** The value as it would come over the wire. */
const overWire = (operation: string, value: unknown): Effect.Effect<unknown, NodeError> =>
  Effect.map(JsonRpc.writeParams(operation, [value]), (text) => {
    const list = Either.getOrUndefined(JsonRpc.parse(text))
    return Array.isArray(list) ? list[0] : null
  })

/** The JSON of a call's result, from a function that answers calls. */
const answerBy =
  (handler: Answerer) => (call: CallDescriptor, params: ReadonlyArray<unknown>): Effect.Effect<unknown, NodeError> =>
    overWire(call.operation, params).pipe(
      Effect.flatMap((sent) => handler(call.method, Array.isArray(sent) ? sent : [])),
      Effect.mapError((error): NodeError =>
        "_tag" in error ? error : rpcError.classify(call, JsonRpc.errorObject(identity)(error), identity)
      ),
      Effect.flatMap((result) => overWire(call.operation, result))
    )

/** A transport without HTTP: a function answers the calls. */
export const makeTest = (handler: Answerer): Transport => ({
  deadlineMillis: Number.POSITIVE_INFINITY,
  learned: () => ({ calls: undefined, bytes: undefined }),
  request: (call, params, response) =>
    Effect.matchEffect(answerBy(handler)(call, params), {
      onFailure: (error) => response.onError(error),
      onSuccess: (value) => response.onResult(value)
    }),
  list: ({ concurrency, next }) =>
    listedCalls.inParallel(concurrency, () => {
      const item = next()
      return item === undefined ? undefined : Effect.match(answerBy(handler)(item.call, item.params), {
        onFailure: (error) => item.onError(error),
        onSuccess: (value) => item.onResult(value)
      })
    }),
  notify: (method, params) =>
    Effect.ignore(
      Effect.flatMap(overWire(`node.${method}`, params), (sent) => handler(method, Array.isArray(sent) ? sent : []))
    )
})
