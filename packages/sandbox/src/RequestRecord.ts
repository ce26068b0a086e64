/**
 * The journal of requests: what clients really asked the service, for tests and for curiosity.
 *
 * @since 0.1.0
 */
import { Chain } from "@effect-klaytn/core/Chain"
import * as Schema from "effect/Schema"

/**
 * One request to the service. It holds no header and no body, so no credential either.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RequestRecord = Schema.Struct({
  /** Numbers the requests of a sandbox from 1 on. */
  id: Schema.Int,
  /** When it came, in milliseconds since 1970, by the clock of the program that runs the sandbox. */
  at: Schema.Number,
  method: Schema.String,
  /** Path with its query, as it came. */
  url: Schema.String,
  /**
   * The operation, in the word of the clients' spans, metrics and errors: `wallet.sendValue`. `node.exchange` for all that
   * is for the node; none for a path or method that is not served.
   */
  operation: Schema.optional(Schema.String),
  /** Path of the operation with its parameters by name, such as `/v2/transfer/account/:address`. */
  route: Schema.optional(Schema.String),
  /**
   * Only for the node, and only of a request that was let in: the methods that the body names, such as `klay_getBalance`,
   * each once.
   */
  rpcMethods: Schema.optional(Schema.Array(Schema.String)),
  /** Chain of the request, if its header named one. */
  chainId: Schema.optional(Chain),
  /** Status of the answer; none when the connection was dropped, or given up by the client. */
  status: Schema.optional(Schema.Int),
  /** The fault that was applied to it. */
  fault: Schema.optional(Schema.Int),
  durationMillis: Schema.Number
}).annotations({ identifier: "RequestRecord" })

/**
 * One request to the service.
 *
 * @since 0.1.0
 * @category models
 */
export type RequestRecord = typeof RequestRecord.Type

/**
 * Which requests to list, oldest first. All that is given has to fit. To read page by page, ask for the latest `limit`, and
 * then for those `before` the first ID of the page.
 *
 * @since 0.1.0
 * @category models
 */
export interface RequestFilter {
  /**
   * The operation, as in `wallet.sendValue`, or a method of the node that the request calls, as in `node.klay_getBalance`;
   * the service in front may be left out.
   */
  readonly operation?: string | undefined
  readonly method?: string | undefined
  readonly status?: number | undefined
  readonly chainId?: RequestRecord["chainId"]
  /** Only those with a lower ID. */
  readonly before?: number | undefined
  /** So many at most: the latest of those that fit. Default: all. */
  readonly limit?: number | undefined
}
