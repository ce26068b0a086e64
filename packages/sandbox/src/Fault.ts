/**
 * Faults to inject into the service, to test a client's retries, timeouts and error handling.
 */
import { Chain } from "@effect-klaytn/core/Chain"
import * as Schema from "effect/Schema"

/**
 * Answers in place of the service, which does not act. With `code` the body is the service's own error body; with
 * `body` it is that text unchanged, such as the page of a proxy; otherwise it is empty.
 *
 * @category schemas
 */
export const Answer = Schema.Struct({
  kind: Schema.Literal("answer"),
  /** HTTP status, 200 to 599. */
  status: Schema.Int.pipe(Schema.between(200, 599)),
  /** Seven digits, see `ServiceCode`. */
  code: Schema.optional(Schema.Int),
  message: Schema.optional(Schema.String),
  body: Schema.optional(Schema.String),
  /** The header `Retry-After`: seconds or an HTTP date. */
  retryAfter: Schema.optional(Schema.String.pipe(Schema.pattern(/^[\x20-\x7e]+$/)))
})

const longest = Schema.Int.pipe(Schema.between(0, 600_000))

/**
 * Waits before the service acts.
 *
 * @category schemas
 */
export const Delay = Schema.Struct({
  kind: Schema.Literal("delay"),
  /** By the clock of the program that runs the sandbox; at most ten minutes. */
  milliseconds: longest
})

/**
 * Resets the connection without an answer, either before the service acts or after it, when the client can't know that
 * it did.
 *
 * @category schemas
 */
export const Drop = Schema.Struct({
  kind: Schema.Literal("drop"),
  when: Schema.Literal("before", "after"),
  /**
   * How long the connection is held before it is reset, by the clock of the program that runs the sandbox; at most ten minutes.
   * Default: 0.
   */
  milliseconds: Schema.optional(longest)
})

/**
 * Takes the place of the chain's pool for a transaction that the pool would take, by whichever way it comes: the wallet, the
 * node, the JSON-RPC for development, over HTTP and WebSocket; not the sends of the controls. A transaction that is not valid
 * is refused for that, and uses the fault up too.
 *
 * **Details**
 *
 * - `known`: refused with `known transaction: ` and its hash, though the pool does not have it.
 * - `full`: refused with `txpool is full: 5120`.
 * - `underpriced`: refused as if its price were below the base fee.
 * - `forgotten`: answered with its hash and announced to subscriptions, and never in the pool.
 *
 * @category schemas
 */
export const Send = Schema.Struct({
  kind: Schema.Literal("send"),
  outcome: Schema.Literal("known", "full", "underpriced", "forgotten")
})

/**
 * What a fault does.
 *
 * @category schemas
 */
export const Action = Schema.Union(Answer, Delay, Drop, Send)

/**
 * A fault: what it does, to which requests, and how often.
 *
 * @category schemas
 */
export const Fault = Schema.Struct({
  /**
   * The operation it is for, in the word of the clients' spans, metrics and errors: `history.getTransfersByEoa`. For
   * requests to the node: `node.exchange`, or a method such as `node.klay_getBalance`, which hits every request that
   * calls this method, together with all other calls of its batch. The service prefix may be left out. For
   * the JSON-RPC for development, over HTTP and WebSocket: `rpc.exchange`, or a method such as `rpc.eth_blockNumber`, in full.
   * Default: every request to the service. A fault of sends has none.
   */
  operation: Schema.optional(Schema.NonEmptyString),
  /** Only requests for this chain, or transactions of it. Default: both. */
  chainId: Schema.optional(Chain),
  /** Requests, or transactions, that it is applied to before it is used up. Default: 1. */
  times: Schema.optional(Schema.Int.pipe(Schema.between(1, 1_000_000))),
  action: Action
}).annotations({ parseOptions: { onExcessProperty: "error" } })

/**
 * A fault: what it does, to which requests, and how often.
 *
 * @category models
 */
export type Fault = typeof Fault.Type

/**
 * An active fault. If several match a request or a transaction, only the oldest is applied.
 *
 * @category schemas
 */
export const ActiveFault = Schema.Struct({
  id: Schema.Int,
  ...Fault.fields,
  /** How often it will still be applied. */
  left: Schema.Int
})

/**
 * A fault in force.
 *
 * @category models
 */
export type ActiveFault = typeof ActiveFault.Type
