/**
 * Turns a contract into an `HttpApi` of `@effect/platform`, to build a server of the service or print its OpenAPI
 * document. Clients don't need it.
 *
 * **Details**
 *
 * Every call carries the credential as HTTP Basic and the chain in the header `x-chain-id` (the API document:
 * `Authorization: Basic base64(id:secret)`, the same in all services, and `1001` or `8217`). A server implements {@link
 * Access} once: it checks the credential before anything else and passes the chain to the handlers.
 *
 * **Example** (the OpenAPI document of a contract)
 *
 * ```ts
 * import * as OperationApi from "@effect-klaytn/core/OperationApi"
 * import * as HistoryApi from "@effect-klaytn/history/HistoryApi"
 * import * as OpenApi from "@effect/platform/OpenApi"
 *
 * export const document = OpenApi.fromApi(OperationApi.api("transfer-history", HistoryApi))
 * ```
 */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import type { Chain } from "./Chain.js"
import * as ErrorBody from "./ErrorBody.js"
import * as Operation from "./Operation.js"

/**
 * The chain of the current request, on a server.
 *
 * @category services
 */
export class RequestChain extends Context.Tag("@effect-klaytn/core/OperationApi/RequestChain")<RequestChain, Chain>() {}

const withStatus = <A, I>(body: Schema.Schema<A, I> & { readonly status: number }) =>
  body.annotations(HttpApiSchema.annotations({ status: body.status }))

/**
 * The middleware that checks credential and chain, on a server.
 *
 * @category services
 */
export class Access extends HttpApiMiddleware.Tag<Access>()("@effect-klaytn/core/OperationApi/Access", {
  failure: Schema.Union(withStatus(ErrorBody.Unauthorized), withStatus(ErrorBody.BadRequest)),
  provides: RequestChain,
  security: { basic: HttpApiSecurity.basic }
}) {}

type Part<Request, Name extends string> = Request extends { readonly [N in Name]: infer A } ? A : never

/**
 * The endpoint of an operation.
 *
 * @category types
 */
export type Endpoint<O> = O extends
  Operation.Operation<infer Id, infer Method, infer Request, infer Success, infer Error> ?
  HttpApiEndpoint.HttpApiEndpoint<
    Id,
    Method,
    Part<Request, "path">,
    Part<Request, "urlParams">,
    Part<Request, "payload">,
    Part<Request, "headers">,
    Success,
    Error
  > :
  never

/**
 * Makes the endpoint of an operation.
 *
 * @category constructors
 */
export const endpoint = <O extends Operation.Any>(operation: O): Endpoint<O> => {
  const { errors, id, method, path, success }: Operation.Any = operation
  const request: { readonly [part: string]: Schema.Schema.AnyNoContext | undefined } = operation.request
  // Each `set` and `add` changes the type of the endpoint.
  let made = HttpApiEndpoint.make(method)(id, path).addSuccess(
    success
  ) as HttpApiEndpoint.HttpApiEndpoint.Any as HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
  if (request.path !== undefined) made = made.setPath(request.path)
  if (request.urlParams !== undefined) made = made.setUrlParams(request.urlParams)
  if (request.headers !== undefined) made = made.setHeaders(request.headers)
  if (request.payload !== undefined) made = made.setPayload(request.payload)
  for (const error of errors) made = made.addError(withStatus(error))
  // It was built from the schemas that the type is derived from.
  return made as Endpoint<O>
}

/**
 * Makes a group of a contract's operations, protected by {@link Access}.
 *
 * @category constructors
 */
export const group = <const Name extends string, M extends object>(
  name: Name,
  contract: M
) => {
  const endpoints = Operation.all(contract).map(endpoint)
  // Empty so far: this is the type it has after the last `add`.
  const empty: HttpApiGroup.HttpApiGroup<Name, (typeof endpoints)[number], never> = HttpApiGroup.make(name)
  return endpoints.reduce((made, one) => made.add(one), empty).middleware(Access)
}

/**
 * Makes the API of one contract, with its operations in one group of the same name.
 *
 * @category constructors
 */
export const api = <const Name extends string, M extends object>(name: Name, contract: M) =>
  HttpApi.make(name).add(group(name, contract))
