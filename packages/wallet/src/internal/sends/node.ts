/** Calls to the service's node; their failures become `LookupFailed`. */
import type { Settings } from "@effect-klaytn/core/ClientConfig"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { LookupFailed } from "../../TransactionResult.js"

export interface Node {
  readonly call: <A, I>(
    method: string,
    params: ReadonlyArray<unknown>,
    result: Schema.Schema<A, I>
  ) => Effect.Effect<A, LookupFailed>
}

/** Calls to the node of the configuration; without its address, every call fails. */
export const make = ({ endpoints }: Settings) =>
  endpoints.node === undefined
    ? Effect.succeed<Node>({
      call: (method) =>
        new LookupFailed({
          problem: `${method} needs the node: set endpoints.node, or KLAYTN_NODE_URL for a configuration from the ` +
            "environment, or provide a TransactionLookup"
        })
    })
    : Effect.map(ServiceClient.make("node"), (client): Node => ({
      call: (method, params, result) =>
        Effect.mapError(JsonRpc.call(client, { method, params, result }), (error) =>
          error._tag === "NodeRefused"
            ? new LookupFailed({ problem: `the node refused ${method}: ${error.code} ${error.serviceMessage}` })
            : new LookupFailed({ problem: `${method} failed`, cause: error }))
    }))
