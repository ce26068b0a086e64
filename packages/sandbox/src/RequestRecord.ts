/**
 * The log of the requests that clients made to the service.
 */
import { Chain } from "@effect-klaytn/core/Chain"
import * as Schema from "effect/Schema"

/**
 * One request to the service, without its headers and body, so that it contains no credential.
 *
 * @category schemas
 */
export const RequestRecord = Schema.Struct({
  /** Number of the request in its sandbox, from 1 on. */
  id: Schema.Int,
  /** When it arrived, in milliseconds since 1970, by the clock of the program that runs the sandbox. */
  at: Schema.Number,
  method: Schema.String,
  /** Path and query as they arrived. */
  url: Schema.String,
  /**
   * The operation, as in the clients' spans, metrics and errors: `wallet.sendValue`. `node.exchange` for all calls of the
   * node; absent if no operation has this path and method.
   */
  operation: Schema.optional(Schema.String),
  /** Path of the operation with its parameters by name, such as `/v2/transfer/account/:address`. */
  route: Schema.optional(Schema.String),
  /**
   * The different methods that the body names, such as `klay_getBalance`. Only for requests to the node that are
   * accepted.
   */
  rpcMethods: Schema.optional(Schema.Array(Schema.String)),
  /** Chain of the request, if its header named one. */
  chainId: Schema.optional(Chain),
  /** Status of the answer; absent if the connection was dropped or the client closed it. */
  status: Schema.optional(Schema.Int),
  /** The fault that was applied to it. */
  fault: Schema.optional(Schema.Int),
  durationMillis: Schema.Number
}).annotations({ identifier: "RequestRecord" })

/**
 * One request to the service.
 *
 * @category models
 */
export type RequestRecord = typeof RequestRecord.Type

/**
 * Selects requests that match all fields that are present, oldest first. To page backwards, ask for the latest `limit` requests, then
 * for those `before` the first ID of the page.
 *
 * @category models
 */
export interface RequestFilter {
  /**
   * The operation, as in `wallet.sendValue`, or a method of the node that the request calls, as in `node.klay_getBalance`;
   * the prefix may be omitted.
   */
  readonly operation?: string | undefined
  readonly method?: string | undefined
  readonly status?: number | undefined
  readonly chainId?: RequestRecord["chainId"]
  /** Only those with a lower ID. */
  readonly before?: number | undefined
  /** At most so many, the latest that match. Default: all. */
  readonly limit?: number | undefined
}
