/** The typed functions of the node, derived from the methods, over a transport. */
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as Decoder from "@effect-klaytn/core/Decoder"
import type { Endpoint } from "@effect-klaytn/core/Endpoints"
import type { Safety } from "@effect-klaytn/core/Operation"
import * as Recording from "@effect-klaytn/core/Recording"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Telemetry from "@effect-klaytn/core/Telemetry"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Fiber from "effect/Fiber"
import * as Record from "effect/Record"
import type * as Schema from "effect/Schema"
import type * as Tracer from "effect/Tracer"
import * as Batching from "../../Batching.js"
import type * as Method from "../../Method.js"
import * as Methods from "../../Methods.js"
import type { CallDescriptor, NodeError } from "../errors/failure.js"
import * as preparedMethod from "../methods/preparedMethod.js"
import * as methodLists from "./methodLists.js"
import type { ResponseHandler } from "./pendingCall.js"
import * as rawTransaction from "./rawTransaction.js"
import type { Transport } from "./transport.js"
import * as transports from "./transport.js"

/** Decodes the answer to a call and records its end. */
class DecodingHandler<A> implements ResponseHandler<A> {
  readonly #began: number
  constructor(
    private readonly call: CallDescriptor,
    private readonly endpoint: Endpoint | undefined,
    private readonly decode: Decoder.Decoder<A>,
    readonly fiber: Fiber.RuntimeFiber<unknown, unknown>,
    readonly clock: Clock.Clock,
    readonly span: Tracer.Span | undefined
  ) {
    this.#began = Deadline.now(clock)
  }

  onResult(result: unknown): Effect.Effect<A, NodeError> {
    const value = preparedMethod.decodeResult(this.call, this.decode, result)
    if (Either.isLeft(value)) return this.onError(value.left)
    this.#record("success")
    return Effect.succeed(value.right)
  }

  onError(error: NodeError): Effect.Effect<never, NodeError> {
    this.#record(error._tag)
    this.span?.attribute(Telemetry.attributes.errorType, error._tag)
    return Effect.fail(error)
  }

  #record(outcome: string): void {
    Recording.operation(
      this.fiber,
      this.endpoint,
      this.call.label ?? this.call.operation,
      outcome,
      Deadline.now(this.clock) - this.#began
    )
  }
}

/** Namespace and name. Nothing else gets into the names of operations, which spans and errors show. */
const isMethod = (method: unknown): boolean =>
  typeof method === "string" && /^[a-z]\w{0,31}_[a-z]\w{0,63}$/i.test(method)

const strictness: Readonly<Record<Safety, number>> = { safe: 0, keyed: 1, once: 2 }

/** The known safety of a method holds; a caller may only make it stricter. */
const safetyFor = (method: string, requested: Safety | undefined): Safety => {
  const known = Methods.safetyOf(method)
  if (known === undefined || requested === undefined) return requested ?? known ?? "once"
  return strictness[requested] > strictness[known] ? requested : known
}

/** Every call comes through here: it takes as few fiber steps and objects as possible. */
const sender = (request: Transport["request"], { chain, endpoint }: methodLists.Settings) =>
<A>(
  fiber: Fiber.RuntimeFiber<unknown, unknown>,
  call: CallDescriptor,
  params: ReadonlyArray<unknown>,
  decode: Decoder.Decoder<A>
): Effect.Effect<A, NodeError> => {
  const clock = Context.get(fiber.currentDefaultServices, Clock.Clock)
  if (!Recording.isTraced(fiber)) {
    return request(call, params, new DecodingHandler(call, endpoint, decode, fiber, clock, undefined))
  }
  const attributes = () => ({
    attributes: {
      [Telemetry.attributes.operation]: call.operation,
      [Telemetry.attributes.chainId]: chain,
      "rpc.system": "jsonrpc",
      "rpc.method": call.method
    }
  })
  return Recording.inSpan(
    fiber,
    call.operation,
    attributes,
    (span) => request(call, params, new DecodingHandler(call, endpoint, decode, fiber, clock, span))
  )
}

/** Makes the service over a transport. */
export const fromTransport = (transport: Transport, settings: methodLists.Settings) => {
  const { chain, namespace } = settings
  const { learned, list, notify, request } = rawTransaction.confirmRawTransaction(transport)

  const send = sender(request, settings)

  const call = <A, I>(
    method: string,
    params: ReadonlyArray<unknown>,
    schema: Schema.Schema<A, I>,
    options?: { readonly safety?: Safety | undefined }
  ): Effect.Effect<A, NodeError> => {
    if (!isMethod(method)) {
      // The text is not shown: it may be anything.
      return InvalidInput.at("node.call", ["method"], "a method is a namespace and a name, as in klay_blockNumber")
    }
    const safety = safetyFor(method, options?.safety)
    // Callers can invent any number of names, and a metric keeps each of its labels forever.
    const label = Methods.safetyOf(method) === undefined ? "node.call" : undefined
    const one = { operation: `node.${method}`, method, safety, label }
    const decode = Decoder.make(schema)
    return Effect.withFiberRuntime((fiber) => send(fiber, one, params, decode))
  }

  const { runAll, runEach } = methodLists.make(list, settings)

  /** Prepares once what is the same for all calls of a method. */
  const toFunction = <Args extends ReadonlyArray<unknown>, A, S extends Safety>(
    method: Method.Method<Args, A, S>
  ): (...args: Args) => Effect.Effect<A, Method.CallError<S>> => {
    const { call, decode } = preparedMethod.make(method, namespace)
    return (...args) => {
      const outcome = Effect.withFiberRuntime<A, NodeError>((fiber) => {
        const params = preparedMethod.encodeParams(call.operation, method.params(...args))
        return Either.isLeft(params) ? Effect.fail(params.left) : send(fiber, call, params.right, decode)
      })
      // Only a call that is not safe fails with `OutcomeUnknown`, which the type of a transport can't express.
      return outcome as Effect.Effect<A, Method.CallError<S>>
    }
  }

  const run = <Args extends ReadonlyArray<unknown>, A, S extends Safety>(
    method: Method.Method<Args, A, S>,
    ...args: Args
  ) => toFunction(method)(...args)

  const toFunctions = <Group extends { readonly [name: string]: Method.Any }>(
    group: Group
  ): Method.Functions<Group> => {
    const made = Record.map(
      group,
      // Each method is run with arguments of its own type.
      (method) => toFunction(method as unknown as Method.Method<ReadonlyArray<unknown>, unknown, Safety>)
    )
    // One function for each method of the group, by name.
    return made as Method.Functions<Group>
  }

  return {
    chain,
    namespace,
    batchLimits: Effect.sync(learned),
    klay: toFunctions(Methods.klay),
    eth: toFunctions(Methods.eth),
    net: toFunctions(Methods.net),
    web3: toFunctions(Methods.web3),
    rpc: toFunctions(Methods.rpc),
    run,
    runEach,
    runAll,
    call,
    notify
  }
}

interface Options {
  readonly namespace?: methodLists.Settings["namespace"] | undefined
  readonly batching?: Batching.Batching | undefined
}

export const make = Effect.fnUntraced(function*({ batching = Batching.make(), namespace = "klay" }: Options = {}) {
  const checked = yield* Batching.check(batching)
  const client = yield* ServiceClient.make("node")
  const { chain, endpoints: { node: endpoint } } = client.settings
  return fromTransport(transports.make(client, checked), { chain, namespace, endpoint })
})
