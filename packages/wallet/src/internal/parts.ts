/** What every service of the wallet is made of. */
import * as Endpoints from "@effect-klaytn/core/Endpoints"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SpendPolicy from "../SpendPolicy.js"
import * as TransactionLookup from "../TransactionLookup.js"
import * as lookups from "./lookup.js"
import type * as sending from "./sending.js"

export const make = Effect.gen(function*() {
  const client = yield* ServiceClient.make("wallet")
  const given = yield* Effect.serviceOption(TransactionLookup.TransactionLookup)
  const lookup = Option.isSome(given) ? given.value : yield* lookups.make(client)
  const endpoint = client.settings.endpoints.wallet
  const parts: sending.Parts = {
    client,
    host: endpoint === undefined ? "" : Endpoints.host(endpoint),
    lookup,
    policy: yield* SpendPolicy.SpendPolicy
  }
  return parts
})
