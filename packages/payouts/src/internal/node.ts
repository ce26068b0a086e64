/** Balances and contract calls, read from the service's node. */
import type { Address } from "@effect-klaytn/core/Address"
import type { ClientConfig } from "@effect-klaytn/core/ClientConfig"
import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import { LookupFailed } from "@effect-klaytn/wallet/SendOutcome"
import type { HttpClient } from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

export interface Node {
  readonly balance: (address: Address) => Effect.Effect<bigint, LookupFailed>
  /** Calls a contract without changing anything. Returns its bytes, or the message of a node that refuses. */
  readonly call: (call: {
    readonly from?: Address
    readonly to: Address
    readonly input: string
  }) => Effect.Effect<Either.Either<string, string>, LookupFailed>
  /** Any other method that changes nothing. */
  readonly read: <A, I>(
    method: string,
    params: ReadonlyArray<unknown>,
    result: Schema.Schema<A, I>
  ) => Effect.Effect<A, LookupFailed>
}

export const make: Effect.Effect<Node, InvalidInput, ClientConfig | HttpClient> = Effect.map(
  ServiceClient.make("node"),
  (client) => {
    const failed = (method: string) => (cause: { readonly message: string }) =>
      new LookupFailed({ problem: `${method} failed: ${cause.message}` })
    const read: Node["read"] = (method, params, result) =>
      Effect.mapError(JsonRpc.call(client, { method, params, result }), failed(method))
    return {
      read,
      balance: (address) => read("klay_getBalance", [address, "latest"], BigIntFromQuantity),
      call: (call) =>
        JsonRpc.call(client, { method: "klay_call", params: [call, "latest"], result: Schema.String }).pipe(
          Effect.map(Either.right),
          Effect.catchTag("NodeRefused", ({ serviceMessage }) => Effect.succeed(Either.left(serviceMessage))),
          Effect.mapError(failed("klay_call"))
        )
    }
  }
)
