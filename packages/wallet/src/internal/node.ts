/** Calls to the service's node; their failures become `LookupFailed`. */
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import type * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { LookupFailed } from "../SendOutcome.js"

export interface Node {
  readonly call: <A, I>(
    method: string,
    params: ReadonlyArray<unknown>,
    result: Schema.Schema<A, I>
  ) => Effect.Effect<A, LookupFailed>
}

export const make = (client: ServiceClient.ServiceClient): Node => ({
  call: (method, params, result) =>
    Effect.mapError(JsonRpc.call(client, { method, params, result }), (error) =>
      error._tag === "NodeRefused"
        ? new LookupFailed({ problem: `the node refused ${method}: ${error.code} ${error.serviceMessage}` })
        : new LookupFailed({ problem: `${method} failed`, cause: error }))
})
