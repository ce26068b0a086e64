/** From the input of the list of resources to the request of its contract. */
import * as Operations from "@effect-klaytn/core/Operations"
import * as ServiceCode from "@effect-klaytn/core/ServiceCode"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Api from "../ResourcesApi.js"
import * as lists from "./lists.js"

const named = (problem: string) => Schema.String.pipe(Schema.minLength(1, { message: () => problem }))

export const make = Effect.map(Operations.make("resource"), ({ list }) => ({
  getResources: list(
    Api.getResources,
    {
      ...lists.fields,
      accountId: named("name the customer: the fourth part of a resource name"),
      resourceType: Schema.optional(named("leave resourceType out for every kind")),
      serviceId: Schema.optional(named("leave serviceId out for every service"))
    },
    ({ accountId, resourceType, serviceId, ...input }, call) =>
      lists.orEmpty(
        call({
          path: { accountId },
          urlParams: { ...lists.parameters(input), "resource-type": resourceType, "service-id": serviceId }
        }),
        ServiceCode.resource.noData
      )
  )
}))
