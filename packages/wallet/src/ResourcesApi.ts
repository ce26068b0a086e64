/**
 * The contract of the list of a customer's resources, the only list of pools. It has its own base address, `resource`.
 *
 * **Not in the API document**: everything here was seen in public clients of the service, which may answer differently,
 * or not at all. Pools can only be created and deleted in the service's console.
 */
import * as Chain from "@effect-klaytn/core/Chain"
import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import * as Krn from "@effect-klaytn/core/Krn"
import * as Operation from "@effect-klaytn/core/Operation"
import * as Paged from "@effect-klaytn/core/Paged"
import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Schema from "effect/Schema"
import { listQuery } from "./internal/contract/fields.js"

const { get } = Operation.of("resource", [ErrorBody.BadRequest])

/**
 * A resource.
 *
 * **Details**
 *
 * `accountId` is the customer, `serviceId` the service that the resource belongs to (`wallet`), `resourceType` its kind
 * (`account-pool`, `feepayer-pool` or an unknown kind), `resourceId` its name. `krn` combines all of these, and is what
 * `Pool.withPool` takes. `createdAt` is in Unix seconds.
 *
 * `default` marks the resource that the customer chose as default. It need not be the one named `default`, which calls
 * without a pool were seen to use.
 *
 * @category schemas
 */
export const Resource = Schema.Struct({
  /** The ID of the customer. */
  accountId: Schema.String,
  /** The chain. */
  chainId: Chain.Chain,
  /** When it was made. */
  createdAt: UnixTime,
  /** Whether the customer chose it as the default. */
  default: Schema.Boolean,
  /** The pool that it belongs to. */
  krn: Krn.FromString,
  /** The name of the resource. */
  resourceId: Schema.String,
  /** The kind of the resource, such as `account-pool`. */
  resourceType: Schema.String,
  /** The service that the resource belongs to. */
  serviceId: Schema.String
}).annotations({ identifier: "Resource" })

/**
 * A resource.
 *
 * @category models
 */
export type Resource = typeof Resource.Type

/**
 * A page of resources of both chains.
 *
 * @category schemas
 */
export const PageableResources = Paged.schema(Resource).annotations({ identifier: "PageableResources" })

/**
 * Lists the resources of a customer, whose ID is in the path. If there are none, the answer is HTTP 400 with code
 * 1071010 (`ServiceCode.resource.noData`).
 *
 * @category endpoints
 */
export const getResources = get("getResources", "/v1/resource/account/:accountId", {
  path: {
    /** The ID of the customer. */
    accountId: Schema.String
  },
  urlParams: {
    ...listQuery,
    /** Only resources of this kind, such as `account-pool`. */
    "resource-type": Schema.optional(Schema.String),
    /** Only resources of this service, such as `wallet`. */
    "service-id": Schema.optional(Schema.String)
  },
  success: PageableResources
})
