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

/**
 * Waits before the service acts.
 *
 * @category schemas
 */
export const Delay = Schema.Struct({
  kind: Schema.Literal("delay"),
  /** By the clock of the program that runs the sandbox; at most ten minutes. */
  milliseconds: Schema.Int.pipe(Schema.between(0, 600_000))
})

/**
 * Resets the connection without an answer, either before the service acts or after it, when the client can't know that
 * it did.
 *
 * @category schemas
 */
export const Drop = Schema.Struct({
  kind: Schema.Literal("drop"),
  when: Schema.Literal("before", "after")
})

/**
 * What a fault does.
 *
 * @category schemas
 */
export const Action = Schema.Union(Answer, Delay, Drop)

/**
 * A fault: what it does, to which requests, and how often.
 *
 * @category schemas
 */
export const Fault = Schema.Struct({
  /**
   * The operation it is for, in the word of the clients' spans, metrics and errors: `history.getTransfersByEoa`. For
   * requests to the node: `node.exchange`, or a method such as `node.klay_getBalance`, which hits every request that
   * calls this method, together with all other calls of its batch. The service prefix may be left out. Default: every request to the
   * service.
   */
  operation: Schema.optional(Schema.NonEmptyString),
  /** Only requests for this chain. Default: both. */
  chainId: Schema.optional(Chain),
  /** Requests it is applied to before it is used up. Default: 1. */
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
 * An active fault. If several match a request, only the oldest is applied.
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
