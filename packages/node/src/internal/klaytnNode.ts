/** The typed functions of the node, made from the methods, over a transport. */
import type { Chain } from "@effect-klaytn/core/Chain"
import * as Input from "@effect-klaytn/core/Input"
import type { Safety } from "@effect-klaytn/core/Operation"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Telemetry from "@effect-klaytn/core/Telemetry"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Metric from "effect/Metric"
import * as Schema from "effect/Schema"
import * as Batching from "../Batching.js"
import type * as KlaytnNode from "../KlaytnNode.js"
import * as Method from "../Method.js"
import * as Methods from "../Methods.js"
import type { Param } from "../Param.js"
import * as failure from "./failure.js"
import * as rawTransaction from "./rawTransaction.js"
import type { Call, NodeError, Transport } from "./transport.js"
import * as transports from "./transport.js"

/** Spans and metrics of calls; the metric of each operation and outcome is made once. */
const measuring = (chain: Chain) => {
  const metrics = new Map<string, typeof Telemetry.operationDuration>()

  const metricOf = (operation: string, outcome: string) => {
    const key = `${operation} ${outcome}`
    const known = metrics.get(key)
    if (known !== undefined) return known
    const metric = Telemetry.operationDuration.pipe(
      Metric.tagged("operation", operation),
      Metric.tagged("outcome", outcome)
    )
    metrics.set(key, metric)
    return metric
  }

  return <A>(call: Call, effect: Effect.Effect<A, NodeError>): Effect.Effect<A, NodeError> =>
    Effect.clockWith((clock) => {
      const start = clock.unsafeCurrentTimeMillis()
      const record = (outcome: string): Effect.Effect<void> =>
        Metric.update(metricOf(call.operation, outcome), (clock.unsafeCurrentTimeMillis() - start) / 1000)
      return Effect.matchEffect(effect, {
        onFailure: (error) =>
          record(error._tag).pipe(
            Effect.zipRight(Effect.annotateCurrentSpan(Telemetry.attributes.errorType, error._tag)),
            Effect.zipRight(Effect.fail(error))
          ),
        onSuccess: (value) => Effect.as(record("success"), value)
      })
    }).pipe(
      Effect.withSpan(call.operation, {
        captureStackTrace: false,
        attributes: {
          [Telemetry.attributes.operation]: call.operation,
          [Telemetry.attributes.chainId]: chain,
          "rpc.system": "jsonrpc",
          "rpc.method": call.method
        }
      })
    )
}

/** What is given for the parameters as it goes over the wire; what is left out at the end is not sent. */
const encoded = (
  operation: string,
  params: ReadonlyArray<Param>
): Either.Either<ReadonlyArray<unknown>, InvalidInput> => {
  const wire: Array<unknown> = []
  for (const param of params) {
    if (param.optional && !param.given) continue
    const value = param.encode()
    if (Either.isLeft(value)) return Either.left(Input.refuse(operation, value.left, [param.name]))
    wire.push(value.right)
  }
  return Either.right(wire)
}

/** Makes the service over a transport. */
export const over = (transport: Transport, chain: Chain, namespace: "klay" | "kaia"): KlaytnNode.Service => {
  const { notify, request } = rawTransaction.truthful(transport)
  const measured = measuring(chain)

  const call: KlaytnNode.Service["call"] = (method, params, schema, options) => {
    const one: Call = {
      operation: `node.${method}`,
      method,
      params,
      safety: options?.safety ?? Methods.safetyOf(method) ?? "once"
    }
    const decode = Schema.decodeUnknownEither(schema)
    return measured(
      one,
      Effect.flatMap(request(one), (result) =>
        Either.mapLeft(decode(result), (error) => {
          const mismatch = ServiceClient.mismatch(error)
          return failure.malformed(one, { ...mismatch, path: ["result", ...mismatch.path] })
        }))
    )
  }

  const run = <Args extends ReadonlyArray<unknown>, A, S extends Safety>(
    method: Method.Method<Args, A, S>,
    ...args: Args
  ): Effect.Effect<A, Method.Failure<S>> => {
    const name = Method.wireName(method, namespace)
    const outcome = Effect.suspend(() =>
      Effect.flatMap(
        encoded(`node.${name}`, method.params(...args)),
        (params) => call(name, params, method.result, { safety: method.safety })
      )
    )
    // Only a call that is not safe ends as `OutcomeUnknown`: the type of a transport can't see that.
    return outcome as Effect.Effect<A, Method.Failure<S>>
  }

  const functions = <Group extends { readonly [name: string]: Method.Any }>(
    group: Group
  ): KlaytnNode.Functions<Group> => {
    const made = Object.fromEntries(
      Object.entries(group).map(([name, method]) => [
        name,
        // A method of any kind is run with the arguments of its own kind.
        (...args: ReadonlyArray<never>) =>
          run(method as unknown as Method.Method<ReadonlyArray<unknown>, unknown, Safety>, ...args)
      ])
    )
    // One function for each method of the group, under its name.
    return made as KlaytnNode.Functions<Group>
  }

  return {
    chain,
    namespace,
    klay: functions(Methods.klay),
    eth: functions(Methods.eth),
    net: functions(Methods.net),
    web3: functions(Methods.web3),
    rpc: functions(Methods.rpc),
    run,
    call,
    notify
  }
}

export const make = (options: KlaytnNode.Options = {}) =>
  Effect.map(ServiceClient.make("node"), (client) =>
    over(
      transports.make(client, options.batching ?? Batching.make()),
      client.settings.chain,
      options.namespace ?? "klay"
    ))
