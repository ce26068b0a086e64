/**
 * Access to a node of the chain: every JSON-RPC method as a typed Effect.
 *
 * **Details**
 *
 * Calls go to `{node}/v1/klaytn` with the credential and the chain of the configuration, through the pipeline of all
 * services: deadline, retries by safety, rate limit, telemetry. Calls that are made at the same time share one request,
 * see `Batching`; a failed one fails alone, and a caller that is interrupted or runs out of time leaves the others
 * alone.
 *
 * What the node says no with arrives as a member of `RpcError`; what keeps a call from reaching it as a member of
 * core's `ServiceError`. Amounts and numbers are `bigint`; what is not there is `None` where the node answers null.
 *
 * A call makes a span named like `node.klay_getBalance`; the request it goes out with makes one named `node.exchange`,
 * linked to the calls in it when there are several. Both are made for a tracer that shows them only, see core's
 * `Telemetry`.
 *
 * **Example** (two reads in one request)
 *
 * ```ts
 * import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
 * import * as Effect from "effect/Effect"
 *
 * export const overview = (account: string) =>
 *   Effect.gen(function*() {
 *     const node = yield* KlaytnNode.KlaytnNode
 *     return yield* Effect.all({
 *       balance: node.klay.getBalance(account),
 *       nonce: node.klay.getTransactionCount(account, "pending")
 *     }, { concurrency: "unbounded" })
 *   })
 * ```
 *
 * @since 0.1.0
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import type { ClientConfig } from "@effect-klaytn/core/ClientConfig"
import * as Configuration from "@effect-klaytn/core/ClientConfig"
import type { Safety } from "@effect-klaytn/core/Operation"
import type { InvalidInput, ServiceError } from "@effect-klaytn/core/ServiceError"
import type { HttpClient } from "@effect/platform/HttpClient"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type { Batching } from "./Batching.js"
import * as internal from "./internal/klaytnNode.js"
import * as testTransport from "./internal/testTransport.js"
import type * as Method from "./Method.js"
import type * as Methods from "./Methods.js"
import type { RpcError } from "./RpcError.js"

/**
 * A function for each method of a group, with the method's parameters.
 *
 * @since 0.1.0
 * @category models
 */
export type Functions<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends Method.Method<infer Args, infer A, infer S>
    ? (...args: Args) => Effect.Effect<A, Method.Failure<S>>
    : never
}

/**
 * The operations of a node. Input is checked before anything is sent and fails as `InvalidInput`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** The chain that is asked. */
  readonly chain: Chain
  /** Under which name the methods of {@link Service.klay} go out. */
  readonly namespace: "klay" | "kaia"
  /** The chain's own methods. A block that is left out is the latest one. */
  readonly klay: Functions<typeof Methods.klay>
  /** The same chain in Ethereum's shapes. */
  readonly eth: Functions<typeof Methods.eth>
  /** The node's network. */
  readonly net: Functions<typeof Methods.net>
  /** Mostly switched off. */
  readonly web3: Functions<typeof Methods.web3>
  /** Which namespaces are switched on. */
  readonly rpc: Functions<typeof Methods.rpc>
  /** Runs a method that was made with `Method.make`. */
  readonly run: <Args extends ReadonlyArray<unknown>, A, S extends Safety>(
    method: Method.Method<Args, A, S>,
    ...args: Args
  ) => Effect.Effect<A, Method.Failure<S>>
  /**
   * Calls any method by its name on the wire, such as `klay_getBalance`; `params` go out as they are. Whether it may be
   * repeated is known for the methods of this SDK; any other is taken for one that may not (`once`) unless `safety`
   * says more.
   */
  readonly call: <A, I>(
    method: string,
    params: ReadonlyArray<unknown>,
    result: Schema.Schema<A, I>,
    options?: { readonly safety?: Safety | undefined }
  ) => Effect.Effect<A, RpcError | ServiceError>
  /** Sends a notification: the node runs it and answers nothing, so it can't be told whether it did. */
  readonly notify: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<void, ServiceError>
}

/**
 * Settings of the client.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** `klay` unless given: all nodes know it; nodes since v2.0 know `kaia` too. */
  readonly namespace?: "klay" | "kaia" | undefined
  /** `Batching.make()` unless given. */
  readonly batching?: Batching | undefined
}

/**
 * Access to a node as a service.
 *
 * @since 0.1.0
 * @category services
 */
export class KlaytnNode extends Context.Tag("@effect-klaytn/node/KlaytnNode")<KlaytnNode, Service>() {}

/**
 * Makes a client. Fails as `InvalidInput` if the configuration has no base address for `node`. The address may end in
 * `/v1/klaytn` or not.
 *
 * **Example** (two networks in one program: a client is a value)
 *
 * ```ts
 * import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
 * import type * as Credentials from "@effect-klaytn/core/Credentials"
 * import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
 * import * as Effect from "effect/Effect"
 *
 * declare const credentials: Credentials.Provider
 *
 * export const program = Effect.gen(function*() {
 *   const mainnet = yield* KlaytnNode.make().pipe(
 *     ClientConfig.provide({ chain: 8217, credentials, endpoints: { node: "https://mainnet.example" } })
 *   )
 *   const testnet = yield* KlaytnNode.make().pipe(
 *     ClientConfig.provide({ chain: 1001, credentials, endpoints: { node: "https://testnet.example" } })
 *   )
 *   return yield* Effect.all([mainnet.klay.gasPrice(), testnet.klay.gasPrice()], { concurrency: "unbounded" })
 * })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: (options?: Options) => Effect.Effect<Service, InvalidInput, ClientConfig | HttpClient> =
  internal.make

/**
 * A client as a layer. Each call gives a layer with a client of its own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options?: Options): Layer.Layer<KlaytnNode, InvalidInput, ClientConfig | HttpClient> =>
  Layer.effect(KlaytnNode, make(options))

/**
 * A client as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables. Each call gives
 * a layer with a client of its own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options?: Options & Configuration.EnvironmentOptions
): Layer.Layer<KlaytnNode, ConfigError | InvalidInput, HttpClient> =>
  Layer.effect(KlaytnNode, Effect.provide(make(options), Configuration.layerConfig({ ...options, service: "node" })))

/**
 * What a node in a test answers to a call: the result as JSON, or an error as a node writes it, or any other failure.
 *
 * @since 0.1.0
 * @category models
 */
export type TestHandler = (
  method: string,
  params: ReadonlyArray<unknown>
) => Effect.Effect<
  unknown,
  RpcError | ServiceError | { readonly code: number; readonly message: string; readonly data?: unknown }
>

/**
 * A node without HTTP for tests: `handler` answers each call, with parameters and results as JSON. Everything
 * above the wire is the real thing: input is checked, results are decoded, errors are told apart.
 *
 * **Example** (a node that knows one height)
 *
 * ```ts
 * import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
 * import * as Effect from "effect/Effect"
 *
 * export const Test = KlaytnNode.layerTest((method) =>
 *   method === "klay_blockNumber"
 *     ? Effect.succeed("0x1b4")
 *     : Effect.fail({ code: -32601, message: `the method ${method} does not exist/is not available` })
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerTest = (
  handler: TestHandler,
  options?: { readonly chain?: Chain | undefined; readonly namespace?: "klay" | "kaia" | undefined }
): Layer.Layer<KlaytnNode> =>
  Layer.succeed(
    KlaytnNode,
    internal.over(testTransport.make(handler), {
      chain: options?.chain ?? 1001,
      namespace: options?.namespace ?? "klay"
    })
  )
