/**
 * A client for a node of the chain: every JSON-RPC method as a typed Effect.
 *
 * **Details**
 *
 * Calls go to `{node}/v1/klaytn` with the configured credential and chain, through the pipeline that all services
 * share: deadline, retries by safety, rate limit, telemetry. Calls made at the same time share one request, see
 * `Batching`. A call that fails, is interrupted or times out does not affect the others in its request.
 *
 * Errors that the node returns are members of `RpcError`; failures on the way to the node are members of core's
 * `ServiceError`. Amounts and numbers are `bigint`. Where the node answers null for something that does not exist, the
 * result is `None`.
 *
 * Each call has a span such as `node.klay_getBalance`. The request that carries it has a span `node.exchange`, linked
 * to the calls in it if there are several. Both are created only for a tracer that exports spans, see core's
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
 * **Example** (many balances)
 *
 * ```ts
 * import { accountMethods } from "@effect-klaytn/node/AccountMethods"
 * import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
 * import * as Effect from "effect/Effect"
 * import * as Either from "effect/Either"
 *
 * export const total = (accounts: ReadonlyArray<string>) =>
 *   Effect.gen(function*() {
 *     const node = yield* KlaytnNode.KlaytnNode
 *     const balances = yield* node.runEach(accountMethods.getBalance, accounts.map((account) => [account]))
 *     return balances.reduce((sum, balance) => sum + Either.getOrElse(balance, () => 0n), 0n)
 *   })
 * ```
 */
import type { Learned } from "@effect-klaytn/core/BatchLimits"
import type { Chain } from "@effect-klaytn/core/Chain"
import type { ClientConfig, EnvironmentOptions } from "@effect-klaytn/core/ClientConfig"
import type { Safety } from "@effect-klaytn/core/Operation"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { InvalidInput, ServiceError } from "@effect-klaytn/core/ServiceError"
import type { HttpClient } from "@effect/platform/HttpClient"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type { Batching } from "./Batching.js"
import * as internal from "./internal/calls/methodCalls.js"
import * as transport from "./internal/calls/transport.js"
import type * as Method from "./Method.js"
import type * as Methods from "./Methods.js"
import type { RpcError } from "./RpcError.js"

export type { Functions } from "./Method.js"

/**
 * How the calls of a list are sent.
 *
 * @category models
 */
export interface ListOptions {
  /** The most calls in one request, at least 1. Defaults to `maxListCount` of the client's `Batching`, which is 1,000. */
  readonly maxCount?: number | undefined
  /** The most requests at the same time, from 1 to 1,000. Defaults to 4. */
  readonly concurrency?: number | undefined
}

/**
 * The results of a list of calls, each in the place of its call.
 *
 * @category models
 */
export type ListResults<Calls extends ReadonlyArray<Method.AnyRead>> = {
  readonly [At in keyof Calls]: Either.Either<Method.Success<Calls[At]>, Method.CallError<"safe">>
}

/**
 * The operations of a node. Input is checked before anything is sent; bad input fails with `InvalidInput`.
 *
 * @category models
 */
