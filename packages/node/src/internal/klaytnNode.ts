/** The typed functions of the node, derived from the methods, over a transport. */
import type { Chain } from "@effect-klaytn/core/Chain"
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as Decoder from "@effect-klaytn/core/Decoder"
import type { Endpoint } from "@effect-klaytn/core/Endpoints"
import * as Input from "@effect-klaytn/core/Input"
import type { Safety } from "@effect-klaytn/core/Operation"
import * as Recording from "@effect-klaytn/core/Recording"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Telemetry from "@effect-klaytn/core/Telemetry"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Fiber from "effect/Fiber"
import type * as Tracer from "effect/Tracer"
import * as Batching from "../Batching.js"
import type * as KlaytnNode from "../KlaytnNode.js"
import * as Method from "../Method.js"
import * as Methods from "../Methods.js"
import type { Param } from "../Param.js"
import * as failure from "./failure.js"
import * as rawTransaction from "./rawTransaction.js"
import type { Call, NodeError, Reader, Transport } from "./transport.js"
import * as transports from "./transport.js"

/** Encodes the given parameters; trailing parameters that are left out are not sent. */
const encoded = (
  operation: string,
  params: ReadonlyArray<Param>
): Either.Either<ReadonlyArray<unknown>, InvalidInput> => {
  const wire: Array<unknown> = []
  for (const param of params) {
    if (param.optional && param.value === undefined) continue
    if (param.form.isReady(param.value)) {
      wire.push(param.value)
      continue
    }
    const value = param.form.encode(param.value)
    if (Either.isLeft(value)) return Either.left(Input.refuse(operation, value.left, [param.name]))
    wire.push(value.right)
  }
  return Either.right(wire)
}

/** Decodes the answer to a call and records its end. */
class Reading<A> implements Reader<A> {
  private readonly began: number
  constructor(
    private readonly call: Call,
    private readonly endpoint: Endpoint | undefined,
    private readonly decode: Decoder.Decoder<A>,
    readonly fiber: Fiber.RuntimeFiber<unknown, unknown>,
    readonly clock: Clock.Clock,
    readonly span: Tracer.Span | undefined
  ) {
    this.began = Deadline.now(clock)
  }

  done(result: unknown): Effect.Effect<A, NodeError> {
    const value = this.decode(result)
    if (Either.isLeft(value)) {
      const mismatch = ServiceClient.mismatch(value.left)
      return this.failed(failure.malformed(this.call, { ...mismatch, path: ["result", ...mismatch.path] }))
    }
    this.book("success")
    return Effect.succeed(value.right)
  }

  failed(error: NodeError): Effect.Effect<never, NodeError> {
    this.book(error._tag)
    this.span?.attribute(Telemetry.attributes.errorType, error._tag)
    return Effect.fail(error)
  }

  private book(outcome: string): void {
    Recording.operation(
      this.fiber,
      this.endpoint,
      this.call.label ?? this.call.operation,
      outcome,
      Deadline.now(this.clock) - this.began
    )
  }
}

/** Namespace and name. Nothing else gets into the names of operations, which spans and errors show. */
const isMethod = (method: unknown): boolean =>
  typeof method === "string" && /^[a-z]\w{0,31}_[a-z]\w{0,63}$/i.test(method)

const strictness: Readonly<Record<Safety, number>> = { safe: 0, keyed: 1, once: 2 }

/** The known safety of a method holds; a caller may only make it stricter. */
const safetyFor = (method: string, given: Safety | undefined): Safety => {
  const known = Methods.safetyOf(method)
  if (known === undefined || given === undefined) return given ?? known ?? "once"
  return strictness[given] > strictness[known] ? given : known
}

/** Makes the service over a transport. */
export const over = (
  transport: Transport,
  { chain, endpoint, namespace }: {
    readonly chain: Chain
    readonly namespace: "klay" | "kaia"
    /** `undefined` if nothing is sent over a network. */
    readonly endpoint?: Endpoint | undefined
  }
): KlaytnNode.Service => {
  const { notify, request } = rawTransaction.truthful(transport)

  /** Hot path of every call: as few fiber steps and objects as possible. */
  const decoded = <A>(
    fiber: Fiber.RuntimeFiber<unknown, unknown>,
    one: Call,
    params: ReadonlyArray<unknown>,
    decode: Decoder.Decoder<A>
  ): Effect.Effect<A, NodeError> => {
    const clock = Context.get(fiber.currentDefaultServices, Clock.Clock)
    if (!Recording.isTraced(fiber)) {
      return request(one, params, new Reading(one, endpoint, decode, fiber, clock, undefined))
    }
    const attributes = () => ({
      attributes: {
        [Telemetry.attributes.operation]: one.operation,
        [Telemetry.attributes.chainId]: chain,
        "rpc.system": "jsonrpc",
        "rpc.method": one.method
      }
    })
    return Recording.inSpan(
      fiber,
      one.operation,
      attributes,
      (span) => request(one, params, new Reading(one, endpoint, decode, fiber, clock, span))
    )
  }

  const call: KlaytnNode.Service["call"] = (method, params, schema, options) => {
    if (!isMethod(method)) return failure.noMethod()
    const safety = safetyFor(method, options?.safety)
    // Callers can invent any number of names, and a metric keeps each of its labels forever.
    const label = Methods.safetyOf(method) === undefined ? "node.call" : undefined
    const one = { operation: `node.${method}`, method, safety, label }
    const decode = Decoder.make(schema)
    return Effect.withFiberRuntime((fiber) => decoded(fiber, one, params, decode))
  }

  /** Prepares once what is the same for all calls of a method. */
  const runner = <Args extends ReadonlyArray<unknown>, A, S extends Safety>(
    method: Method.Method<Args, A, S>
  ): (...args: Args) => Effect.Effect<A, Method.Failure<S>> => {
    const name = Method.wireName(method, namespace)
    const one: Call = { operation: `node.${name}`, method: name, safety: method.safety }
    const decode = Decoder.make(method.result)
    return (...args) => {
      const outcome = Effect.withFiberRuntime<A, NodeError>((fiber) => {
        const params = encoded(one.operation, method.params(...args))
        return Either.isLeft(params) ? Effect.fail(params.left) : decoded(fiber, one, params.right, decode)
      })
      // Only a call that is not safe fails with `OutcomeUnknown`, which the type of a transport can't express.
      return outcome as Effect.Effect<A, Method.Failure<S>>
    }
  }

  const run: KlaytnNode.Service["run"] = (method, ...args) => runner(method)(...args)

  const functions = <Group extends { readonly [name: string]: Method.Any }>(
    group: Group
  ): KlaytnNode.Functions<Group> => {
    const made = Object.fromEntries(
      Object.entries(group).map(([name, method]) => [
        name,
        // Each method is run with arguments of its own type.
        runner(method as unknown as Method.Method<ReadonlyArray<unknown>, unknown, Safety>)
      ])
    )
    // One function for each method of the group, by name.
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
      {
        chain: client.settings.chain,
        namespace: options.namespace ?? "klay",
        endpoint: client.settings.endpoints.node
      }
    ))
