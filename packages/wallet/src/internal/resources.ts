/** From the input of the list of resources to the request of its contract. */
import * as Input from "@effect-klaytn/core/Input"
import * as Paged from "@effect-klaytn/core/Paged"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as ServiceCode from "@effect-klaytn/core/ServiceCode"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Resource } from "../Resource.js"
import type * as Resources from "../Resources.js"
import * as Api from "../ResourcesApi.js"
import * as lists from "./lists.js"

const named = (problem: string) => Schema.String.pipe(Schema.minLength(1, { message: () => problem }))

const ResourcesInput = Schema.Struct({
  ...lists.fields,
  accountId: named("name the customer: the fourth part of a resource name"),
  resourceType: Schema.optional(named("leave resourceType out for every kind")),
  serviceId: Schema.optional(named("leave serviceId out for every service"))
})

export const make = () =>
  Effect.gen(function*() {
    const client = yield* ServiceClient.make("resource")
    const scope = client.scope(Api.getResources)
    const read = Input.decode(scope.operation, ResourcesInput)
    const resources = Paged.make<Resources.ResourcesInput, Resource, ReadError>({
      scope,
      page: (given) =>
        Effect.gen(function*() {
          const { accountId, resourceType, serviceId, ...list } = yield* read(given)
          const urlParams = {
            ...lists.parameters(list),
            ...(resourceType === undefined ? {} : { "resource-type": resourceType }),
            ...(serviceId === undefined ? {} : { "service-id": serviceId })
          }
          return yield* lists.orEmpty(
            client.call(Api.getResources, { path: { accountId }, urlParams }),
            ServiceCode.resource.noData
          )
        })
    })
    return { resources }
  })