export interface Service {
  /** The chain that the calls are for. */
  readonly chain: Chain
  /** The namespace under which the methods of {@link Service.klay} are sent. */
  readonly namespace: "klay" | "kaia"
  /**
   * What this client learned about the size of requests: a request that the node refuses as a whole is sent in parts, and the
   * largest that worked is the limit from then on. Both are `undefined` as long as nothing was refused. See `BatchLimits` of core.
   */
  readonly batchLimits: Effect.Effect<Learned>
  /** The chain's own methods. The block defaults to `latest`. */
  readonly klay: Method.Functions<typeof Methods.klay>
  /** The same chain in Ethereum's shapes. */
  readonly eth: Method.Functions<typeof Methods.eth>
  /** Methods about the node's network. */
  readonly net: Method.Functions<typeof Methods.net>
  /** Methods of `web3`, which most endpoints switch off. */
  readonly web3: Method.Functions<typeof Methods.web3>
  /** The method that lists the enabled namespaces. */
  readonly rpc: Method.Functions<typeof Methods.rpc>
  /** Runs a method that was made with `Method.make`. */
  readonly run: <Args extends ReadonlyArray<unknown>, A, S extends Safety>(
    method: Method.Method<Args, A, S>,
    ...args: Args
  ) => Effect.Effect<A, Method.CallError<S>>
  /**
   * Runs a method that changes nothing for each of some arguments: many calls in each request, some requests at a time,
   * and no fiber for each call. The results have the order of the arguments, and each call fails in its place.
   *
   * A call that the node throttles is repeated, and a request that the node refuses as a whole is sent in parts, as for single
   * calls. Each
   * request has the client's deadline; a deadline set around the list is one for all of it. Equal calls are sent as
   * often as they are listed. Options outside their range fail as `InvalidInput`, before anything is sent.
   */
  readonly runEach: <Args extends ReadonlyArray<unknown>, A>(
    method: Method.Method<Args, A, "safe">,
    args: Iterable<Readonly<NoInfer<Args>>>,
    options?: ListOptions
  ) => Effect.Effect<ReadonlyArray<Either.Either<A, Method.CallError<"safe">>>, InvalidInput>
  /** Runs calls of any methods that change nothing, as {@link Service.runEach} does; see `Method.call`. */
  readonly runAll: <const Calls extends ReadonlyArray<Method.AnyRead>>(
    calls: Calls,
    options?: ListOptions
  ) => Effect.Effect<ListResults<Calls>, InvalidInput>
  /**
   * Calls any method by its wire name, such as `klay_getBalance`; `params` are sent as they are. The SDK knows which of
   * its own methods may be repeated; any other method is `once`, never repeated, unless `safety` says otherwise.
   */
  readonly call: <A, I>(
    method: string,
    params: ReadonlyArray<unknown>,
    result: Schema.Schema<A, I>,
    options?: { readonly safety?: Safety | undefined }
  ) => Effect.Effect<A, RpcError | ServiceError>
  /** Sends a notification. The node does not answer, so whether it ran is unknown. */
  readonly notify: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<void, ServiceError>
}

/**
 * Settings of the client.
 *
 * @category models
 */
export interface Options {
  /** Defaults to `klay`, which all nodes support; nodes since v2.0 support `kaia` too. */
  readonly namespace?: "klay" | "kaia" | undefined
  /** Defaults to `Batching.make()`. */
  readonly batching?: Batching | undefined
}

/**
 * The node client as a service.
 *
 * @category services
 */
export class KlaytnNode extends Context.Tag("@effect-klaytn/node/KlaytnNode")<KlaytnNode, Service>() {}

/**
 * Makes a client. Fails with `InvalidInput` if the configuration has no base address for `node`. The address may or may
 * not end in `/v1/klaytn`.
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
 * @category constructors
 */
export const make: (options?: Options) => Effect.Effect<Service, InvalidInput, ClientConfig | HttpClient> =
  internal.make

/**
 * Makes a client as a layer. Each call returns a layer with a separate client.
 *
 * @category layers
 */
export const layer: (options?: Options) => Layer.Layer<KlaytnNode, InvalidInput, ClientConfig | HttpClient> =
  ServiceClient.layer(KlaytnNode, make)

/**
 * Makes a client as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables. Each
 * call returns a layer with a separate client.
 *
 * @category layers
 */
export const layerConfig: (
  options?: Options & EnvironmentOptions
) => Layer.Layer<KlaytnNode, ConfigError | InvalidInput, HttpClient> = ServiceClient.layerConfig(
  KlaytnNode,
  "node",
  make
)

/**
 * Answers a call in a test: with a result as JSON, with an error in the form of a node, or with any other failure.
 *
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
 * A node without HTTP, for tests: `handler` answers each call, with parameters and results as JSON. Everything above
 * the wire is real: input is checked, results are decoded, errors are classified.
 *
 * **Example** (a node that only knows its height)
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
 * @category layers
 */
export const layerTest = (
  handler: TestHandler,
  options?: { readonly chain?: Chain | undefined; readonly namespace?: "klay" | "kaia" | undefined }
): Layer.Layer<KlaytnNode> =>
  Layer.succeed(
    KlaytnNode,
    internal.fromTransport(transport.makeTest(handler), {
      chain: options?.chain ?? 1001,
      namespace: options?.namespace ?? "klay"
    })
  )
