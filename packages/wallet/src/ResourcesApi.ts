/**
 * The contract of the list of a customer's resources, the only list of pools. It has its own base address, `resource`.
 *
 * **Beyond the document**: everything here was seen in public clients of the service, which may answer differently, or
 * not at all. Pools can only be created and deleted in the service's console.
 *
 * @since 0.1.0
 */
import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import * as Operation from "@effect-klaytn/core/Operation"
import * as Paged from "@effect-klaytn/core/Paged"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as Schema from "effect/Schema"
import { Resource } from "./Resource.js"

const { get } = Operation.of("resource", [ErrorBody.BadRequest])

/**
 * A page of resources of both chains.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PageableResources = Paged.schema(Resource).annotations({ identifier: "PageableResources" })

/**
 * Lists the resources of a customer, whose ID is in the path. If there are none, the answer is HTTP 400 with code
 * 1071010 (`ServiceCode.resource.noData`).
 *
 * @since 0.1.0
 * @category endpoints
 */
export const getResources = get("getResources", "/v1/resource/account/:accountId", {
  path: { accountId: Schema.String },
  urlParams: {
    ...Paged.query,
    "from-timestamp": Schema.optional(UnixTime.FromString),
    "to-timestamp": Schema.optional(UnixTime.FromString),
    "resource-type": Schema.optional(Schema.String),
    "service-id": Schema.optional(Schema.String)
  },
  success: PageableResources
})
