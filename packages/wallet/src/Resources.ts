/**
 * Lists a customer's resources, which is the only way to find out which pools exist. It has its own base address,
 * `resource` (`KLAYTN_RESOURCE_URL`).
 *
 * **Not in the API document**: this was seen in public clients of the service, which may answer differently, or not at
 * all. Pools can only be created and deleted in the service's console.
 *
 * **Details**
 *
 * | Operation | Request | May be repeated by the client |
 * |---|---|---|
 * | `getResources` | `GET /v1/resource/account/{account-id}` | yes |
 *
 * The list covers both chains, whatever the chain of the client. If there are no resources it is an empty page; the
 * service was seen to answer with HTTP 400 and code 1071010 then.
 *
 * **Example** (the account pools of this chain)
 *
 * ```ts
 * import * as Resources from "@effect-klaytn/wallet/Resources"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const pools = Effect.gen(function*() {
 *   const resources = yield* Resources.Resources
 *   return yield* resources.getResources.items({ accountId: "local", resourceType: "account-pool", serviceId: "wallet" }).pipe(
 *     Stream.filter((pool) => pool.chainId === 1001),
 *     Stream.map((pool) => pool.krn),
 *     Stream.runCollect
 *   )
 * })
 * ```
 */
import type * as Input from "@effect-klaytn/core/Input"
import * as Operations from "@effect-klaytn/core/Operations"
import type * as Paged from "@effect-klaytn/core/Paged"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as ServiceCode from "@effect-klaytn/core/ServiceCode"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fields from "./internal/contract/fields.js"
import * as Api from "./ResourcesApi.js"

const resourceList = {
  ...fields.list,
  /** The customer: the fourth part of a resource name. */
  accountId: fields.notEmpty("name the customer: the fourth part of a resource name"),
  /** Only resources of this kind, such as `account-pool` or `feepayer-pool`. */
  resourceType: Schema.optional(fields.notEmpty("leave resourceType out for every kind")),
  /** Only resources of this service, such as `wallet`. */
  serviceId: Schema.optional(fields.notEmpty("leave serviceId out for every service"))
}

/**
 * Input of `getResources`. Fields that are left out are not sent.
 *
 * @category models
 */
export interface ResourcesInput extends Input.Of<typeof resourceList> {}

/**
 * The operation.
 *
 * @category models
 */
export interface Service {
  /** The resources of a customer. */
  readonly getResources: Paged.List<ResourcesInput, Api.Resource, ReadError>
}

/**
 * The list of resources as a service.
 *
 * @category services
 */
export class Resources extends Context.Tag("@effect-klaytn/wallet/Resources")<Resources, Service>() {}

/**
 * Makes a client. Fails with `InvalidInput` if the configuration has no base address for `resource`.
 *
 * @category constructors
 */
export const make = (): ServiceClient.Make<Service> =>
  Effect.map(Operations.make("resource"), ({ list }) => ({
    getResources: list(Api.getResources, resourceList, {
      ...fields.bounds,
      resourceType: "resource-type",
      serviceId: "service-id"
    }, { run: (call) => fields.emptyAt(call, ServiceCode.resource.noData) })
  }))

/**
 * Provides a client as a layer. Each call creates a layer with its own client.
 *
 * @category layers
 */
export const layer = ServiceClient.layer(Resources, make)

/**
 * Provides a client as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables. Each
 * call creates a layer with its own client.
 *
 * @category layers
 */
export const layerConfig = ServiceClient.layerConfig(Resources, "resource", make)
