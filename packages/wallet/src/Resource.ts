/**
 * Resources of a customer: account pools, fee-payer pools and anything else with a resource name. Beyond the document;
 * everything here was seen in public clients.
 *
 * @since 0.1.0
 */
import * as Chain from "@effect-klaytn/core/Chain"
import * as Krn from "@effect-klaytn/core/Krn"
import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Schema from "effect/Schema"

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
 * @since 0.1.0
 * @category schemas
 */
export const Resource = Schema.Struct({
  accountId: Schema.String,
  chainId: Chain.Chain,
  createdAt: UnixTime,
  default: Schema.Boolean,
  krn: Krn.FromString,
  resourceId: Schema.String,
  resourceType: Schema.String,
  serviceId: Schema.String
}).annotations({ identifier: "Resource" })

/**
 * A resource.
 *
 * @since 0.1.0
 * @category models
 */
export type Resource = typeof Resource.Type
