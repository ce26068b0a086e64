/**
 * The abilities of a node, found by asking: for choosing options before a program or a gateway depends on the node.
 *
 * **Details**
 *
 * {@link inspect} only reads. It makes at most {@link maxRequests} requests, most of them one after another, each with a time limit
 * of ten seconds unless the configuration has a shorter one. A request whose connection breaks is made again once, and at most four
 * requests are. A limit is the largest of a few sizes that the node accepted: the node's own limit may be higher.
 *
 * **Example** (print what a node of your own can do)
 *
 * ```ts
 * import * as OwnNode from "@effect-klaytn/core/OwnNode"
 * import * as NodeReport from "@effect-klaytn/node/NodeReport"
 * import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
 * import * as Console from "effect/Console"
 * import * as Effect from "effect/Effect"
 *
 * export const program = NodeReport.inspect().pipe(
 *   Effect.flatMap(({ batch, blockRange }) => Console.log(batch, blockRange)),
 *   Effect.provide(OwnNode.layer({ chain: 8217, url: "http://127.0.0.1:8551" })),
 *   Effect.provide(FetchHttpClient.layer)
 * )
 * ```
 */
import type * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import type { InvalidInput, ServiceError } from "@effect-klaytn/core/ServiceError"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { Syncing } from "./ChainMethods.js"
import * as internal from "./internal/inspection/nodeInspection.js"

/**
 * Whether the node can do something. `unknown` if it gave no answer in time, limited the rate, or was not asked.
 *
 * @category models
 */
export type Ability = "yes" | "no" | "unknown"

/**
 * What a node can do.
 *
 * @category models
 */
export interface NodeReport {
  /** The host of the node, without path, query and credential. */
  readonly host: string
  /** How many requests were made, WebSocket connections included. */
  readonly requests: number
  /** The names and versions that the node gave, each once. More than one if several nodes share the address. */
  readonly clients: ReadonlyArray<string>
  readonly chainId: Option.Option<bigint>
  /** The highest block that was named. */
  readonly height: Option.Option<bigint>
  /** Age of the newest block, in seconds by the clock of this machine; less than 0 if the chain is ahead of that clock. */
  readonly blockAge: Option.Option<number>
  /** What `syncing` of the node says: `false` if it has all blocks that it knows of, or how far it has come. None if it gave no answer. */
  readonly syncing: Option.Option<Syncing>
  /** The prefixes of methods that the node answers. */
  readonly prefixes: ReadonlyArray<Prefix>
  /** The most calls in one request that the node answered: 1, 2, 10, 100 or 1000. */
  readonly batch: number
  /**
   * The most blocks of a log search that the node answered: 1, 100, 1,000 or 10,000, or fewer if the chain has fewer. None if it
   * answered no search.
   */
  readonly blockRange: Option.Option<number>
  /** All receipts of a block in one call: `kaia_getBlockReceipts` and its kin. */
  readonly blockReceipts: Ability
  /** `debug_traceBlockByNumber` with the `callTracer`, asked about a block near the newest. */
  readonly traces: Ability
  /**
   * The node's words for a call that its contract refuses, if this SDK does not know them: it reports such a call as `RpcFailed`, and an
   * index leaves the value out. None for known words, and for a node that did not answer the call so.
   */
  readonly unknownRevert: Option.Option<string>
  /** The oldest block of those tried whose state the node has. None if it has no state 1,000 blocks back. */
  readonly oldestState: Option.Option<bigint>
  /** Whether two answers in a row seem to come from different nodes: heights went back, or the versions differ. */
  readonly hasSeveralNodes: boolean
  /** How many answers said that the rate is limited. */
  readonly throttled: number
  /** The time of the slowest answer, in milliseconds. */
  readonly slowestMillis: number
  /** Whether a WebSocket opens at the address: as it is, or as the hosted service has it, `/v1/ws/open?chain-id=`. */
  readonly webSocket: { readonly sameAddress: Ability; readonly service: Ability }
}

/**
 * The first part of a method's name.
 *
 * @category models
 */
export type Prefix = "kaia" | "klay" | "eth"

/**
 * Options of {@link inspect}.
 *
 * @category models
 */
export interface Options {
  /**
   * The address of the node for WebSockets, `ws:` or `wss:`. They are tried if the program provides a
   * `WebSocketConstructor` of `@effect/platform`, and never shown. Default: none is tried.
   */
  readonly webSocketUrl?: Redacted.Redacted<string> | undefined
}

/**
 * The most requests that {@link inspect} makes, WebSocket connections included.
 *
 * @category constants
 */
export const maxRequests: number = internal.maxRequests

/**
 * How many of the newest blocks {@link inspect} leaves out when it searches logs: a node that lags a little lacks them.
 *
 * @category constants
 */
export const nearDepth: bigint = internal.nearDepth

/**
 * Asks the node of the configuration what it can do. Fails if the node doesn't answer its first calls, or doesn't accept the
 * credential; what fails later is part of the report.
 *
 * @category constructors
 */
export const inspect: (
  options?: Options
) => Effect.Effect<NodeReport, ServiceError | InvalidInput, ClientConfig.ClientConfig | HttpClient.HttpClient> =
  internal.inspect
