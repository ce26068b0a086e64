/**
 * What the contract says of an operation beside its path and schemas, as annotations on the `HttpApiEndpoint`.
 *
 * **Details**
 *
 * An operation is an `HttpApiEndpoint` of `@effect/platform` inside an `HttpApiGroup`; the group's name and the
 * endpoint's name make the operation's name (`history.getTransfers`). The client pipeline, the sandbox and the printed
 * interface all read the same endpoint.
 *
 * @since 0.1.0
 */
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import * as Context from "effect/Context"
import * as Option from "effect/Option"

/**
 * Whether a call may be repeated.
 *
 * - `safe`: it changes nothing; repeat freely.
 * - `keyed`: it carries a key (a nonce) that lets the service do it at most once; repeat with the same key.
 * - `once`: repeating it would do it again; repeat only if it is proven that nothing was sent.
 *
 * @since 0.1.0
 * @category models
 */
export type Safety = "safe" | "keyed" | "once"

/**
 * The annotation that sets {@link Safety}. An endpoint without it is `once`; a GET is always `safe`.
 *
 * @since 0.1.0
 * @category annotations
 */
export class RetrySafety extends Context.Tag("@effect-klaytn/core/Operation/RetrySafety")<RetrySafety, Safety>() {}

/**
 * What the pipeline and the telemetry need to know of an operation.
 *
 * @since 0.1.0
 * @category models
 */
export interface Operation {
  /** Group and endpoint, as in `history.getTransfers`. */
  readonly name: string
  readonly method: HttpMethod
  /** The route template, as in `/v2/transfer/account/{address}`; a label that stays bounded. */
  readonly route: string
  readonly safety: Safety
}

/**
 * The part of an `HttpApiEndpoint` that an operation is read off.
 *
 * @since 0.1.0
 * @category models
 */
export type Contract = Pick<
  HttpApiEndpoint.HttpApiEndpoint.AnyWithProps,
  "name" | "path" | "method" | "annotations"
>

/**
 * Reads the operation off an endpoint of a group.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromEndpoint = (group: string, endpoint: Contract): Operation => ({
  name: `${group}.${endpoint.name}`,
  method: endpoint.method,
  route: endpoint.path.replace(/:(\w+)/g, "{$1}"),
  safety: endpoint.method === "GET"
    ? "safe"
    : Option.getOrElse(Context.getOption(endpoint.annotations, RetrySafety), () => "once")
})
