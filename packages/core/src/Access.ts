/**
 * What every call to the service carries, as part of the contract: the credential as HTTP Basic, and the chain.
 *
 * **Details**
 *
 * The document: header `Authorization: Basic base64(id:secret)`, the same in all services, and header `x-chain-id` with
 * `1001` or `8217`. On a client the pipeline sets both. A server implements {@link Access} once: it checks the
 * credential before anything else and hands the chain to the handlers.
 *
 * @since 0.1.0
 */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import type { Chain } from "./Chain.js"
import { BadRequest, Unauthorized } from "./ErrorBody.js"

/**
 * The header that names the chain.
 *
 * @since 0.1.0
 * @category constants
 */
export const chainHeader = "x-chain-id"

/**
 * On a server: the chain of the request.
 *
 * @since 0.1.0
 * @category services
 */
export class RequestChain extends Context.Tag("@effect-klaytn/core/Access/RequestChain")<RequestChain, Chain>() {}

/**
 * On a server: the check of credential and chain.
 *
 * @since 0.1.0
 * @category services
 */
export class Access extends HttpApiMiddleware.Tag<Access>()("@effect-klaytn/core/Access", {
  failure: Schema.Union(Unauthorized, BadRequest),
  provides: RequestChain,
  security: { basic: HttpApiSecurity.basic }
}) {}
