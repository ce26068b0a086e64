/** One HTTP exchange for some calls: envelopes out, outcomes back. */
import * as Deadline from "@effect-klaytn/core/Deadline"
import type { Safety } from "@effect-klaytn/core/Operation"
import type * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { createJSONRPCNotification, createJSONRPCRequest, JSONRPCClient, type JSONRPCRequest } from "json-rpc-2.0"
import type { Asked } from "./batcher.js"
import * as envelope from "./envelope.js"
import * as failure from "./failure.js"

/** A call as the transport sees it. */
export interface Outgoing {
  readonly call: {
    readonly method: string
    readonly params: ReadonlyArray<unknown>
    readonly safety: Safety
  }
  readonly deadline: Deadline.Deadline
  readonly span: Tracer.AnySpan | undefined
  /** Set when it goes out: until when the exchange may take. */
  sentUntil: number | undefined
}

export type Answer = envelope.Outcome | { readonly _tag: "Gateway"; readonly body: envelope.GatewayBody }

const pathFor = (endpoint: string | undefined): string => endpoint?.endsWith(route) === true ? "" : route

const route = "/v1/klaytn"

const operation = (safety: Safety) => ({ name: "node.exchange", method: "POST", route, safety }) as const

const latest = (calls: ReadonlyArray<Outgoing>): Deadline.Deadline | undefined => {
  let found: Deadline.Deadline | undefined
  for (const { deadline } of calls) if (found === undefined || deadline.expiresAt > found.expiresAt) found = deadline
  return found
}

const withoutParent = (context: Context.Context<never>): Context.Context<never> =>
  Context.unsafeMake(new Map([...context.unsafeMap].filter(([key]) => key !== Tracer.ParentSpan.key)))

/** A request of several callers is nobody's child; it is linked to them all. */
const traced = <A, E>(
  calls: ReadonlyArray<Outgoing>,
  count: number,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  const spans = calls.flatMap(({ span }) => span === undefined ? [] : [span])
  // Whoever has a tracer that shows spans has one around each call.
  if (spans.length === 0) return effect
  const annotated = Effect.annotateSpans(effect, { "rpc.system": "jsonrpc", "rpc.batch.size": count })
  return calls.length === 1
    ? annotated
    : spans.reduceRight((linked, span) => Effect.linkSpans(linked, span), annotated).pipe(
      Effect.mapInputContext(withoutParent)
    )
}

/** Sends some calls of one safety, each given by all that ask for it; the answer to each, in order. */
export const run = (client: ServiceClient.ServiceClient) =>
(
  calls: ReadonlyArray<ReadonlyArray<Asked<Outgoing>>>
): Effect.Effect<ReadonlyArray<Answer>, ServiceError> =>
  Effect.suspend(() => {
    const callers: Array<Outgoing> = []
    const requests: Array<JSONRPCRequest> = []
    for (const asked of calls) {
      for (const { input } of asked) callers.push(input)
      const [first] = asked
      if (first === undefined) continue
      requests.push(createJSONRPCRequest(requests.length + 1, first.input.call.method, first.input.call.params))
    }
    const deadline = latest(callers)
    if (deadline !== undefined) { for (const call of callers) call.sentUntil = deadline.expiresAt }
    const matcher = new JSONRPCClient(() => undefined)
    const responses = matcher.requestAdvanced(requests)
    return client.exchange({
      operation: operation(callers[0]?.call.safety ?? "once"),
      path: pathFor(client.settings.endpoints.node),
      body: JSON.stringify(requests.length === 1 ? requests[0] : requests),
      read: envelope.read
    }).pipe(
      Effect.flatMap((reading): Effect.Effect<ReadonlyArray<Answer>> => {
        if (reading._tag === "Gateway") return Effect.succeed(calls.map(() => reading))
        envelope.deal(matcher, requests.length, reading.items)
        return Effect.map(Effect.promise(async () => responses), envelope.outcomes)
      }),
      Effect.provideService(Deadline.CurrentDeadline, Option.fromNullable(deadline)),
      (effect) => traced(callers, requests.length, effect)
    )
  })

/** Sends a call that nobody answers. */
export const notify = (
  client: ServiceClient.ServiceClient,
  method: string,
  params: ReadonlyArray<unknown>
): Effect.Effect<void, ServiceError> =>
  Effect.try({
    try: () => JSON.stringify(createJSONRPCNotification(method, params)),
    catch: () => failure.notJson(`node.${method}`)
  }).pipe(
    Effect.flatMap((body) =>
      client.exchange({
        operation: operation("once"),
        path: pathFor(client.settings.endpoints.node),
        body,
        read: () => Either.void
      })
    )
  )
